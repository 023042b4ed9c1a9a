//! Push and pop in Rust, each an `extern "C"` function of its own: of gimmal's rings, and of heapless' queue.
//!
//! A push takes its end and the value, or for 16 bytes the value's address; a pop its end and where the value goes. Both tell
//! whether they did it. `…_ends_…` makes both ends, once, and tells what the queue takes in memory beside its elements.

#![no_std]

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::mem::{size_of, MaybeUninit};
use core::panic::PanicInfo;
use gimmal::policy::{Bare, Shared};
use gimmal::raw::{FixedSlots, Slots};
use gimmal::view::{ConsumerOf, ProducerOf};
use gimmal::Ring;

const CAPACITY: usize = 64;

/// Both ends of a queue, made once and then used through their addresses only.
struct Ends<T, R>(UnsafeCell<MaybeUninit<(T, R)>>);

// SAFETY: the program has one thread.
unsafe impl<T, R> Sync for Ends<T, R> {}

impl<T, R> Ends<T, R> {
    const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// # Safety
    /// Called once, with room for two addresses at `ends`.
    unsafe fn fill(&'static self, made: (T, R), ends: *mut [*mut c_void; 2]) {
        // SAFETY: the caller's word; nobody else has an address into it.
        unsafe {
            let (tx, rx) = (*self.0.get()).write(made);
            *ends = [(&raw mut *tx).cast(), (&raw mut *rx).cast()];
        }
    }
}

macro_rules! functions {
    ($make:ident, $push:ident, $pop:ident, $element:ty, $value:ty, $read:expr,
     $queue:expr, $queue_type:ty, $tx:ty, $rx:ty, $split:expr, $in:ident, $out:ident) => {
        /// # Safety
        /// Called once, with room for two addresses.
        #[no_mangle]
        pub unsafe extern "C" fn $make(ends: *mut [*mut c_void; 2]) -> usize {
            static QUEUE: Queue<$queue_type> = Queue(UnsafeCell::new($queue));
            static ENDS: Ends<$tx, $rx> = Ends::new();
            // SAFETY: the caller's word.
            unsafe { ENDS.fill($split(&mut *QUEUE.0.get()), ends) };
            size_of::<$queue_type>() - CAPACITY * size_of::<$element>()
        }

        /// # Safety
        /// The end was made above.
        #[no_mangle]
        pub unsafe extern "C" fn $push(tx: &mut $tx, value: $value) -> bool {
            // SAFETY: the caller's word.
            tx.$in(unsafe { $read(value) }).is_ok()
        }

        /// # Safety
        /// The end was made above; there is room for an element.
        #[no_mangle]
        pub unsafe extern "C" fn $pop(rx: &mut $rx, to: *mut $element) -> bool {
            let Some(value) = rx.$out() else {
                return false;
            };
            // SAFETY: the caller's word.
            unsafe { to.write(value) };
            true
        }
    };
}

/// A queue whose ends are made once.
struct Queue<Q>(UnsafeCell<Q>);

// SAFETY: the program has one thread.
unsafe impl<Q> Sync for Queue<Q> {}

type SharedTx<T> = ProducerOf<'static, T, Slots<T>, Shared>;
type SharedRx<T> = ConsumerOf<'static, T, Slots<T>, Shared>;
type BareTx<T> = ProducerOf<'static, T, FixedSlots<T, CAPACITY>, Bare>;
type BareRx<T> = ConsumerOf<'static, T, FixedSlots<T, CAPACITY>, Bare>;
type HeaplessTx<T> = heapless::spsc::Producer<'static, T>;
type HeaplessRx<T> = heapless::spsc::Consumer<'static, T>;

fn shared<T>(ring: &'static mut Ring<T, CAPACITY>) -> (SharedTx<T>, SharedRx<T>) {
    ring.split().unwrap_or_else(|_| twice())
}

fn bare<T>(ring: &'static mut Ring<T, CAPACITY, Bare>) -> (BareTx<T>, BareRx<T>) {
    ring.fixed().split().unwrap_or_else(|_| twice())
}

fn heapless<T>(
    queue: &'static mut heapless::spsc::Queue<T, CAPACITY>,
) -> (HeaplessTx<T>, HeaplessRx<T>) {
    queue.split()
}

fn twice() -> ! {
    panic!("a queue is split once")
}

/// # Safety
/// None needed.
#[inline(always)]
unsafe fn itself<T>(value: T) -> T {
    value
}

/// # Safety
/// The address is that of an element.
#[inline(always)]
unsafe fn at(address: &[u32; 4]) -> [u32; 4] {
    *address
}

macro_rules! queues {
    ($element:ty, $value:ty, $read:expr,
     $s:ident $s_push:ident $s_pop:ident, $b:ident $b_push:ident $b_pop:ident, $h:ident $h_push:ident $h_pop:ident) => {
        functions!($s, $s_push, $s_pop, $element, $value, $read, Ring::new(), Ring<$element, CAPACITY>,
            SharedTx<$element>, SharedRx<$element>, shared, push, pop);
        // SAFETY: the boards have one core.
        functions!($b, $b_push, $b_pop, $element, $value, $read, unsafe { Ring::with_policy() }, Ring<$element, CAPACITY, Bare>,
            BareTx<$element>, BareRx<$element>, bare, push, pop);
        functions!($h, $h_push, $h_pop, $element, $value, $read, heapless::spsc::Queue::new(),
            heapless::spsc::Queue<$element, CAPACITY>, HeaplessTx<$element>, HeaplessRx<$element>, heapless, enqueue, dequeue);
    };
}

queues!(u8, u8, itself,
    rust_shared_ends_u8 rust_shared_push_u8 rust_shared_pop_u8,
    rust_bare_ends_u8 rust_bare_push_u8 rust_bare_pop_u8,
    heapless_ends_u8 heapless_push_u8 heapless_pop_u8);
queues!(u32, u32, itself,
    rust_shared_ends_u32 rust_shared_push_u32 rust_shared_pop_u32,
    rust_bare_ends_u32 rust_bare_push_u32 rust_bare_pop_u32,
    heapless_ends_u32 heapless_push_u32 heapless_pop_u32);
queues!([u32; 4], &[u32; 4], at,
    rust_shared_ends_b16 rust_shared_push_b16 rust_shared_pop_b16,
    rust_bare_ends_b16 rust_bare_push_b16 rust_bare_pop_b16,
    heapless_ends_b16 heapless_push_b16 heapless_pop_b16);

extern "C" {
    fn assertion_failed() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    // SAFETY: the program defines it; it takes nothing.
    unsafe { assertion_failed() }
}
