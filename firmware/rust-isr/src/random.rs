//! Random numbers.

/// Xorshift, of Marsaglia (2003).
pub struct Random(u32);

impl Random {
    /// From a seed, not 0.
    pub const fn new(seed: u32) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}
