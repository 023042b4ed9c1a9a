//! Three ways to compute the same score. `cargo xtask study engine` measures them.

use crate::fixed::{Fixed, Price, Quantity};
use crate::model::{RiskEvent, RiskResult, Tier};
use crate::rules::{Addition, Bands, Rules, Sound};

/// A way to score an event by a rule set. All give the same result.
///
/// ```
/// use gimmal_engine::{made_up_events, Branched, Branchless, Evaluator, Hybrid, Standard};
///
/// fn score<V: Evaluator<Standard>>() -> Vec<i32> {
///     made_up_events().take(100).map(|event| V::evaluate(&event).score).collect()
/// }
///
/// assert_eq!(score::<Branched>(), score::<Branchless>());
/// assert_eq!(score::<Branched>(), score::<Hybrid>());
/// ```
pub trait Evaluator<R: Rules> {
    /// Scores an event.
    fn evaluate(event: &RiskEvent) -> RiskResult;
}

/// By one comparison after the other, up to the first that decides. As fast as its guesses are good.
#[derive(Debug, Clone, Copy, Default)]
pub struct Branched;

/// By all comparisons at once, their outcomes added up: the same time for every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct Branchless;

/// A branch for events that score nothing, which are rare and so well predicted, and all comparisons at once for the rest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hybrid;

impl<R: Rules> Evaluator<R> for Branched {
    #[inline]
    fn evaluate(event: &RiskEvent) -> RiskResult {
        let () = Sound::<R>::PROOF;
        let &RiskEvent {
            price, quantity, ..
        } = event;
        if price <= Price::ZERO || quantity <= Quantity::ZERO {
            return nothing(event);
        }
        let mut added = 0;
        for addition in R::ADDED {
            if counts(&addition, price, quantity) {
                added += addition.score;
            }
        }
        let sum = (first_band(&R::PRICE, price) << R::SHIFTS.price)
            + (first_band(&R::QUANTITY, quantity) << R::SHIFTS.quantity)
            + (added << R::SHIFTS.added);
        let score = if sum < 0 {
            0
        } else if sum > R::MOST {
            R::MOST
        } else {
            sum
        };
        let tier = if score < R::TIERS.medium {
            Tier::Low
        } else if score < R::TIERS.high {
            Tier::Medium
        } else if score < R::TIERS.critical {
            Tier::High
        } else {
            Tier::Critical
        };
        RiskResult {
            id: event.id,
            score,
            tier,
        }
    }
}

impl<R: Rules> Evaluator<R> for Branchless {
    #[inline]
    fn evaluate(event: &RiskEvent) -> RiskResult {
        let scores = (event.price > Price::ZERO) & (event.quantity > Quantity::ZERO);
        result::<R>(event.id, -i32::from(scores) & sum_of_all::<R>(event))
    }
}

impl<R: Rules> Evaluator<R> for Hybrid {
    #[inline]
    fn evaluate(event: &RiskEvent) -> RiskResult {
        if event.price <= Price::ZERO || event.quantity <= Quantity::ZERO {
            return nothing(event);
        }
        result::<R>(event.id, sum_of_all::<R>(event))
    }
}

fn nothing(event: &RiskEvent) -> RiskResult {
    RiskResult {
        id: event.id,
        score: 0,
        tier: Tier::Low,
    }
}

#[inline(always)]
fn first_band<const DECIMALS: u32>(bands: &Bands<DECIMALS>, value: Fixed<DECIMALS>) -> i32 {
    for (limit, score) in bands.below {
        if value < limit {
            return score;
        }
    }
    bands.beyond
}

/// The first band's score, and for every limit that is reached the difference to the next band's.
#[inline(always)]
fn all_bands<const DECIMALS: u32>(bands: &Bands<DECIMALS>, value: Fixed<DECIMALS>) -> i32 {
    let [first, second, third, fourth] = bands.below;
    let step = |limit, from: i32, to: i32| -i32::from(value >= limit) & (to - from);
    first.1
        + step(first.0, first.1, second.1)
        + step(second.0, second.1, third.1)
        + step(third.0, third.1, fourth.1)
        + step(fourth.0, fourth.1, bands.beyond)
}

/// Which bounds there are is known to the compiler, so nothing but the comparisons is left of this.
#[inline(always)]
fn counts(addition: &Addition, price: Price, quantity: Quantity) -> bool {
    addition.price_from.is_none_or(|least| price >= least)
        & addition.price_below.is_none_or(|limit| price < limit)
        & addition.quantity_from.is_none_or(|least| quantity >= least)
}

#[inline(always)]
fn sum_of_all<R: Rules>(event: &RiskEvent) -> i32 {
    let () = Sound::<R>::PROOF;
    let &RiskEvent {
        price, quantity, ..
    } = event;
    let added =
        |addition: &Addition| -i32::from(counts(addition, price, quantity)) & addition.score;
    let [first, second, third] = &R::ADDED;
    (all_bands(&R::PRICE, price) << R::SHIFTS.price)
        + (all_bands(&R::QUANTITY, quantity) << R::SHIFTS.quantity)
        + ((added(first) + added(second) + added(third)) << R::SHIFTS.added)
}

#[inline(always)]
fn result<R: Rules>(id: u64, sum: i32) -> RiskResult {
    let score = sum.clamp(0, R::MOST);
    let reached = |least| u32::from(score >= least);
    let tier = match reached(R::TIERS.medium) + reached(R::TIERS.high) + reached(R::TIERS.critical)
    {
        0 => Tier::Low,
        1 => Tier::Medium,
        2 => Tier::High,
        _ => Tier::Critical,
    };
    RiskResult { id, score, tier }
}
