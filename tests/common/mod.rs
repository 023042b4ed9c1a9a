//! What the tests of several suites share.
#![allow(dead_code, missing_docs)]

use std::cell::RefCell;
use std::rc::Rc;

/// A message that shows a tear: every word follows from the sequence number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Message<const WORDS: usize>(pub [u64; WORDS]);

impl<const WORDS: usize> Message<WORDS> {
    pub fn new(sequence: u64) -> Self {
        let mut words = [0; WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            *word = sequence
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(at as u32)
                ^ at as u64;
        }
        words[0] = sequence;
        Self(words)
    }

    /// Panics unless this is message `sequence`, whole.
    #[track_caller]
    pub fn check(&self, sequence: u64) {
        assert_eq!(*self, Self::new(sequence));
    }
}

/// Counts its own drops in the log that it was made with.
#[derive(Debug, Clone)]
pub struct Dropped {
    pub id: usize,
    log: Rc<RefCell<Vec<usize>>>,
    panics: bool,
}

/// Which ids were dropped, in order.
#[derive(Debug, Clone, Default)]
pub struct DropLog(Rc<RefCell<Vec<usize>>>);

impl DropLog {
    pub fn value(&self, id: usize) -> Dropped {
        Dropped {
            id,
            log: Rc::clone(&self.0),
            panics: false,
        }
    }

    pub fn panicking(&self, id: usize) -> Dropped {
        let mut value = self.value(id);
        value.panics = true;
        value
    }

    pub fn take(&self) -> Vec<usize> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        self.log.borrow_mut().push(self.id);
        assert!(!self.panics, "a drop that panics");
    }
}
