//! The ends as handles of the Rust crate.

#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "every function has the contract of its field in the table"
)]

use super::end::{End, Language, State, CAPACITY, ELEMENTS};
use gimmal::{line_ring, Mpsc, PushError, ReserveError, Ring};
use gimmal_ffi::*;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

pub fn rust() -> Language {
    Language::new("Rust", &RINGS, &LINE_RINGS, &MPSCS)
}

#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Aligned([u64; 2]);

/// Writes a handle into the state.
///
/// # Safety
/// The state may be written.
unsafe fn keep<H>(state: *mut State, handle: H) -> gimmal_status_t {
    const { assert!(size_of::<H>() <= size_of::<State>() && align_of::<H>() <= align_of::<State>()) };
    state.cast::<H>().write(handle);
    GIMMAL_OK
}

fn full<T>(error: PushError<T>) -> gimmal_status_t {
    match error {
        PushError::Full(_) => GIMMAL_FULL,
        PushError::Closed(_) => GIMMAL_CLOSED,
    }
}

fn refused(error: ReserveError) -> gimmal_status_t {
    match error {
        ReserveError::Full => GIMMAL_FULL,
        ReserveError::Closed => GIMMAL_CLOSED,
        ReserveError::TooLarge { .. } => GIMMAL_TOO_LARGE,
    }
}

/// The table for one kind and element, without batches. Its functions trust what the tests pass to them. `Some` is for a kind
/// whose producers need no claim.
macro_rules! one_by_one {
    ($kind:ident, $element:ty, $ring:ty $(, $some:ident)?) => {{
        type Producer = gimmal::$kind::Producer<'static, $element>;
        type Consumer = gimmal::$kind::Consumer<'static, $element>;
        type View = gimmal::$kind::View<'static, $element>;

        unsafe fn find(memory: *mut c_void, size: usize) -> View {
            View::attach(NonNull::new(memory.cast()).unwrap(), size).unwrap()
        }
        unsafe extern "C" fn lay_out(memory: *mut c_void, size: usize) -> gimmal_status_t {
            assert!(size >= size_of::<$ring>());
            let place: &mut MaybeUninit<$ring> = &mut *memory.cast();
            <$ring>::init(place).view().publish();
            GIMMAL_OK
        }
        unsafe extern "C" fn claim_producer(
            state: *mut State,
            memory: *mut c_void,
            size: usize,
        ) -> gimmal_status_t {
            $($some)? (find(memory, size).producer())
                .map_or(GIMMAL_BUSY, |handle| keep(state, handle))
        }
        unsafe extern "C" fn push(state: *mut State, element: *const c_void) -> gimmal_status_t {
            let tx = &mut *state.cast::<Producer>();
            tx.push(element.cast::<$element>().read())
                .map_or_else(full, |()| GIMMAL_OK)
        }
        unsafe extern "C" fn release_producer(state: *mut State) {
            state.cast::<Producer>().drop_in_place();
        }
        unsafe extern "C" fn claim_consumer(
            state: *mut State,
            memory: *mut c_void,
            size: usize,
        ) -> gimmal_status_t {
            find(memory, size)
                .consumer()
                .map_or(GIMMAL_BUSY, |handle| keep(state, handle))
        }
        unsafe extern "C" fn pop(state: *mut State, element: *mut c_void) -> gimmal_status_t {
            let rx = &mut *state.cast::<Consumer>();
            rx.pop().map_or(GIMMAL_EMPTY, |oldest| {
                element.cast::<$element>().write(oldest);
                GIMMAL_OK
            })
        }
        unsafe extern "C" fn peek(state: *mut State, element: *mut c_void) -> gimmal_status_t {
            let rx = &mut *state.cast::<Consumer>();
            rx.peek().map_or(GIMMAL_EMPTY, |oldest| {
                element.cast::<$element>().write(*oldest);
                GIMMAL_OK
            })
        }
        unsafe extern "C" fn pop_n(
            state: *mut State,
            elements: *mut c_void,
            count: usize,
            popped: *mut usize,
        ) -> gimmal_status_t {
            let rx = &mut *state.cast::<Consumer>();
            match rx.pop_slice(std::slice::from_raw_parts_mut(
                elements.cast::<$element>(),
                count,
            )) {
                0 => GIMMAL_EMPTY,
                done => {
                    popped.write(done);
                    GIMMAL_OK
                }
            }
        }
        unsafe extern "C" fn release_consumer(state: *mut State) {
            state.cast::<Consumer>().drop_in_place();
        }
        End {
            element_size: size_of::<$element>(),
            element_align: align_of::<$element>(),
            lay_out,
            claim_producer,
            push,
            push_n: None,
            reserve: None,
            commit: None,
            release_producer,
            claim_consumer,
            pop,
            peek,
            pop_n,
            read: None,
            release: None,
            release_consumer,
        }
    }};
}

