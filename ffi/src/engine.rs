//! `gimmal_engine_t`: the risk pipeline of the crate `gimmal-engine`, for a caller's threads. With the feature `engine`.

use core::ffi::c_void;
use core::mem::{align_of, offset_of, size_of, MaybeUninit};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use gimmal_engine::system::{lock_memory, pin_thread, raise_thread};
use gimmal_engine::{
    made_up_events, Evaluator, Hybrid, PrepareError, RiskEvent, RiskResult, Stamped, Standard,
};
use static_assertions::{assert_eq_align, assert_eq_size, const_assert, const_assert_eq};

use crate::call::{self, not_null, status, Outcome};
use crate::line_ring::gimmal_line_ring_t;
use crate::status::*;

/// A score below 250.
pub const GIMMAL_TIER_LOW: u32 = 0;
/// A score from 250 on.
pub const GIMMAL_TIER_MEDIUM: u32 = 1;
/// A score from 500 on.
pub const GIMMAL_TIER_HIGH: u32 = 2;
/// A score from 750 on.
pub const GIMMAL_TIER_CRITICAL: u32 = 3;

/// One in a `price`. The header defines it by hand, as 64 bits.
///
/// cbindgen:ignore
pub const GIMMAL_PRICE_SCALE: i64 = 100_000_000;
/// One in a `quantity`.
///
/// cbindgen:ignore
pub const GIMMAL_QUANTITY_SCALE: i64 = 10_000;

/// Something to be scored.
#[repr(C)]
pub struct gimmal_risk_event_t {
    /// Whatever tells it from others; it comes back in the result.
    pub id: u64,
    /// When it happened, in nanoseconds of the caller's clock. Nobody here looks at it.
    pub timestamp: u64,
    /// What it is about. Nobody here looks at it.
    pub instrument: [u8; 8],
    /// The price, in units of 1 / GIMMAL_PRICE_SCALE.
    pub price: i64,
    /// How much, in units of 1 / GIMMAL_QUANTITY_SCALE.
    pub quantity: i64,
}

/// What an event scores.
#[repr(C)]
pub struct gimmal_risk_result_t {
    /// The event's.
    pub id: u64,
    /// 0 to 1000.
    pub score: i32,
    /// One of the GIMMAL_TIER constants.
    pub tier: u32,
}

/// The submitter's counts, on a cache line of their own.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_engine_submitter_t {
    /// Events that were submitted and not refused.
    pub submitted: usize,
    /// Events refused.
    pub refused: usize,
}

/// The worker's counts, on a cache line of their own.
#[repr(C)]
#[cfg_attr(gimmal_line = "128", repr(align(128)))]
#[cfg_attr(gimmal_line = "64", repr(align(64)))]
pub struct gimmal_engine_worker_t {
    /// Events that were evaluated.
    pub evaluated: usize,
    /// Zero.
    pub reserved: usize,
}

/// A pipeline from event to risk score, by the standard rules: one thread, the producer, submits; another, the consumer, evaluates and
/// gets the results in a handler. The events' ring follows in memory. Read the counts by gimmal_engine_counters().
#[repr(C)]
pub struct gimmal_engine_t {
    /// The submitter's.
    pub submitter: gimmal_engine_submitter_t,
    /// The worker's.
    pub worker: gimmal_engine_worker_t,
}

/// What happened so far. Each number is exact, but they are read one after the other; all wrap.
#[repr(C)]
pub struct gimmal_engine_counters_t {
    /// Events that were submitted and not refused.
    pub submitted: usize,
    /// Events refused, because the ring was full or the engine stopped.
    pub refused: usize,
    /// Events that were evaluated.
    pub evaluated: usize,
}

/// Gets each event with what it scores and with the moment that was submitted with it. The pointers are valid until it returns. It must not
/// throw, nor leave by longjmp.
pub type gimmal_risk_handler_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        event: *const gimmal_risk_event_t,
        enqueued: u64,
        result: *const gimmal_risk_result_t,
    ),
>;

assert_eq_size!(gimmal_risk_event_t, RiskEvent);
assert_eq_align!(gimmal_risk_event_t, RiskEvent);
const_assert_eq!(
    offset_of!(gimmal_risk_event_t, price),
    offset_of!(RiskEvent, price)
);
const_assert_eq!(
    offset_of!(gimmal_risk_event_t, quantity),
    offset_of!(RiskEvent, quantity)
);
assert_eq_size!(gimmal_risk_result_t, RiskResult);
assert_eq_align!(gimmal_risk_result_t, RiskResult);
const_assert_eq!(
    offset_of!(gimmal_risk_result_t, tier),
    offset_of!(RiskResult, tier)
);
const_assert!(gimmal_engine::Price::SCALE == GIMMAL_PRICE_SCALE);
const_assert!(gimmal_engine::Quantity::SCALE == GIMMAL_QUANTITY_SCALE);

