//! A turn at an end: some messages, one after another, through whichever functions.

use super::end::Held;
use super::message::{Elements, Messages, BATCH};
use gimmal_ffi::{gimmal_spans_t, gimmal_status_t, GIMMAL_EMPTY, GIMMAL_FULL, GIMMAL_OK};
use std::ptr::null_mut;
use std::slice;

/// Through which functions messages pass.
#[derive(Debug, Clone, Copy)]
pub enum How {
    OneByOne,
    InBatches,
    InPlace,
}

pub const HOWS: [How; 3] = [How::OneByOne, How::InBatches, How::InPlace];

const NO_SPANS: gimmal_spans_t = gimmal_spans_t {
    first: null_mut(),
    first_count: 0,
    second: null_mut(),
    second_count: 0,
};

impl How {
    /// This way, if the end has it.
    fn within(self, in_batches: bool, in_place: bool) -> Self {
        match self {
            Self::InBatches if !in_batches => Self::OneByOne,
            Self::InPlace if !in_place => Self::OneByOne,
            how => how,
        }
    }
}

/// Pushes up to `most` messages until the ring is full, and tells how many went in.
pub fn push(tx: &mut Held, how: How, most: usize, messages: &mut Messages) -> usize {
    let size = tx.end.element_size;
    let how = how.within(tx.end.push_n.is_some(), tx.end.reserve.is_some());
    let mut done = 0;
    while done < most {
        let batch = (most - done).min(BATCH);
        let mut buffer = Elements::new();
        let mut next = messages.clone();
        let (status, count) = match how {
            How::OneByOne => {
                next.write(buffer.nth(0, size));
                // SAFETY: the end is held, and the buffer holds an element.
                let status = unsafe { (tx.end.push)(tx.state(), buffer.as_ptr().cast()) };
                (status, 1)
            }
            How::InBatches => {
                for index in 0..batch {
                    next.write(buffer.nth(index, size));
                }
                let mut pushed = 0;
                // SAFETY: the end is held, and the buffer holds the batch.
                let status = unsafe {
                    (tx.end.push_n.unwrap())(tx.state(), buffer.as_ptr().cast(), batch, &mut pushed)
                };
                (status, pushed)
            }
            How::InPlace => {
                let mut spans = NO_SPANS;
                // SAFETY: the end is held.
                let status = unsafe { (tx.end.reserve.unwrap())(tx.state(), batch, &mut spans) };
                if status == GIMMAL_OK {
                    for element in elements(&spans, size) {
                        // SAFETY: the element lies in the room that was reserved.
                        next.write(unsafe { slice::from_raw_parts_mut(element, size) });
                    }
                    let count = spans.first_count + spans.second_count;
                    // SAFETY: the end is held, and the room was filled.
                    let committed = unsafe { (tx.end.commit.unwrap())(tx.state(), count) };
                    assert_eq!(committed, GIMMAL_OK);
                }
                (status, spans.first_count + spans.second_count)
            }
        };
        if !passed(status, GIMMAL_FULL) {
            break;
        }
        done += count;
        // A batch may have gone in only in part.
        next = messages.clone();
        for _ in 0..count {
            next.write(buffer.nth(0, size));
        }
        *messages = next;
    }
    done
}

/// Pops up to `most` messages until the ring is empty, checks them, and tells how many there were.
///
/// There are messages of as many producers as `messages`.
pub fn pop(rx: &mut Held, how: How, most: usize, messages: &mut [Messages]) -> usize {
    let size = rx.end.element_size;
    let how = how.within(true, rx.end.read.is_some());
    let mut done = 0;
    while done < most {
        let batch = (most - done).min(BATCH);
        let mut buffer = Elements::new();
        let (status, count) = match how {
            How::OneByOne => {
                let mut peeked = Elements::new();
                // SAFETY: the end is held, and the buffers have room for an element.
                unsafe {
                    let before = (rx.end.peek)(rx.state(), peeked.as_mut_ptr().cast());
                    let status = (rx.end.pop)(rx.state(), buffer.as_mut_ptr().cast());
                    if before == GIMMAL_OK {
                        assert_eq!(status, GIMMAL_OK, "what was peeked at can be popped");
                        assert_eq!(peeked.nth(0, size), buffer.nth(0, size));
                    }
                    (status, 1)
                }
            }
            How::InBatches => {
                let mut popped = 0;
                // SAFETY: the end is held, and the buffer has room for the batch.
                let status = unsafe {
                    (rx.end.pop_n)(rx.state(), buffer.as_mut_ptr().cast(), batch, &mut popped)
                };
                (status, popped)
            }
            How::InPlace => {
                let mut spans = NO_SPANS;
                // SAFETY: the end is held.
                let status = unsafe { (rx.end.read.unwrap())(rx.state(), batch, &mut spans) };
                let count = spans.first_count + spans.second_count;
                for (index, element) in elements(&spans, size).enumerate() {
                    // SAFETY: the element lies in the run that was read.
                    let element = unsafe { slice::from_raw_parts(element, size) };
                    buffer.nth(index, size).copy_from_slice(element);
                }
                if status == GIMMAL_OK {
                    // SAFETY: the end is held, and the elements are used no more.
                    let released = unsafe { (rx.end.release.unwrap())(rx.state(), count) };
                    assert_eq!(released, GIMMAL_OK);
                }
                (status, count)
            }
        };
        if !passed(status, GIMMAL_EMPTY) {
            break;
        }
        for index in 0..count {
            Messages::check_any(messages, buffer.nth(index, size));
        }
        done += count;
    }
    done
}

fn passed(status: gimmal_status_t, refusal: gimmal_status_t) -> bool {
    assert!(status == GIMMAL_OK || status == refusal, "status {status}");
    status == GIMMAL_OK
}

fn elements(spans: &gimmal_spans_t, size: usize) -> impl Iterator<Item = *mut u8> {
    let [first, second] = [
        (spans.first.cast::<u8>(), spans.first_count),
        (spans.second.cast::<u8>(), spans.second_count),
    ];
    let run = move |(start, count): (*mut u8, usize)| {
        (0..count).map(move |index| start.wrapping_add(index * size))
    };
    run(first).chain(run(second))
}
