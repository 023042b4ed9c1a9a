//! Spinning for as long as a budget and the arrivals make it worth while, then sleeping.
//!
//! A. R. Karlin, M. S. Manasse, L. A. McGeoch and S. Owicki, "Competitive randomized algorithms for nonuniform problems",
//! Algorithmica, 1994, show how long to spin when the distribution of the waits is known. `docs/adr/0018-adaptive-waiting.md` says
//! what is done here, and why.

mod account;
mod mean;
mod quantile;
#[cfg(test)]
mod tests;

use super::{Bell, Clock, Deadline, Wait};
use account::{Account, SAVED, WHOLE};
use core::hint::spin_loop;
use mean::Mean;
use quantile::Quantile;

/// Polls between two looks at the clock.
const POLLS: u64 = 32;

/// Spins in a row that may end before the first look; then one pays for a look, so that the time of a poll is known.
const UNSEEN: u32 = 1000;

/// Longer waits count as this long: 18 minutes, which leaves room for the fractions.
const LONGEST: u64 = 1 << 40;

/// Spins where that buys the median wait within a budget, and sleeps as another strategy does otherwise and afterwards.
///
/// The budget is the share of a core, in per cent, that may be spent on spinning; what the sleeps take comes on top. How long to spin
/// is learnt from the waits: the whole of almost every wait if the budget allows it, else up to the median wait, else not at all. It
/// follows a change of the arrivals within some thousand waits. No floating point, no allocation.
///
/// ```
/// use gimmal::wait::{Adaptive, Sleep};
/// use gimmal::Ring;
/// use std::time::{Duration, Instant};
///
/// let ring = Ring::<u32, 4>::new();
/// let (mut tx, mut rx) = ring.split().unwrap();
/// let start = Instant::now();
/// let clock = move || start.elapsed().as_nanos() as u64;
/// let sleep = Sleep::new(|ns| std::thread::park_timeout(Duration::from_nanos(ns)));
/// let mut adaptive = Adaptive::new(25, clock, sleep);
/// tx.push(7).unwrap();
/// assert_eq!(rx.pop_wait(&mut adaptive), Ok(7));
/// ```
#[derive(Debug, Clone)]
pub struct Adaptive<C, W> {
    clock: C,
    sleep: W,
    account: Account,
    median: Quantile,
    high: Quantile,
    /// From the start of one wait to the start of the next.
    between: Mean,
    /// What spins up to the limits for the median and for the high quantile would have cost.
    median_cost: Mean,
    high_cost: Mean,
    /// Nanoseconds between two looks at the clock while it spins, as last measured.
    look: u64,
    /// Spins that have ended since.
    unseen: u32,
    /// The last wait: when it began, and how long it took.
    last: Option<(u64, u64)>,
}

impl<C: Clock, W: Wait> Adaptive<C, W> {
    /// With a budget of so many per cent of a core; more than 100 is taken for 100, and with 0 it never spins. It sleeps as
    /// `sleep` does.
    pub const fn new(percent: u32, clock: C, sleep: W) -> Self {
        let percent = if percent as u64 > WHOLE {
            WHOLE
        } else {
            percent as u64
        };
        Self {
            clock,
            sleep,
            account: Account::new(percent),
            median: Quantile::new(500),
            high: Quantile::new(950),
            between: Mean::new(),
            median_cost: Mean::new(),
            high_cost: Mean::new(),
            look: 0,
            unseen: UNSEEN,
            last: None,
        }
    }

    /// How long a wait is worth spinning for, in nanoseconds, as far as is known now; 0 if it is not worth it.
    pub fn spin(&self) -> u64 {
        let between = self.between.scaled();
        if self.account.affords(self.high_cost.scaled(), between) {
            self.high_limit()
        } else if self.account.affords(self.median_cost.scaled(), between) {
            self.median_limit()
        } else {
            0
        }
    }

    /// Half as long again as almost all waits.
    fn high_limit(&self) -> u64 {
        self.high.estimate().map_or(0, |wait| wait + wait / 2)
    }

    /// A little longer than half of the waits.
    fn median_limit(&self) -> u64 {
        self.median.estimate().map_or(0, |wait| wait + wait / 8)
    }

    /// Takes in what some polls took.
    fn saw(&mut self, took: u64, polls: u64) {
        self.look = took.min(LONGEST) * POLLS / polls;
        self.unseen = 0;
    }

    /// Takes in the last wait, now that another begins.
    fn learn(&mut self, now: u64) {
        let Some((began, took)) = self.last.take() else {
            return;
        };
        let took = took.min(LONGEST);
        self.median.observe(took);
        self.high.observe(took);
        // Longer than is saved up: one such pause must not seem to pay for a thousand spins.
        self.between.observe(now.saturating_sub(began).min(SAVED));
        self.median_cost.observe(took.min(self.median_limit()));
        self.high_cost.observe(took.min(self.high_limit()));
    }
}

impl<C: Clock, W: Wait> Wait for Adaptive<C, W> {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        // A wait that is none teaches nothing and costs nothing.
        if let Some(found) = poll() {
            return Some(found);
        }
        let began = self.clock.now();
        self.learn(began);
        self.account.pay_in(began);
        let limit = self.spin().min(self.account.left());
        let mut spun = 0;
        while spun < limit {
            for polls in 1..=POLLS {
                if let Some(found) = poll() {
                    if self.unseen >= UNSEEN {
                        let now = self.clock.now().saturating_sub(began);
                        self.saw(now.saturating_sub(spun), polls);
                    }
                    // Else no look at the clock: the element would wait for it.
                    self.unseen += 1;
                    spun += (self.look * polls).div_ceil(POLLS);
                    self.account.take(spun);
                    self.last = Some((began, spun));
                    return Some(found);
                }
                spin_loop();
            }
            let now = self.clock.now().saturating_sub(began);
            self.saw(now.saturating_sub(spun), POLLS);
            spun = now;
            if deadline.left() == 0 {
                break;
            }
        }
        self.account.take(spun);
        let found = self.sleep.wait(bell, deadline, poll);
        self.last = Some((began, self.clock.now().saturating_sub(began)));
        found
    }

    fn declare(&mut self, bell: Bell<'_>) {
        self.sleep.declare(bell);
    }
}