/// The same with batches.
macro_rules! end {
    ($kind:ident, $element:ty, $ring:ty) => {{
        type Producer = gimmal::$kind::Producer<'static, $element>;
        type Consumer = gimmal::$kind::Consumer<'static, $element>;

        unsafe extern "C" fn push_n(
            state: *mut State,
            elements: *const c_void,
            count: usize,
            pushed: *mut usize,
        ) -> gimmal_status_t {
            let tx = &mut *state.cast::<Producer>();
            match tx.push_slice(std::slice::from_raw_parts(
                elements.cast::<$element>(),
                count,
            )) {
                0 => GIMMAL_FULL,
                done => {
                    pushed.write(done);
                    GIMMAL_OK
                }
            }
        }
        unsafe extern "C" fn reserve(
            state: *mut State,
            count: usize,
            spans: *mut gimmal_spans_t,
        ) -> gimmal_status_t {
            let tx = &mut *state.cast::<Producer>();
            tx.reserve(count).map_or_else(refused, |mut grant| {
                let (first, second) = grant.slices();
                spans.write(gimmal_spans_t {
                    first: first.as_mut_ptr().cast(),
                    first_count: first.len(),
                    second: second.as_mut_ptr().cast(),
                    second_count: second.len(),
                });
                GIMMAL_OK
            })
        }
        unsafe extern "C" fn commit(state: *mut State, count: usize) -> gimmal_status_t {
            let tx = &mut *state.cast::<Producer>();
            tx.reserve(count).map_or_else(refused, |grant| {
                grant.commit(count);
                GIMMAL_OK
            })
        }
        unsafe extern "C" fn read(
            state: *mut State,
            count: usize,
            spans: *mut gimmal_spans_t,
        ) -> gimmal_status_t {
            let rx = &mut *state.cast::<Consumer>();
            rx.read(count).map_or(GIMMAL_EMPTY, |held| {
                let (first, second) = held.slices();
                spans.write(gimmal_spans_t {
                    first: first.as_ptr().cast_mut().cast(),
                    first_count: first.len(),
                    second: second.as_ptr().cast_mut().cast(),
                    second_count: second.len(),
                });
                GIMMAL_OK
            })
        }
        unsafe extern "C" fn release(state: *mut State, count: usize) -> gimmal_status_t {
            let rx = &mut *state.cast::<Consumer>();
            rx.read(count).map_or(GIMMAL_TOO_LARGE, |held| {
                held.release(count);
                GIMMAL_OK
            })
        }
        End {
            push_n: Some(push_n),
            reserve: Some(reserve),
            commit: Some(commit),
            read: Some(read),
            release: Some(release),
            ..one_by_one!($kind, $element, $ring)
        }
    }};
}

static RINGS: [End; ELEMENTS] = [
    end!(ring, [u32; 1], Ring<[u32; 1], CAPACITY>),
    end!(ring, [u64; 1], Ring<[u64; 1], CAPACITY>),
    end!(ring, Aligned, Ring<Aligned, CAPACITY>),
    end!(ring, [u64; 3], Ring<[u64; 3], CAPACITY>),
    end!(ring, [u64; 6], Ring<[u64; 6], CAPACITY>),
    end!(ring, [u64; 8], Ring<[u64; 8], CAPACITY>),
    end!(ring, [u32; 25], Ring<[u32; 25], CAPACITY>),
];

static LINE_RINGS: [End; ELEMENTS] = [
    end!(line_ring, [u32; 1], line_ring!([u32; 1], CAPACITY)),
    end!(line_ring, [u64; 1], line_ring!([u64; 1], CAPACITY)),
    end!(line_ring, Aligned, line_ring!(Aligned, CAPACITY)),
    end!(line_ring, [u64; 3], line_ring!([u64; 3], CAPACITY)),
    end!(line_ring, [u64; 6], line_ring!([u64; 6], CAPACITY)),
    end!(line_ring, [u64; 8], line_ring!([u64; 8], CAPACITY)),
    end!(line_ring, [u32; 25], line_ring!([u32; 25], CAPACITY)),
];

static MPSCS: [End; ELEMENTS] = [
    one_by_one!(mpsc, [u32; 1], Mpsc<[u32; 1], CAPACITY>, Some),
    one_by_one!(mpsc, [u64; 1], Mpsc<[u64; 1], CAPACITY>, Some),
    one_by_one!(mpsc, Aligned, Mpsc<Aligned, CAPACITY>, Some),
    one_by_one!(mpsc, [u64; 3], Mpsc<[u64; 3], CAPACITY>, Some),
    one_by_one!(mpsc, [u64; 6], Mpsc<[u64; 6], CAPACITY>, Some),
    one_by_one!(mpsc, [u64; 8], Mpsc<[u64; 8], CAPACITY>, Some),
    one_by_one!(mpsc, [u32; 25], Mpsc<[u32; 25], CAPACITY>, Some),
];
