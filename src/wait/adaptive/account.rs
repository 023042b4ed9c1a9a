//! The budget: what may still be spent on spinning.

/// The longest time whose share is saved up, in nanoseconds.
pub(super) const SAVED: u64 = 50_000_000;

/// The whole, of which a budget is so many hundredths.
pub(super) const WHOLE: u64 = 100;

/// An account into which every nanosecond that passes pays some hundredths, and from which every nanosecond spun takes a hundred.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account {
    percent: i64,
    /// In hundredths of a nanosecond; below 0 if a spin took longer than it might.
    credit: i64,
    /// When it was last paid into.
    paid: u64,
}

impl Account {
    /// A full account with this budget.
    pub(super) const fn new(percent: u64) -> Self {
        let percent = percent as i64;
        Self {
            percent,
            credit: SAVED as i64 * percent,
            paid: 0,
        }
    }

    /// Pays in for the time that has passed.
    pub(super) fn pay_in(&mut self, now: u64) {
        let passed = now.saturating_sub(self.paid).min(SAVED) as i64;
        self.paid = now;
        self.credit = (self.credit + passed * self.percent).min(self.most());
    }

    /// The nanoseconds that may be spun.
    pub(super) fn left(&self) -> u64 {
        self.credit.max(0) as u64 / WHOLE
    }

    /// Takes out for a spin. It may have taken longer than what was left: that is owed, up to as much as can be saved. Only a thread that was
    /// off its core owes more, and it did not spend that.
    pub(super) fn take(&mut self, spun: u64) {
        let cost = i64::try_from(spun.saturating_mul(WHOLE)).unwrap_or(i64::MAX);
        self.credit = self.credit.saturating_sub(cost).max(-self.most());
    }

    fn most(&self) -> i64 {
        SAVED as i64 * self.percent
    }

    /// Whether a mean cost is within the budget of a mean time; both in the same unit, with at most 56 bits.
    pub(super) fn affords(&self, cost: u64, time: u64) -> bool {
        cost.saturating_mul(WHOLE) <= time.saturating_mul(self.percent as u64)
    }
}
