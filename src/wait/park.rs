//! Sleeping on a futex.

use super::barrier::Scope;
use super::sleeper::{asleep, Sleeper};
use super::{Bell, Deadline, Notify, Wait};
use core::sync::atomic::AtomicU32;
use rustix::thread::futex;

/// Sleeps in the kernel at once, on the bell as a futex (Linux). One value is the strategy of the end that sleeps, another the
/// [`Notify`] of the end that wakes it.
///
/// Where the kernel can fence for both ends (`membarrier`, expedited, since Linux 4.14), a notifying push costs a load while the
/// consumer is awake, and each sleep some microseconds more. [`declare`](crate::consumer::Consumer::declare) says so to the
/// producer before the first sleep; until then, and where the kernel cannot, every notifying push fences.
///
/// ```
/// use gimmal::wait::Park;
/// use gimmal::{line_ring, LineRing};
///
/// static TICKS: line_ring!(u64, 64) = LineRing::new();
///
/// let (mut tx, mut rx) = TICKS.split().unwrap();
/// let consumer = std::thread::spawn(move || {
///     let mut park = Park::new();
///     rx.declare(&mut park);
///     let mut sum = 0;
///     while let Ok(tick) = rx.pop_wait(&mut park) {
///         sum += tick;
///     }
///     sum
/// });
/// let park = Park::new();
/// for tick in 1..=10 {
///     tx.push_notify(tick, &park).unwrap();
/// }
/// tx.close_notify(&park);
/// assert_eq!(consumer.join().unwrap(), 55);
/// ```
#[derive(Debug, Clone)]
pub struct Park {
    scope: Scope,
    /// The kernel can fence for both ends.
    has_barrier: bool,
}

impl Park {
    /// For two ends in one process.
    pub fn new() -> Self {
        Self::within(Scope::Process)
    }

    /// For two ends in two processes, which both use this. Each registers itself for the machine's barriers.
    pub fn shared() -> Self {
        Self::within(Scope::Machine)
    }

    fn within(scope: Scope) -> Self {
        Self {
            scope,
            has_barrier: scope.register(),
        }
    }

    /// Without the kernel's barriers: both ends fence. For sleeps so frequent that a fence in every push is the lesser cost.
    ///
    /// ```
    /// use gimmal::wait::Park;
    /// use gimmal::Ring;
    ///
    /// let ring = Ring::<u8, 4>::new();
    /// let (mut tx, mut rx) = ring.split()?;
    /// tx.push_notify(7, &Park::new().fenced()).unwrap();
    /// assert_eq!(rx.pop_wait(&mut Park::new().fenced()), Ok(7));
    /// # Ok::<(), gimmal::AlreadySplit>(())
    /// ```
    pub fn fenced(self) -> Self {
        Self {
            has_barrier: false,
            ..self
        }
    }

    /// Wakes whoever sleeps on this word, as [`Park::shared`] does or [`Park::new`]: for callers that keep no value.
    ///
    /// # Safety
    /// `bell` is a bell of a ring.
    #[doc(hidden)]
    pub unsafe fn wake_word(bell: *mut u32, is_shared: bool) {
        let scope = if is_shared {
            Scope::Machine
        } else {
            Scope::Process
        };
        let park = Self {
            scope,
            has_barrier: false,
        };
        // SAFETY: bells are aligned, and accessed atomically.
        park.wake(Bell::new(unsafe { AtomicU32::from_ptr(bell) }));
    }

    fn flags(&self) -> futex::Flags {
        match self.scope {
            Scope::Process => futex::Flags::PRIVATE,
            Scope::Machine => futex::Flags::empty(),
        }
    }
}

impl Default for Park {
    fn default() -> Self {
        Self::new()
    }
}

impl Sleeper for Park {
    fn arm(&mut self, bell: Bell<'_>) {
        if self.has_barrier {
            bell.arm_declared(|| self.has_barrier = self.scope.fence());
        }
        if !self.has_barrier {
            bell.arm();
        }
    }

    fn sleep(&mut self, bell: Bell<'_>, nanoseconds: u64) {
        const SECOND: u64 = 1_000_000_000;
        let limit = futex::Timespec {
            tv_sec: (nanoseconds / SECOND) as futex::Secs,
            tv_nsec: (nanoseconds % SECOND) as futex::Nsecs,
        };
        // However it ends, the caller polls: woken, timed out, interrupted, or rung before it began.
        let _ = futex::wait(
            bell.word(),
            self.flags(),
            bell.armed(self.has_barrier),
            Some(&limit),
        );
    }

    fn disarm(&mut self, bell: Bell<'_>) {
        self.declare(bell);
    }
}

impl Wait for Park {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        asleep(self, bell, deadline, poll)
    }

    fn declare(&mut self, bell: Bell<'_>) {
        if self.has_barrier {
            bell.declare();
        } else {
            bell.disarm();
        }
    }
}

/// An upper bound of the sleepers.
const ALL: u32 = i32::MAX as u32;

impl Notify for Park {
    fn wake(&self, bell: Bell<'_>) {
        // It fails only at addresses that are no futex's.
        let _ = futex::wake(bell.word(), self.flags(), ALL);
    }

    fn is_reached(&self) -> bool {
        self.has_barrier
    }
}
