//! `gimmal_wait_t`: how a party waits at a ring, and how it wakes the other.

use core::ffi::c_void;
use core::mem::{align_of, size_of, MaybeUninit};
use core::ptr::NonNull;

use gimmal::wait::{Adaptive, Backoff, Bell, Clock, Deadline, Sleep, Spin, Wait, Yield};
#[cfg(target_os = "linux")]
use gimmal::wait::{Notify, Park};
use static_assertions::const_assert;

use crate::status::*;

/// Polls, with the processor's hint for spinning between. A plain push is enough for it.
pub const GIMMAL_WAIT_SPIN: u32 = 1;
/// Polls less and less often.
pub const GIMMAL_WAIT_BACKOFF: u32 = 2;
/// Polls, and lets other threads run between.
pub const GIMMAL_WAIT_YIELD: u32 = 3;
/// Sleeps in the kernel (Linux). For two parties in one process.
pub const GIMMAL_WAIT_PARK: u32 = 4;
/// The same for two parties in two processes, which both use it.
pub const GIMMAL_WAIT_PARK_SHARED: u32 = 5;
/// Sleeps in a callback.
pub const GIMMAL_WAIT_CALLBACK: u32 = 6;
/// Spins as long as a budget allows and the arrivals are worth it, then sleeps.
pub const GIMMAL_WAIT_ADAPTIVE: u32 = 7;

/// A wait without end.
pub const GIMMAL_WAIT_FOREVER: u64 = u64::MAX;

/// A clock that never runs back, in nanoseconds.
pub type gimmal_clock_fn = Option<unsafe extern "C" fn(context: *mut c_void) -> u64>;
/// Sleeps until woken, or for so many nanoseconds; may return early. A wake that comes before it sleeps must end it at once.
pub type gimmal_sleep_fn = Option<unsafe extern "C" fn(context: *mut c_void, nanoseconds: u64)>;
/// Wakes whoever sleeps behind this bell, in whatever context pushes: in an interrupt handler, too, if that pushes.
pub type gimmal_wake_fn = Option<unsafe extern "C" fn(context: *mut c_void, bell: *mut u32)>;
/// Lets other threads run.
pub type gimmal_yield_fn = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// What a strategy needs; what it does not need may be zero.
#[repr(C)]
pub struct gimmal_wait_options_t {
    /// Every timed wait, and GIMMAL_WAIT_ADAPTIVE.
    pub clock: gimmal_clock_fn,
    /// GIMMAL_WAIT_CALLBACK, and GIMMAL_WAIT_ADAPTIVE where it shall not park.
    pub sleep: gimmal_sleep_fn,
    /// The other half of `sleep`.
    pub wake: gimmal_wake_fn,
    /// GIMMAL_WAIT_YIELD; NULL on Linux for the system's.
    pub yield_: gimmal_yield_fn,
    /// Handed to every callback.
    pub context: *mut c_void,
    /// GIMMAL_WAIT_ADAPTIVE: the per cent of a processor that may be spun, 1 to 100.
    pub budget: u32,
    /// GIMMAL_WAIT_BACKOFF: the most hints between two polls; 0 for the default.
    pub most: u32,
}

/// A strategy. One party uses it at a time, and for one end at a time. The first fields are for the inline header.
#[repr(C)]
pub struct gimmal_wait_t {
    /// One of the GIMMAL_WAIT constants; 0 before it is initialised.
    pub strategy: u32,
    /// Whether a sleeper's barriers reach the threads of this process.
    pub reached: u32,
    /// How it wakes.
    pub wake: gimmal_wake_fn,
    /// Handed to `wake`.
    pub context: *mut c_void,
    /// The clock of timed waits.
    pub clock: gimmal_clock_fn,
    /// Private.
    pub state: [u64; 64],
}

/// A clock of the caller's.
#[derive(Clone, Copy)]
pub(crate) struct CClock(unsafe extern "C" fn(*mut c_void) -> u64, *mut c_void);

impl Clock for CClock {
    fn now(&mut self) -> u64 {
        // SAFETY: `gimmal_wait_init` was promised a function that may be called with this context.
        unsafe { (self.0)(self.1) }
    }
}

/// A sleep of the caller's.
#[derive(Clone, Copy)]
pub(crate) struct CSleep(unsafe extern "C" fn(*mut c_void, u64), *mut c_void);

impl Wait for CSleep {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        let Self(function, context) = *self;
        // SAFETY: `gimmal_wait_init` was promised a function that may be called with this context.
        Sleep::new(|nanoseconds| unsafe { function(context, nanoseconds) })
            .wait(bell, deadline, poll)
    }
}

/// How an adaptive strategy sleeps.
pub(crate) enum Nap {
    #[cfg(target_os = "linux")]
    Park(Park),
    Callback(CSleep),
}

impl Wait for Nap {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Park(park) => park.wait(bell, deadline, poll),
            Self::Callback(sleep) => sleep.wait(bell, deadline, poll),
        }
    }

    fn declare(&mut self, bell: Bell<'_>) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Park(park) => park.declare(bell),
            Self::Callback(_) => bell.disarm(),
        }
    }
}

