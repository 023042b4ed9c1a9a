//! Messages of any size over a ring of bytes: records of a head and a text, side by side, each written in place and published at once.
//!
//! `docs/adr/0025-feed-payloads.md` says why bytes and not slots. Every record has a number, and a message that finds no room takes one too: so
//! the receiver sees from the numbers what was dropped before each record, and neither end needs a counter that the other one reads.

mod tally;
mod ticks;

use anyhow::{bail, Result};
use gimmal::policy::Shared;
use gimmal::wait::{At, Clock, Park, Wait};
use gimmal::{ring, ReserveError, Ring, WaitError};
use serde::Serialize;
use std::mem::MaybeUninit;
use tally::Tally;
pub use ticks::Ticks;

/// How many bytes a queue's ring holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
pub enum Size {
    /// 4 KiB
    #[value(name = "4K")]
    K4,
    /// 64 KiB
    #[value(name = "64K")]
    K64,
    /// 1 MiB
    #[value(name = "1M")]
    M1,
    /// 16 MiB
    #[value(name = "16M")]
    M16,
}

/// The ring of a queue, on the heap.
enum Bytes {
    K4(Box<Ring<u8, 0x1000>>),
    K64(Box<Ring<u8, 0x1_0000>>),
    M1(Box<Ring<u8, 0x10_0000>>),
    M16(Box<Ring<u8, 0x100_0000>>),
}

/// A ring of bytes, and what its sender has counted.
pub struct Queue {
    bytes: Bytes,
    tally: Tally,
}

impl Queue {
    /// An empty queue.
    pub fn new(size: Size) -> Self {
        let bytes = match size {
            Size::K4 => Bytes::K4(heap()),
            Size::K64 => Bytes::K64(heap()),
            Size::M1 => Bytes::M1(heap()),
            Size::M16 => Bytes::M16(heap()),
        };
        Self {
            bytes,
            tally: Tally::default(),
        }
    }

    fn view(&self) -> ring::View<'_, u8, Shared> {
        match &self.bytes {
            Bytes::K4(ring) => ring.view(),
            Bytes::K64(ring) => ring.view(),
            Bytes::M1(ring) => ring.view(),
            Bytes::M16(ring) => ring.view(),
        }
    }

    /// Both ends.
    ///
    /// # Errors
    /// If an end is in use.
    pub fn split(&self) -> Result<(Sender<'_>, Receiver<'_>)> {
        let Ok((sender, receiver)) = self.view().split() else {
            bail!("an end of the queue is in use");
        };
        let sender = Sender {
            ring: sender,
            park: Park::new(),
            tally: &self.tally,
            number: 0,
            dropped: 0,
        };
        let receiver = Receiver {
            ring: receiver,
            tally: &self.tally,
            text: Vec::new(),
            expected: 0,
            consumed: 0,
            dropped: 0,
        };
        Ok((sender, receiver))
    }
}

fn heap<const N: usize>() -> Box<Ring<u8, N>> {
    let mut place: Box<MaybeUninit<Ring<u8, N>>> = Box::new_uninit();
    Ring::init(&mut place);
    // SAFETY: `init` has made the ring.
    unsafe { place.assume_init() }
}

/// What a record begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The connection over which it came, counted from 1.
    pub session: u32,
    /// How many messages were offered before it, dropped ones included.
    pub number: u64,
    /// When it was received, by the clock of the queue's users, in nanoseconds.
    pub at: u64,
}

const HEAD: usize = 24;

/// Why the rest of a record is there when its beginning is.
const WHOLE: &str = "a record is published as a whole";

impl Head {
    fn write(self, length: u32) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.session.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        bytes[16..].copy_from_slice(&self.at.to_le_bytes());
        bytes
    }

    fn read(bytes: [u8; HEAD]) -> (u32, Self) {
        let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&rest[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let head = Self {
            session: u32::from_le_bytes([e, f, g, h]),
            number: word(0),
            at: word(8),
        };
        (u32::from_le_bytes([a, b, c, d]), head)
    }
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It is in the queue.
    Sent,
    /// There was no room: it is dropped and counted.
    Dropped,
    /// The receiver wants nothing any more: it is neither sent nor counted.
    Closed,
}

