//! How far apart the readings of a clock on two cores are, by exchanging them over a shared line.

use crate::abi::Line;
use crate::clocks::{FencedBefore, Source};
use crate::threads::Crew;
use anyhow::{ensure, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// One exchange: the leader reads the clock and asks, the follower reads its own and answers, the leader reads again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The leader's clock before it asked.
    pub asked: u64,
    /// The follower's when it saw the question.
    pub seen: u64,
    /// The leader's when it saw the answer.
    pub answered: u64,
}

/// What some exchanges say of the two clocks, in their units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// How far the follower's clock is ahead, by the shortest exchange.
    pub offset: f64,
    /// By how much that may be wrong: half the exchange.
    pub uncertainty: f64,
    /// Exchanges in which the time seemed to run back between the two cores.
    pub backwards: usize,
    /// The furthest that it did.
    pub furthest_back: u64,
}

impl Skew {
    /// Of these exchanges; `None` if there are none.
    pub fn of(exchanges: &[Exchange]) -> Option<Self> {
        let took = |each: &&Exchange| each.answered.wrapping_sub(each.asked);
        let shortest = exchanges.iter().min_by_key(took)?;
        let half = took(&shortest) as f64 / 2.0;
        let back = |each: &Exchange| {
            let there = each.asked.saturating_sub(each.seen);
            there.max(each.seen.saturating_sub(each.answered))
        };
        Some(Self {
            offset: shortest.seen.wrapping_sub(shortest.asked) as i64 as f64 - half,
            uncertainty: half,
            backwards: exchanges.iter().filter(|each| back(each) > 0).count(),
            furthest_back: exchanges.iter().map(back).max()?,
        })
    }
}

/// Takes so many exchanges by one clock.
pub fn exchange<S: Source>(crew: &mut Crew, count: usize) -> Vec<Exchange> {
    /// All on one line: it goes there and back.
    #[derive(Default)]
    struct Shared {
        question: AtomicU64,
        answer: AtomicU64,
        seen: AtomicU64,
    }
    let shared = Line(Shared::default());
    let Line(Shared {
        question,
        answer,
        seen,
    }) = &shared;
    let mut exchanges = vec![Exchange::default(); count];
    let lead = || {
        for (number, exchange) in (1..).zip(&mut exchanges) {
            exchange.asked = S::now();
            // Pairs with the Acquire in `follow`.
            question.store(number, Ordering::Release);
            // Pairs with the Release in `follow`.
            while answer.load(Ordering::Acquire) != number {}
            exchange.answered = S::now();
            // Ordered by `answer`.
            exchange.seen = seen.load(Ordering::Relaxed);
        }
    };
    let follow = || {
        for number in 1..=count as u64 {
            // Pairs with the Release in `lead`.
            while question.load(Ordering::Acquire) != number {}
            seen.store(S::now(), Ordering::Relaxed);
            // Pairs with the Acquire in `lead`.
            answer.store(number, Ordering::Release);
        }
    };
    crew.both(lead, follow);
    exchanges
}

/// Refuses two cores whose invariant counters do not tell one time, as the kernels stamp messages by them.
///
/// # Errors
///
/// If a time that was read on one core lay before one that had been read on the other.
pub fn check(crew: &mut Crew) -> Result<()> {
    const EXCHANGES: usize = 10_000;
    refuse(&exchange::<FencedBefore>(crew, EXCHANGES))
}

fn refuse(exchanges: &[Exchange]) -> Result<()> {
    let back = Skew::of(exchanges).map_or(0, |skew| skew.backwards);
    ensure!(
        back == 0,
        "the invariant counters of the two cores are not synchronised: time ran back between them in {back} of {} \
         exchanges, so no time can be taken from one core to the other",
        exchanges.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::{allowed_cores, choose_cores};

    /// Two clocks, the follower's ahead by `offset`; a question takes `there`, an answer `back`.
    fn simulated(offset: i64, there: u64, back: u64) -> Exchange {
        let asked = 1 << 40;
        let seen = (asked + there).wrapping_add_signed(offset);
        Exchange {
            asked,
            seen,
            answered: asked + there + back,
        }
    }

    #[test]
    fn an_offset_is_found_within_half_the_shortest_exchange() {
        for offset in [-1_000_000, -70, -1, 0, 1, 49, 1_000_000] {
            let exchanges = [
                simulated(offset, 500, 90),
                simulated(offset, 60, 80),
                simulated(offset, 90, 9000),
            ];
            let skew = Skew::of(&exchanges).unwrap();
            assert_eq!(skew.uncertainty, 70.0);
            assert!(
                (skew.offset - offset as f64).abs() <= skew.uncertainty,
                "{skew:?}"
            );
            assert_eq!(
                skew.offset,
                offset as f64 - 10.0,
                "the question was 10 faster than half"
            );
        }
        assert_eq!(Skew::of(&[]), None);
    }

    #[test]
    fn time_that_runs_back_shows_on_either_side() {
        let skew = Skew::of(&[simulated(-61, 60, 80), simulated(0, 60, 80)]).unwrap();
        assert_eq!((skew.backwards, skew.furthest_back), (1, 1));
        let skew = Skew::of(&[simulated(85, 60, 80), simulated(81, 60, 80)]).unwrap();
        assert_eq!((skew.backwards, skew.furthest_back), (2, 5));
        assert_eq!(
            Skew::of(&[simulated(-60, 60, 80), simulated(80, 60, 80)])
                .unwrap()
                .backwards,
            0
        );
    }

    #[test]
    fn counters_that_disagree_are_refused_with_a_reason() {
        assert!(refuse(&[simulated(5, 60, 80)]).is_ok());
        let error = refuse(&[simulated(5, 60, 80), simulated(-70, 60, 80)]).unwrap_err();
        assert!(error.to_string().contains("in 1 of 2 exchanges"), "{error}");
    }

    #[test]
    fn real_cores_exchange_what_they_read() {
        let cores = choose_cores(None, &allowed_cores().unwrap(), |_, _| false).unwrap();
        let exchanges = exchange::<FencedBefore>(&mut Crew::new(cores, false).unwrap(), 100);
        assert_eq!(exchanges.len(), 100);
        assert!(exchanges
            .iter()
            .all(|each| each.asked < each.answered && each.seen > 0));
        assert!(exchanges.windows(2).all(|pair| pair[0].seen < pair[1].seen));
    }
}