/// What a strategy keeps, in `state`, which has room for the largest.
#[allow(clippy::large_enum_variant, reason = "nothing is allocated here")]
pub(crate) enum State {
    Spin,
    Backoff(Backoff),
    Yield(unsafe extern "C" fn(*mut c_void), *mut c_void),
    Nap(Nap),
    Adaptive(Adaptive<CClock, Nap>),
}

impl Wait for State {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        match self {
            Self::Spin => Spin.wait(bell, deadline, poll),
            Self::Backoff(backoff) => backoff.wait(bell, deadline, poll),
            Self::Yield(function, context) => {
                let (function, context) = (*function, *context);
                // SAFETY: `gimmal_wait_init` was promised a function that may be called with this context.
                Yield::by(|| unsafe { function(context) }).wait(bell, deadline, poll)
            }
            Self::Nap(nap) => nap.wait(bell, deadline, poll),
            Self::Adaptive(adaptive) => adaptive.wait(bell, deadline, poll),
        }
    }

    fn declare(&mut self, bell: Bell<'_>) {
        match self {
            Self::Nap(nap) => nap.declare(bell),
            Self::Adaptive(adaptive) => adaptive.declare(bell),
            Self::Spin | Self::Backoff(_) | Self::Yield(..) => bell.disarm(),
        }
    }
}

const_assert!(size_of::<State>() <= 8 * 64 && align_of::<State>() <= 8);

/// How a strategy wakes who sleeps as it does.
struct Waking {
    wake: gimmal_wake_fn,
    reached: bool,
}

/// Makes a strategy. What it is to use must stay valid as long as it is used; the options may go. `options` may be NULL where a
/// strategy needs none.
///
/// GIMMAL_BAD_STRATEGY if there is none such or its budget is not 1 to 100, GIMMAL_NULL_POINTER also if it lacks a callback that it
/// needs, GIMMAL_UNSUPPORTED if it is to park and the system cannot.
///
/// # Safety
/// `wait` is NULL or writable; `options` is NULL or readable, and its callbacks may be called with its context.
#[no_mangle]
pub unsafe extern "C" fn gimmal_wait_init(
    wait: *mut gimmal_wait_t,
    strategy: u32,
    options: *const gimmal_wait_options_t,
) -> gimmal_status_t {
    let none = gimmal_wait_options_t {
        clock: None,
        sleep: None,
        wake: None,
        yield_: None,
        context: core::ptr::null_mut(),
        budget: 0,
        most: 0,
    };
    // SAFETY: the caller's word.
    let options = unsafe { options.as_ref() }.unwrap_or(&none);
    let Some(wait) = NonNull::new(wait) else {
        return GIMMAL_NULL_POINTER;
    };
    match state(strategy, options) {
        Ok((state, waking)) => {
            let mut made = gimmal_wait_t {
                strategy,
                reached: waking.reached.into(),
                wake: waking.wake,
                context: options.context,
                clock: options.clock,
                state: [0; 64],
            };
            // SAFETY: the words have room for a state and are aligned for it; the caller's word for the rest.
            unsafe {
                made.state.as_mut_ptr().cast::<State>().write(state);
                wait.write(made);
            }
            GIMMAL_OK
        }
        Err(status) => status,
    }
}

fn state(
    strategy: u32,
    options: &gimmal_wait_options_t,
) -> Result<(State, Waking), gimmal_status_t> {
    let polling = Waking {
        wake: None,
        reached: false,
    };
    Ok(match strategy {
        GIMMAL_WAIT_SPIN => (State::Spin, polling),
        GIMMAL_WAIT_BACKOFF if options.most == 0 => (State::Backoff(Backoff::default()), polling),
        GIMMAL_WAIT_BACKOFF => (State::Backoff(Backoff::new(options.most)), polling),
        GIMMAL_WAIT_YIELD => {
            let function = options.yield_.or(SYSTEM_YIELD).ok_or(GIMMAL_NULL_POINTER)?;
            (State::Yield(function, options.context), polling)
        }
        GIMMAL_WAIT_PARK | GIMMAL_WAIT_PARK_SHARED => {
            let (nap, waking) = park(strategy == GIMMAL_WAIT_PARK_SHARED)?;
            (State::Nap(nap), waking)
        }
        GIMMAL_WAIT_CALLBACK => {
            let (nap, waking) = callback(options)?;
            (State::Nap(nap), waking)
        }
        GIMMAL_WAIT_ADAPTIVE => {
            let clock = CClock(options.clock.ok_or(GIMMAL_NULL_POINTER)?, options.context);
            if !(1..=100).contains(&options.budget) {
                return Err(GIMMAL_BAD_STRATEGY);
            }
            let (nap, waking) = if options.sleep.is_some() {
                callback(options)?
            } else {
                park(false)?
            };
            (
                State::Adaptive(Adaptive::new(options.budget, clock, nap)),
                waking,
            )
        }
        _ => return Err(GIMMAL_BAD_STRATEGY),
    })
}