/// The end that messages are put into.
pub struct Sender<'q> {
    ring: ring::Producer<'q, u8>,
    park: Park,
    tally: &'q Tally,
    number: u64,
    dropped: u64,
}

impl Sender<'_> {
    /// Puts a message in, or drops and counts it; never waits. Takes no lock and allocates nothing; it calls the kernel only to wake a
    /// receiver that sleeps.
    pub fn offer(&mut self, session: u32, at: u64, text: &[u8]) -> Offered {
        let number = self.number;
        let head = Head {
            session,
            number,
            at,
        };
        let offered = self.put(head, text);
        match offered {
            Offered::Sent => {
                self.number += 1;
                self.ring.notify(&self.park);
            }
            Offered::Dropped => {
                self.number += 1;
                self.dropped += 1;
                self.tally.tell_dropped(self.number, self.dropped);
            }
            Offered::Closed => {}
        }
        offered
    }

    fn put(&mut self, head: Head, text: &[u8]) -> Offered {
        let Ok(length) = u32::try_from(text.len()) else {
            return Offered::Dropped;
        };
        let whole = HEAD + text.len();
        let number = head.number;
        let mut grant = match self.ring.reserve(whole) {
            Ok(grant) if grant.len() == whole => grant,
            Ok(_) | Err(ReserveError::Full | ReserveError::TooLarge { .. }) => {
                return Offered::Dropped;
            }
            Err(ReserveError::Closed) => return Offered::Closed,
        };
        let (first, second) = grant.slices();
        let head = head.write(length);
        if second.is_empty() {
            let (for_head, for_text) = first.split_at_mut(HEAD);
            copy(for_head, &head);
            copy(for_text, text);
        } else {
            write(first, second, 0, &head);
            write(first, second, HEAD, text);
        }
        // Before the record is there to be taken: nobody sees more taken than produced.
        self.tally.tell_produced(number + 1);
        // SAFETY: head and text fill all of the grant.
        unsafe { grant.commit(whole) };
        Offered::Sent
    }

    /// Whether a message of so many bytes finds room in the empty ring.
    pub fn fits(&self, length: usize) -> bool {
        length.saturating_add(HEAD) <= self.ring.capacity()
    }

    /// Whether a message of so many bytes finds room now: for senders that can wait, which a socket cannot.
    pub fn has_room(&self, length: usize) -> bool {
        let (waiting, whole) = self.depth();
        length.saturating_add(HEAD) <= whole - waiting
    }

    /// Whether the receiver wants nothing any more.
    pub fn is_closed(&self) -> bool {
        self.ring.is_closed()
    }

    /// Messages offered, dropped ones included.
    pub const fn produced(&self) -> u64 {
        self.number
    }

    /// Messages dropped for want of room.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Bytes waiting in the ring, and bytes that it holds.
    fn depth(&self) -> (usize, usize) {
        (self.ring.len(), self.ring.capacity())
    }

    /// Says that nothing more comes.
    pub fn close(&mut self) {
        self.ring.close_notify(&self.park);
    }
}

/// Writes `from` at `at` of the two spans as if they were one.
fn write(first: &mut [MaybeUninit<u8>], second: &mut [MaybeUninit<u8>], at: usize, from: &[u8]) {
    let split = first.len();
    let (head, tail) = from.split_at(split.saturating_sub(at).min(from.len()));
    let start = at.min(split);
    copy(&mut first[start..start + head.len()], head);
    let start = at.saturating_sub(split);
    copy(&mut second[start..start + tail.len()], tail);
}

fn copy(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    assert_eq!(to.len(), from.len());
    // SAFETY: both slices are borrowed, so they do not overlap, and are as long as each other.
    unsafe {
        from.as_ptr()
            .copy_to_nonoverlapping(to.as_mut_ptr().cast(), from.len());
    }
}

