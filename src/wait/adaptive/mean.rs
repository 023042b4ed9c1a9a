//! An exponentially weighted mean.

/// Fraction bits of a mean.
const FRACTION: u32 = 16;

/// How many of the latest values count.
const HORIZON: i64 = 4096;

/// The mean of a stream of nanoseconds: of all values in the beginning, and weighted towards the latest ones later.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mean {
    /// With fraction bits.
    mean: i64,
    count: i64,
}

impl Mean {
    /// The mean of nothing.
    pub(super) const fn new() -> Self {
        Self { mean: 0, count: 0 }
    }

    /// Takes in a value, of 2^40 at most.
    pub(super) fn observe(&mut self, value: u64) {
        self.count = (self.count + 1).min(HORIZON);
        let off = ((value as i64) << FRACTION) - self.mean;
        self.mean += off.checked_div(self.count).unwrap_or(0);
    }

    /// The mean, with 16 fraction bits.
    pub(super) fn scaled(&self) -> u64 {
        self.mean.max(0) as u64
    }
}
