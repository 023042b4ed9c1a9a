//! What passes through the queues; the twin of `cxx/message.hpp`.

/// Every word holds the sequence number. The first and the last are looked at on arrival: cheap, and on a message over
/// two lines it touches both.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Message<const WORDS: usize>([u64; WORDS]);

/// 8 bytes.
pub type Small = Message<1>;
/// 48 bytes.
pub type Medium = Message<6>;
/// 256 bytes.
pub type Large = Message<32>;

impl<const WORDS: usize> Message<WORDS> {
    /// Message number `sequence`.
    #[inline(always)]
    pub const fn new(sequence: u64) -> Self {
        Self([sequence; WORDS])
    }

    /// Its number.
    #[inline(always)]
    pub const fn sequence(&self) -> u64 {
        self.0[0]
    }

    /// Zero if this is message number `sequence`.
    #[inline(always)]
    pub const fn differs(&self, sequence: u64) -> u64 {
        (self.0[0] ^ sequence) | (self.0[WORDS - 1] ^ sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_first_or_last_word_shows() {
        let right = Medium::new(7);
        assert_eq!(right.differs(7), 0);
        assert_ne!(right.differs(8), 0);
        for word in [0, 5] {
            let mut wrong = right;
            wrong.0[word] ^= 4;
            assert_eq!(wrong.differs(7), 4);
        }
    }
}