/// The ring behind an engine's counts.
///
/// # Safety
/// `engine` is an engine.
#[inline(always)]
unsafe fn ring(engine: NonNull<gimmal_engine_t>) -> *mut gimmal_line_ring_t {
    // SAFETY: the ring follows in the same memory.
    unsafe { engine.add(1).cast().as_ptr() }
}

/// A count, which orders nothing.
///
/// # Safety
/// `count` points to a count of an engine that outlives `'a`.
#[inline(always)]
unsafe fn count<'a>(count: *mut usize) -> &'a AtomicUsize {
    // SAFETY: the caller's word; everybody accesses it through this.
    unsafe { AtomicUsize::from_ptr(count) }
}

/// # Safety
/// As for `count`, and nobody else adds to it.
#[inline(always)]
unsafe fn add_one(to: *mut usize) {
    // SAFETY: the caller's word.
    let to = unsafe { count(to) };
    to.store(
        to.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

fn prepared(outcome: Result<(), PrepareError>) -> Outcome {
    match outcome {
        Ok(()) => Ok(()),
        Err(PrepareError { code: Some(_), .. }) => Err(GIMMAL_NOT_ALLOWED.into()),
        Err(PrepareError { code: None, .. }) => Err(GIMMAL_UNSUPPORTED.into()),
    }
}

/// Tells the size and alignment of the storage for an engine whose ring holds `capacity` events at least.
///
/// GIMMAL_BAD_CAPACITY or GIMMAL_OVERFLOW if there can be no such engine.
///
/// # Safety
/// `size` and `align` are NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_layout(
    capacity: usize,
    size: *mut usize,
    align: *mut usize,
) -> gimmal_status_t {
    status((|| {
        let (size, align) = (not_null(size)?, not_null(align)?);
        let (of_ring, align_of_ring) = ring_layout(capacity)?;
        let whole = of_ring
            .checked_add(size_of::<gimmal_engine_t>())
            .ok_or(GIMMAL_OVERFLOW)?;
        // SAFETY: the caller's word; neither is NULL.
        unsafe {
            size.write(whole);
            align.write(align_of_ring.max(align_of::<gimmal_engine_t>()));
        }
        Ok(())
    })())
}

fn ring_layout(capacity: usize) -> Result<(usize, usize), call::Refusal> {
    let (mut size, mut align) = (0, 0);
    // SAFETY: both are writable.
    unsafe {
        call::layout::<gimmal_line_ring_t>(
            size_of::<Stamped>(),
            align_of::<Stamped>(),
            capacity,
            &mut size,
            &mut align,
        )?;
    }
    Ok((size, align))
}

/// Lays out an engine in `storage`, whatever that held, and gives its address: `storage`.
///
/// The errors of gimmal_engine_layout(), and GIMMAL_MISALIGNED or GIMMAL_TOO_SMALL for storage that does not answer to it.
///
/// # Safety
/// `storage` is NULL or `storage_size` writable bytes that nobody else uses; `engine` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_init(
    storage: *mut c_void,
    storage_size: usize,
    capacity: usize,
    engine: *mut *mut gimmal_engine_t,
) -> gimmal_status_t {
    status((|| {
        let storage = not_null(storage)?.cast::<gimmal_engine_t>();
        let engine = not_null(engine)?;
        ring_layout(capacity)?;
        if storage.addr().get() % align_of::<gimmal_engine_t>() != 0 {
            return Err(GIMMAL_MISALIGNED.into());
        }
        let Some(for_ring) = storage_size.checked_sub(size_of::<gimmal_engine_t>()) else {
            return Err(GIMMAL_TOO_SMALL.into());
        };
        let mut placed: *mut gimmal_line_ring_t = core::ptr::null_mut();
        // SAFETY: the storage is the caller's, large enough for the counts, and what follows for the ring or refused.
        unsafe {
            call::init(
                ring(storage).cast(),
                for_ring,
                size_of::<Stamped>(),
                align_of::<Stamped>(),
                capacity,
                &mut placed,
            )?;
            storage.write_bytes(0, 1);
            engine.write(storage.as_ptr());
        }
        Ok(())
    })())
}

