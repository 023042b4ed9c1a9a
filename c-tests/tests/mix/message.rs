//! Messages that tell of their place and their content whether they came through whole and in order.

/// The longest element, a whole batch of them, and their alignment.
pub const BATCH: usize = 9;

/// Elements of any size, side by side.
#[repr(C, align(16))]
pub struct Elements([u8; 100 * BATCH]);

impl Elements {
    pub fn new() -> Self {
        Self([0; 100 * BATCH])
    }

    pub fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    pub fn nth(&mut self, index: usize, size: usize) -> &mut [u8] {
        &mut self.0[index * size..][..size]
    }
}

/// The messages of one producer, numbered, and a checksum over those that passed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Messages {
    /// The first message's number.
    first: u64,
    pub passed: u64,
    pub checksum: u64,
}

/// The most messages of one producer.
const EACH: u32 = 1 << 24;

impl Messages {
    /// Those of one of many producers.
    pub fn of(producer: usize) -> Self {
        Self {
            first: producer as u64 * u64::from(EACH),
            ..Self::default()
        }
    }

    /// Checks that `element` is the next message of its producer.
    pub fn check_any(of_each: &mut [Self], element: &[u8]) {
        let number = u32::from_le_bytes(element[..4].try_into().unwrap());
        of_each[(number / EACH) as usize].check(element);
    }

    /// Writes the next message over the whole of `element`.
    pub fn write(&mut self, element: &mut [u8]) {
        for (index, word) in element.chunks_exact_mut(4).enumerate() {
            word.copy_from_slice(&self.word(index).to_le_bytes());
        }
        self.pass(element);
    }

    /// Checks that `element` is the next message.
    pub fn check(&mut self, element: &[u8]) {
        for (index, word) in element.chunks_exact(4).enumerate() {
            let expected = self.word(index).to_le_bytes();
            assert_eq!(word, expected, "word {index} of message {}", self.passed);
        }
        self.pass(element);
    }

    /// The first word is the message's number.
    fn word(&self, index: usize) -> u32 {
        let scatter = (index as u32).wrapping_mul(0x9E37_79B9);
        ((self.first + self.passed) as u32).wrapping_mul(1 + 2 * index as u32) ^ scatter
    }

    fn pass(&mut self, element: &[u8]) {
        for byte in element {
            self.checksum = self.checksum.rotate_left(7) ^ u64::from(*byte);
        }
        self.passed += 1;
    }
}
