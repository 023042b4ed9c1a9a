//! Events uniform over the bands of the standard rules, so that no comparison can be guessed; and what their evaluation takes.

use crate::clock::{self, Clock};
use gimmal_engine::{
    Branched, Branchless, Evaluator, Hybrid, Price, Quantity, RiskEvent, Rules, Standard,
};
use std::hint::black_box;

/// More than a processor remembers branches of.
pub const EVENTS: usize = 16384;

/// The evaluators, in the order of [`times`].
pub const EVALUATORS: [&str; 3] = ["branched", "branchless", "hybrid"];

/// As many, each of any pair of bands with the same chance.
pub fn uniform(random: &mut fastrand::Rng) -> Vec<RiskEvent> {
    let prices = Standard::PRICE.below.map(|(limit, _)| limit.raw());
    let quantities = Standard::QUANTITY.below.map(|(limit, _)| limit.raw());
    let mut event = |id| RiskEvent {
        id,
        price: Price::from_raw(in_any_band(&prices, random)),
        quantity: Quantity::from_raw(in_any_band(&quantities, random)),
        ..RiskEvent::default()
    };
    (0..EVENTS as u64).map(&mut event).collect()
}

fn in_any_band(limits: &[i64; 4], random: &mut fastrand::Rng) -> i64 {
    let band = random.usize(0..=limits.len());
    let from = if band == 0 { 1 } else { limits[band - 1] };
    let below = limits
        .get(band)
        .copied()
        .unwrap_or(10 * limits[limits.len() - 1]);
    random.i64(from..below)
}

/// Nanoseconds for one event, by each evaluator, in an order that changes.
pub fn times(events: &[RiskEvent], clock: &Clock, random: &mut fastrand::Rng) -> [f64; 3] {
    let mut times = [0.0; 3];
    let mut order = [0, 1, 2];
    random.shuffle(&mut order);
    // In the cache, whatever ran before.
    let touched = events.iter().fold(0, |sum, event| sum ^ event.price.raw());
    black_box(touched);
    for evaluator in order {
        times[evaluator] = match evaluator {
            0 => time::<Branched>(events, clock),
            1 => time::<Branchless>(events, clock),
            _ => time::<Hybrid>(events, clock),
        };
    }
    times
}

#[inline(never)]
fn time<V: Evaluator<Standard>>(events: &[RiskEvent], clock: &Clock) -> f64 {
    let before = clock::now();
    for event in events {
        black_box(V::evaluate(black_box(event)));
    }
    clock.ns(clock::now() - before) / events.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_bands_has_about_as_many_events() {
        let events = uniform(&mut fastrand::Rng::with_seed(1));
        let mut counts = [[0; 5]; 5];
        for event in &events {
            let prices = Standard::PRICE.below;
            let quantities = Standard::QUANTITY.below;
            let price = prices.iter().filter(|(limit, _)| event.price >= *limit);
            let quantity = quantities
                .iter()
                .filter(|(limit, _)| event.quantity >= *limit);
            counts[price.count()][quantity.count()] += 1;
            assert!(event.price > Price::ZERO && event.quantity > Quantity::ZERO);
        }
        let expected = EVENTS / 25;
        let near = expected * 7 / 10..expected * 13 / 10;
        assert!(
            counts.iter().flatten().all(|count| near.contains(count)),
            "{counts:?}"
        );
    }
}