fn callback(options: &gimmal_wait_options_t) -> Result<(Nap, Waking), gimmal_status_t> {
    let sleep = options.sleep.ok_or(GIMMAL_NULL_POINTER)?;
    let wake = options.wake.ok_or(GIMMAL_NULL_POINTER)?;
    let waking = Waking {
        wake: Some(wake),
        reached: false,
    };
    Ok((Nap::Callback(CSleep(sleep, options.context)), waking))
}

#[cfg(target_os = "linux")]
fn park(shared: bool) -> Result<(Nap, Waking), gimmal_status_t> {
    let park = if shared { Park::shared() } else { Park::new() };
    let waking = Waking {
        wake: Some(if shared { wake_machine } else { wake_process }),
        reached: park.is_reached(),
    };
    Ok((Nap::Park(park), waking))
}

#[cfg(not(target_os = "linux"))]
fn park(_: bool) -> Result<(Nap, Waking), gimmal_status_t> {
    Err(GIMMAL_UNSUPPORTED)
}

#[cfg(target_os = "linux")]
unsafe extern "C" fn wake_process(_: *mut c_void, bell: *mut u32) {
    // SAFETY: rung bells are words of a ring, accessed atomically.
    unsafe { Park::wake_word(bell, false) };
}

#[cfg(target_os = "linux")]
unsafe extern "C" fn wake_machine(_: *mut c_void, bell: *mut u32) {
    // SAFETY: rung bells are words of a ring, accessed atomically.
    unsafe { Park::wake_word(bell, true) };
}

#[cfg(target_os = "linux")]
const SYSTEM_YIELD: gimmal_yield_fn = Some(system_yield);
#[cfg(not(target_os = "linux"))]
const SYSTEM_YIELD: gimmal_yield_fn = None;

#[cfg(target_os = "linux")]
unsafe extern "C" fn system_yield(_: *mut c_void) {
    gimmal::wait::yield_now();
}

impl gimmal_wait_t {
    /// The strategy's state.
    ///
    /// # Safety
    /// The strategy was initialised, or its first field is 0.
    pub(crate) unsafe fn state(&mut self) -> Result<&mut State, gimmal_status_t> {
        if !self.is_known() {
            return Err(GIMMAL_BAD_STRATEGY);
        }
        let state = self.state.as_mut_ptr().cast::<MaybeUninit<State>>();
        // SAFETY: `gimmal_wait_init` wrote a state there when it set the first field.
        Ok(unsafe { (*state).assume_init_mut() })
    }

    /// Waits as the strategy says.
    ///
    /// # Safety
    /// As for [`state`](Self::state).
    pub(crate) unsafe fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        timeout: u64,
        poll: impl FnMut() -> Option<R>,
    ) -> Result<Option<R>, gimmal_status_t> {
        let clock = self.clock;
        let context = self.context;
        // SAFETY: the caller's word.
        let state = unsafe { self.state() }?;
        let mut deadline = match (timeout, clock) {
            (GIMMAL_WAIT_FOREVER, _) => Until { clock: None, at: 1 },
            (0, _) => Until { clock: None, at: 0 },
            (_, None) => return Err(GIMMAL_NULL_POINTER),
            (_, Some(clock)) => {
                let mut clock = CClock(clock, context);
                let at = clock.now().saturating_add(timeout);
                Until {
                    clock: Some(clock),
                    at,
                }
            }
        };
        Ok(state.wait(bell, &mut deadline, poll))
    }

    /// Declares how the strategy sleeps.
    ///
    /// # Safety
    /// As for [`state`](Self::state).
    pub(crate) unsafe fn declare(&mut self, bell: Bell<'_>) -> Result<(), gimmal_status_t> {
        // SAFETY: the caller's word.
        unsafe { self.state() }?.declare(bell);
        Ok(())
    }

    /// Whether the strategy was initialised.
    pub(crate) fn is_known(&self) -> bool {
        (GIMMAL_WAIT_SPIN..=GIMMAL_WAIT_ADAPTIVE).contains(&self.strategy)
    }

    /// Whether it sleeps where only this process can wake it.
    #[cfg(all(feature = "shm", target_os = "linux"))]
    pub(crate) fn wakes_within_process(&self) -> bool {
        self.wake.is_some_and(|wake| {
            core::ptr::fn_addr_eq(wake, wake_process as unsafe extern "C" fn(_, _))
        })
    }

    /// Rings a bell.
    pub(crate) fn ring(&self, bell: Bell<'_>) -> Result<(), gimmal_status_t> {
        if !self.is_known() {
            return Err(GIMMAL_BAD_STRATEGY);
        }
        bell.ring(self.reached != 0, || {
            if let Some(wake) = self.wake {
                // SAFETY: `gimmal_wait_init` was promised a function that may be called with this context; the bell is a word.
                unsafe { wake(self.context, (&raw const *bell.word()).cast_mut().cast()) };
            }
        });
        Ok(())
    }
}

/// When a wait of the C API ends: without a clock never, or at once.
struct Until {
    clock: Option<CClock>,
    at: u64,
}

impl Deadline for Until {
    fn left(&mut self) -> u64 {
        match &mut self.clock {
            Some(clock) => self.at.saturating_sub(clock.now()),
            None if self.at == 0 => 0,
            None => u64::MAX,
        }
    }
}
