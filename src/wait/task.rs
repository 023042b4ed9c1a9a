//! Waiting in `async` Rust: a waker beside the ring.

use super::ends::{consumer_bell, producer_bell};
use super::{Bell, Notify};
use crate::consumer::Consumer;
use crate::error::{Closed, PushError};
use crate::producer::Producer;
use crate::raw::{self, Body};
use crate::sync::Native;
use atomic_waker::AtomicWaker;
use core::future::Future;
use core::pin::Pin;
use core::ptr::NonNull;
use core::task::{Context, Poll};

/// Where a task that waits at a ring leaves its waker, for [`push_notify`](Producer::push_notify) or
/// [`pop_notify`](Consumer::pop_notify) of the other end to find. One bell for each end that waits; it allocates nothing.
///
/// It is an [`AtomicWaker`]: the task that waits registers, anyone may wake.
///
/// ```
/// use gimmal::wait::TaskBell;
/// use gimmal::Ring;
///
/// static RING: Ring<u32, 4> = Ring::new();
/// static BELL: TaskBell = TaskBell::new();
///
/// let (mut tx, mut rx) = RING.split().unwrap();
/// let producer = std::thread::spawn(move || {
///     for number in 1..=3 {
///         tx.push_notify(number, &BELL).unwrap();
///     }
///     tx.close_notify(&BELL);
/// });
/// let sum = pollster::block_on(async {
///     let mut sum = 0;
///     while let Ok(number) = rx.pop_async(&BELL).await {
///         sum += number;
///     }
///     sum
/// });
/// assert_eq!(sum, 6);
/// producer.join().unwrap();
/// ```
#[derive(Debug, Default)]
pub struct TaskBell(AtomicWaker);

impl TaskBell {
    /// A bell at which nobody waits.
    pub const fn new() -> Self {
        Self(AtomicWaker::new())
    }
}

impl Notify for TaskBell {
    fn wake(&self, _: Bell<'_>) {
        self.0.wake();
    }
}

/// Polls, and leaves the waker behind an armed bell if there is nothing.
fn poll<R>(
    task: &TaskBell,
    bell: Bell<'_>,
    context: &mut Context<'_>,
    mut attempt: impl FnMut() -> Option<R>,
) -> Poll<R> {
    if let Some(found) = attempt() {
        // A store would take the line from the other end at every element.
        if bell.is_armed() {
            bell.disarm();
        }
        return Poll::Ready(found);
    }
    task.0.register(context.waker());
    bell.arm();
    // What was published by somebody who did not see the bell armed is seen now.
    match attempt() {
        Some(found) => {
            bell.disarm();
            Poll::Ready(found)
        }
        None => Poll::Pending,
    }
}

/// The next element; made by [`Consumer::pop_async`].
#[derive(Debug)]
#[must_use = "a future does nothing until it is polled"]
pub struct Pop<'f, 'a, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    consumer: &'f mut Consumer<'a, T, E>,
    bell: &'f TaskBell,
}

impl<T, E> Future for Pop<'_, '_, T, E>
where
    E: raw::Consumer + Unpin,
    E::Body: Body<Slot = NonNull<u8>, Atomics = Native> + Clone,
{
    type Output = Result<T, Closed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { consumer, bell } = &mut *self;
        let body = consumer.body().clone();
        poll(bell, consumer_bell(&body), context, || {
            consumer.pop_or_closed()
        })
    }
}

/// A push that waits for room; made by [`Producer::push_async`].
#[derive(Debug)]
#[must_use = "a future does nothing until it is polled"]
pub struct Push<'f, 'a, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
    producer: &'f mut Producer<'a, T, E>,
    bell: &'f TaskBell,
    value: Option<T>,
}

// The value is moved in and out, and never pinned.
impl<T, E> Unpin for Push<'_, '_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>>,
{
}

impl<T, E> Future for Push<'_, '_, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>, Atomics = Native> + Clone,
{
    type Output = Result<(), PushError<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self {
            producer,
            bell,
            value,
        } = &mut *self;
        let body = producer.body().clone();
        poll(bell, producer_bell(&body), context, || {
            match producer.push(value.take()?) {
                Err(PushError::Full(back)) => {
                    *value = Some(back);
                    None
                }
                done => Some(done),
            }
        })
    }
}

impl<'a, T, E> Consumer<'a, T, E>
where
    E: raw::Consumer,
    E::Body: Body<Slot = NonNull<u8>, Atomics = Native> + Clone,
{
    /// The next element, or [`Closed`] once the ring is closed and empty. The producer wakes the task by
    /// [`push_notify`](Producer::push_notify) with the same bell; a plain push does not, and nothing looks again by itself.
    /// Dropping the future takes nothing off the ring.
    pub fn pop_async<'f>(&'f mut self, bell: &'f TaskBell) -> Pop<'f, 'a, T, E> {
        Pop {
            consumer: self,
            bell,
        }
    }
}

impl<'a, T, E> Producer<'a, T, E>
where
    E: raw::Producer,
    E::Body: Body<Slot = NonNull<u8>, Atomics = Native> + Clone,
{
    /// Pushes `value` when there is room; [`PushError::Closed`] if the ring is closed. The consumer wakes the task by
    /// [`pop_notify`](Consumer::pop_notify) with the same bell. Dropping the future before it is done drops the value.
    pub fn push_async<'f>(&'f mut self, value: T, bell: &'f TaskBell) -> Push<'f, 'a, T, E> {
        Push {
            producer: self,
            bell,
            value: Some(value),
        }
    }
}