/// The end that messages are taken from.
pub struct Receiver<'q> {
    ring: ring::Consumer<'q, u8>,
    tally: &'q Tally,
    /// Where a text is put together that lies in two spans.
    text: Vec<u8>,
    /// The number of the next record if none is dropped before it.
    expected: u64,
    consumed: u64,
    dropped: u64,
}

impl Receiver<'_> {
    /// Waits for a message as `strategy` does until `deadline`, and gives it to `visit` where it lies, with the number of those that were dropped
    /// before it.
    ///
    /// # Errors
    /// [`WaitError::TimedOut`] if none came in time, [`WaitError::Closed`] if there is none and will be none.
    pub fn receive<R>(
        &mut self,
        strategy: &mut impl Wait,
        deadline: &mut At<impl Clock>,
        visit: impl FnOnce(Head, u64, &[u8]) -> R,
    ) -> Result<R, WaitError> {
        if self.ring.is_empty() {
            let byte = self.ring.pop_wait_until(strategy, deadline)?;
            Ok(self.take(Some(byte), visit))
        } else {
            Ok(self.take(None, visit))
        }
    }

    /// Likewise without waiting; none if there is no message.
    pub fn try_receive<R>(&mut self, visit: impl FnOnce(Head, u64, &[u8]) -> R) -> Option<R> {
        (!self.ring.is_empty()).then(|| self.take(None, visit))
    }

    /// Takes the record at the front, of which the first byte may have been taken: all of it is there when that is.
    fn take<R>(&mut self, byte: Option<u8>, visit: impl FnOnce(Head, u64, &[u8]) -> R) -> R {
        let mut bytes = [0; HEAD];
        bytes[0] = byte.unwrap_or_default();
        let first = usize::from(byte.is_some());
        let rest = HEAD - first;
        let spans = self.ring.read(rest).expect(WHOLE);
        let (one, two) = spans.slices();
        bytes[first..first + one.len()].copy_from_slice(one);
        bytes[first + one.len()..].copy_from_slice(two);
        let (length, head) = Head::read(bytes);
        let missing = head.number - self.expected;
        self.expected = head.number + 1;
        self.dropped += missing;
        self.consumed += 1;
        let whole = rest + length as usize;
        let spans = self.ring.read(whole).expect(WHOLE);
        let (one, two) = spans.slices();
        let result = match one.get(rest..) {
            Some(text) if two.is_empty() => visit(head, missing, text),
            Some(text) => {
                self.text.clear();
                self.text.extend_from_slice(text);
                self.text.extend_from_slice(two);
                visit(head, missing, &self.text)
            }
            // The head lies in both spans, the text in the second.
            None => visit(head, missing, &two[rest - one.len()..]),
        };
        spans.release(whole);
        result
    }

    /// Declares how this end will sleep, so that a message costs the sender less while this end is awake.
    pub fn declare(&self, strategy: &mut impl Wait) {
        self.ring.declare(strategy);
    }

    /// Says that nothing more is wanted. What is in the queue can still be taken.
    pub fn close(&mut self) {
        self.ring.close();
    }

    /// Takes all that is in the queue without a look at it: how many messages that were. They do not count as taken.
    pub fn discard(&mut self) -> u64 {
        let before = self.consumed;
        while self.try_receive(|_, _, _| ()).is_some() {}
        let discarded = self.consumed - before;
        self.consumed = before;
        discarded
    }

    /// Messages offered and, of these, dropped so far, as the sender counts them; exact once the sender has ended.
    pub fn offered(&self) -> (u64, u64) {
        self.tally.read()
    }

    /// Messages taken.
    pub const fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Messages that were dropped before those that were taken.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Bytes waiting in the ring, and bytes that it holds.
    pub fn depth(&self) -> (usize, usize) {
        (self.ring.len(), self.ring.capacity())
    }
}

#[cfg(test)]
mod tests;
