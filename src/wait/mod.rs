//! Waiting: what a consumer does while the ring is empty, and a producer while it is full.
//!
//! The rings themselves never wait. A *strategy* ([`Wait`]) is passed to [`pop_wait`](crate::consumer::Consumer::pop_wait) or
//! [`push_wait`](crate::producer::Producer::push_wait), and the other end wakes the sleeper through a [`Notify`]:
//!
//! | strategy | while it waits | needs | woken by |
//! |---|---|---|---|
//! | [`Spin`] | polls | a core of its own | a plain push |
//! | [`Backoff`] | polls, less and less often | a core of its own | a plain push |
//! | [`Yield`] | lets other threads run between polls | a scheduler | a plain push |
//! | `Park` | sleeps in the kernel | Linux, feature `linux` | `Park` |
//! | [`Sleep`] | sleeps in a callback of yours | an RTOS primitive, an interrupt | [`Wake`] |
//! | `pop_async` | leaves the task's waker | an executor | [`TaskBell`] |
//! | [`Adaptive`] | spins as long as a budget allows and the arrivals are worth it, then sleeps as another | a clock, another strategy | what wakes that |
//!
//! A plain `push` never wakes anybody: `push_notify` does, for the price of one load while nobody sleeps. A sleeper looks
//! again at least every 100 ms all the same, so that a writer that dies between the push and the bell delays a message, and
//! loses none.
//!
//! ```
//! use gimmal::wait::Spin;
//! use gimmal::{line_ring, LineRing};
//!
//! static TICKS: line_ring!(u64, 64) = LineRing::new();
//!
//! let (mut tx, mut rx) = TICKS.split().unwrap();
//! let producer = std::thread::spawn(move || {
//!     for tick in 0..1000 {
//!         tx.push_wait(tick, &mut Spin).unwrap();
//!     }
//!     tx.close();
//! });
//! let mut sum = 0;
//! while let Ok(tick) = rx.pop_wait(&mut Spin) {
//!     sum += tick;
//! }
//! assert_eq!(sum, 499_500);
//! producer.join().unwrap();
//! ```

mod adaptive;
mod backoff;
#[cfg(all(feature = "linux", target_os = "linux"))]
mod barrier;
mod bell;
mod callback;
mod deadline;
mod ends;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
mod many;
#[cfg(all(feature = "linux", target_os = "linux"))]
mod park;
#[doc(hidden)]
pub mod sleeper;
mod spin;
#[cfg(target_has_atomic = "ptr")]
mod task;
mod yielding;

pub use adaptive::Adaptive;
pub use backoff::Backoff;
pub use bell::Bell;
pub use callback::{Sleep, Wake};
pub use deadline::{At, Clock, Deadline, Never};
#[cfg(all(feature = "linux", target_os = "linux"))]
pub use park::Park;
#[cfg(all(feature = "linux", target_os = "linux"))]
#[doc(hidden)]
pub use rustix::thread::sched_yield as yield_now;
pub use spin::Spin;
#[cfg(target_has_atomic = "ptr")]
pub use task::{Pop, Push, TaskBell};
pub use yielding::Yield;

/// The longest sleep before a waiter looks again, in nanoseconds: a writer may die before it rings the bell.
pub const LONGEST_SLEEP: u64 = 100_000_000;

/// How an end waits for the other one.
///
/// A strategy belongs to one end at a time and may keep what it learns from one wait to the next.
pub trait Wait {
    /// Calls `poll` until that gives something, and returns it; `None` if the deadline passed first. Between the calls it does
    /// whatever the strategy does, asleep behind `bell` for instance. Polls once at least.
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R>;

    /// Tells those who ring `bell`, before the first sleep, how this strategy sleeps: their rings cost less from then on.
    fn declare(&mut self, bell: Bell<'_>) {
        let _ = bell;
    }
}

/// How an end wakes the other one. Shared by reference: a producer may keep one for all its rings.
pub trait Notify {
    /// Wakes whoever sleeps behind `bell`, which has been disarmed. Called after the sleeper armed the bell, perhaps before it
    /// sleeps: the wake must not be lost then.
    fn wake(&self, bell: Bell<'_>);

    /// Whether the barriers by which a sleeper orders this process's accesses reach it. If not, every ring fences.
    fn is_reached(&self) -> bool {
        false
    }
}