/// Producer. Submits an event, with the moment at which that is by any clock that the handler understands. What is submitted is
/// evaluated. Wait-free.
///
/// GIMMAL_FULL or GIMMAL_CLOSED if it is refused, which is counted.
///
/// # Safety
/// `engine` is NULL or an engine whose producer is the caller; `event` is NULL or an event.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_submit(
    engine: *mut gimmal_engine_t,
    event: *const gimmal_risk_event_t,
    enqueued: u64,
) -> gimmal_status_t {
    status((|| {
        let engine = not_null(engine)?;
        let event = not_null(event.cast_mut())?.cast::<RiskEvent>();
        // SAFETY: the caller's word. An event in C is one in Rust, by the assertions above, whatever its bits.
        unsafe {
            let stamped = Stamped {
                event: event.read(),
                enqueued,
            };
            let outcome = call::push(ring(engine), (&raw const stamped).cast());
            let submitter = &raw mut (*engine.as_ptr()).submitter;
            match status(outcome) {
                GIMMAL_OK => add_one(&raw mut (*submitter).submitted),
                GIMMAL_FULL | GIMMAL_CLOSED => add_one(&raw mut (*submitter).refused),
                _ => {}
            }
            outcome
        }
    })())
}

/// Producer. Stops the engine, for good: later events are refused, and what was submitted is still evaluated. Where another thread is
/// to stop it, that tells the producer's.
///
/// # Safety
/// `engine` is NULL or an engine whose producer is the caller.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_stop(engine: *mut gimmal_engine_t) -> gimmal_status_t {
    // SAFETY: the caller's word.
    status((|| unsafe { call::close(ring(not_null(engine)?)) })())
}

/// Evaluates the oldest event. Tells that there is none, or that none comes any more.
///
/// # Safety
/// `engine` is an engine whose consumer is the caller; the handler may be called with this context.
#[inline]
unsafe fn step(
    engine: NonNull<gimmal_engine_t>,
    handler: gimmal_risk_handler_fn,
    context: *mut c_void,
) -> Outcome {
    let handler = handler.ok_or(GIMMAL_NULL_POINTER)?;
    let mut stamped = MaybeUninit::<Stamped>::uninit();
    // SAFETY: the caller's word; what was popped is an event that the producer pushed.
    unsafe {
        if let Err(refused) = call::pop(ring(engine), stamped.as_mut_ptr().cast()) {
            let mut is_closed = false;
            call::is_closed(ring(engine), &mut is_closed)?;
            if !is_closed || status(Err(refused)) != GIMMAL_EMPTY {
                return Err(refused);
            }
            // Closed, and only then found empty: nothing is left.
            if let Err(refused) = call::pop(ring(engine), stamped.as_mut_ptr().cast()) {
                return Err(match status(Err(refused)) {
                    GIMMAL_EMPTY => GIMMAL_CLOSED.into(),
                    _ => refused,
                });
            }
        }
        let stamped = stamped.assume_init_ref();
        let result = <Hybrid as Evaluator<Standard>>::evaluate(&stamped.event);
        add_one(&raw mut (*engine.as_ptr()).worker.evaluated);
        handler(
            context,
            (&raw const stamped.event).cast(),
            stamped.enqueued,
            (&raw const result).cast(),
        );
    }
    Ok(())
}

/// Consumer. Evaluates the oldest event, and hands it to the handler.
///
/// GIMMAL_EMPTY if there is none; GIMMAL_CLOSED if the engine was stopped and everything is evaluated.
///
/// # Safety
/// `engine` is NULL or an engine whose consumer is the caller; `handler` is NULL or may be called with `context`.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_step(
    engine: *mut gimmal_engine_t,
    handler: gimmal_risk_handler_fn,
    context: *mut c_void,
) -> gimmal_status_t {
    // SAFETY: the caller's word.
    status((|| unsafe { step(not_null(engine)?, handler, context) })())
}

/// Consumer. Evaluates events until the engine was stopped and everything is evaluated, and polls without a break while there is none.
///
/// # Safety
/// As for gimmal_engine_step().
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_run(
    engine: *mut gimmal_engine_t,
    handler: gimmal_risk_handler_fn,
    context: *mut c_void,
) -> gimmal_status_t {
    loop {
        // SAFETY: the caller's word.
        match unsafe { gimmal_engine_step(engine, handler, context) } {
            GIMMAL_OK => {}
            GIMMAL_EMPTY => core::hint::spin_loop(),
            GIMMAL_CLOSED => return GIMMAL_OK,
            refused => return refused,
        }
    }
}

/// Anyone. Tells what happened so far.
///
/// # Safety
/// `engine` is NULL or an engine; `counters` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_counters(
    engine: *mut gimmal_engine_t,
    counters: *mut gimmal_engine_counters_t,
) -> gimmal_status_t {
    status((|| {
        let (engine, counters) = (not_null(engine)?.as_ptr(), not_null(counters)?);
        // SAFETY: the caller's word.
        unsafe {
            let read = |of| count(of).load(Ordering::Relaxed);
            counters.write(gimmal_engine_counters_t {
                submitted: read(&raw mut (*engine).submitter.submitted),
                refused: read(&raw mut (*engine).submitter.refused),
                evaluated: read(&raw mut (*engine).worker.evaluated),
            });
        }
        Ok(())
    })())
}

/// Scores an event by the standard rules.
///
/// # Safety
/// `event` is NULL or an event; `result` is NULL or writable.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_evaluate(
    event: *const gimmal_risk_event_t,
    result: *mut gimmal_risk_result_t,
) -> gimmal_status_t {
    status((|| {
        let event = not_null(event.cast_mut())?.cast::<RiskEvent>();
        let result = not_null(result)?.cast::<RiskResult>();
        // SAFETY: the caller's word; both are the same in Rust, by the assertions above.
        unsafe { result.write(<Hybrid as Evaluator<Standard>>::evaluate(event.as_ref())) };
        Ok(())
    })())
}

/// Before the engine is used, on the thread that becomes the consumer. Passes through the whole ring once, so that no event waits for its
/// memory, and evaluates so many made-up events, of which neither the handler nor the counts learn. 10,000 are enough.
///
/// GIMMAL_CLOSED if the engine was stopped.
///
/// # Safety
/// `engine` is NULL or an engine that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_warm_up(
    engine: *mut gimmal_engine_t,
    events: usize,
) -> gimmal_status_t {
    status((|| {
        let engine = not_null(engine)?;
        let mut stamped = Stamped::default();
        // SAFETY: the caller is both ends; what is pushed and popped are events.
        unsafe {
            while call::push(ring(engine), (&raw const stamped).cast()).is_ok() {}
            while call::pop(ring(engine), (&raw mut stamped).cast()).is_ok() {}
            for event in made_up_events().take(events) {
                stamped.event = event;
                call::push(ring(engine), (&raw const stamped).cast())?;
                call::pop(ring(engine), (&raw mut stamped).cast())?;
                let result = <Hybrid as Evaluator<Standard>>::evaluate(&stamped.event);
                core::hint::black_box(result);
            }
        }
        Ok(())
    })())
}

/// Keeps the engine's `size` bytes from being paged out (Linux).
///
/// GIMMAL_NOT_ALLOWED if that is more than this process may lock; GIMMAL_UNSUPPORTED elsewhere.
///
/// # Safety
/// `engine` is NULL or an engine in `size` bytes of storage.
#[no_mangle]
pub unsafe extern "C" fn gimmal_engine_lock_memory(
    engine: *mut gimmal_engine_t,
    size: usize,
) -> gimmal_status_t {
    status((|| {
        let memory = NonNull::slice_from_raw_parts(
            not_null(engine)?.cast::<AtomicUsize>(),
            size / size_of::<usize>(),
        );
        // SAFETY: the storage is that long, and whatever others do in it is atomic or not seen from here.
        prepared(lock_memory(unsafe { memory.as_ref() }))
    })())
}

/// Keeps the calling thread on a core (Linux).
///
/// GIMMAL_NOT_ALLOWED if this process may not use it; GIMMAL_UNSUPPORTED elsewhere.
#[no_mangle]
pub extern "C" fn gimmal_engine_pin_thread(core: usize) -> gimmal_status_t {
    status(prepared(pin_thread(core)))
}

/// Runs the calling thread before all ordinary ones, by SCHED_FIFO with this priority, 1 to 99 (Linux).
///
/// GIMMAL_NOT_ALLOWED if this process may not, or there is no such priority; GIMMAL_UNSUPPORTED elsewhere.
#[no_mangle]
pub extern "C" fn gimmal_engine_raise_thread(priority: u8) -> gimmal_status_t {
    status(prepared(raise_thread(priority)))
}
