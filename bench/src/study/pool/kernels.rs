//! The kernels of the study of pools in Rust, and those of C++; the twin of `cxx/study/pool.cpp`.

use crate::abi::{Kernel, Kernels, Line, Run};
use crate::clock::now;
use crate::hint::Relax;
use crate::kernels::{entry, Benchmark};
use gimmal::pool::{Owner, Pooled};
use gimmal::{cells, LineRing, Pool};
use std::ffi::CStr;
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::DerefMut;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

/// Slots of a pool.
const SLOTS: usize = 1024;

/// Objects that the ring holds for certain.
const PASSING: usize = 256;

/// The cells that this takes with a handle that is one pointer, as `Box` is, and with one that is two.
const CELLS_OF_ONE: usize = cells::<usize>(PASSING);
const CELLS_OF_TWO: usize = cells::<[usize; 2]>(PASSING);

/// Words, of which the first is written: an allocator writes nothing either.
type Object<const WORDS: usize> = [MaybeUninit<u64>; WORDS];

extern "C" {
    fn gimmal_bench_pool_kernels() -> Kernels;
}

/// A store of objects.
trait Store: Sync + 'static {
    /// An object.
    type Handle: DerefMut<Target: AsMut<[MaybeUninit<u64>]>> + Send + 'static;
    /// The thread that takes.
    type Taker;

    fn new() -> Self;
    fn taker(&'static self) -> Self::Taker;
    fn take(taker: &mut Self::Taker) -> Option<Self::Handle>;
    /// Gives an object back on the thread that took it.
    fn keep(taker: &mut Self::Taker, object: Self::Handle);
}

struct FromBox<const WORDS: usize>;

impl<const WORDS: usize> Store for FromBox<WORDS> {
    type Handle = Box<Object<WORDS>>;
    type Taker = ();

    fn new() -> Self {
        Self
    }

    fn taker(&'static self) {}

    #[inline(always)]
    fn take((): &mut ()) -> Option<Self::Handle> {
        let object = Box::<Object<WORDS>>::new_uninit();
        // SAFETY: any bytes are words that may be uninitialised.
        Some(unsafe { object.assume_init() })
    }

    #[inline(always)]
    fn keep((): &mut (), object: Self::Handle) {
        drop(object);
    }
}

type PoolOf<const WORDS: usize> = Pool<Object<WORDS>, SLOTS>;

struct FromPool<const WORDS: usize>(Box<PoolOf<WORDS>>);

impl<const WORDS: usize> Store for FromPool<WORDS> {
    type Handle = Pooled<'static, Object<WORDS>, SLOTS>;
    type Taker = &'static PoolOf<WORDS>;

    fn new() -> Self {
        Self(Box::default())
    }

    fn taker(&'static self) -> Self::Taker {
        &self.0
    }

    #[inline(always)]
    fn take(pool: &mut Self::Taker) -> Option<Self::Handle> {
        let slot = pool.acquire()?;
        // SAFETY: any bytes are words that may be uninitialised.
        Some(unsafe { slot.assume_init() })
    }

    #[inline(always)]
    fn keep(_: &mut Self::Taker, object: Self::Handle) {
        drop(object);
    }
}

struct FromOwner<const WORDS: usize>(Box<PoolOf<WORDS>>);

impl<const WORDS: usize> Store for FromOwner<WORDS> {
    type Handle = Pooled<'static, Object<WORDS>, SLOTS>;
    type Taker = Owner<'static, Object<WORDS>, SLOTS>;

    fn new() -> Self {
        Self(Box::default())
    }

    fn taker(&'static self) -> Self::Taker {
        self.0.owner().expect("the one thread that takes")
    }

    #[inline(always)]
    fn take(owner: &mut Self::Taker) -> Option<Self::Handle> {
        let slot = owner.acquire()?;
        // SAFETY: any bytes are words that may be uninitialised.
        Some(unsafe { slot.assume_init() })
    }

    #[inline(always)]
    fn keep(owner: &mut Self::Taker, object: Self::Handle) {
        owner.release(object);
    }
}

/// A store and a ring of its objects.
struct Context<S: Store, const CELLS: usize> {
    // First, so that what is left in the ring goes before the store.
    ring: Line<LineRing<S::Handle, CELLS>>,
    store: Line<S>,
}

impl<S: Store, const CELLS: usize> Context<S, CELLS> {
    fn create() -> Self {
        Self {
            ring: Line(LineRing::new()),
            store: Line(S::new()),
        }
    }
}

/// A reference that does not say how long it is good for.
///
/// # Safety
///
/// What was borrowed outlives what is made of the reference.
unsafe fn lasting<T>(borrowed: &T) -> &'static T {
    // SAFETY: the caller's word.
    unsafe { &*ptr::from_ref(borrowed) }
}

/// Taken and given back on one thread.
struct OneThread<S>(PhantomData<S>);

impl<S: Store> Benchmark for OneThread<S> {
    const NAME: &'static CStr = c"one thread";
    const FOLLOWED: bool = false;
    type Context = Line<S>;

    fn create(_: usize) -> Self::Context {
        Line(S::new())
    }

    fn lead<H: Relax>(store: &Self::Context, run: &Run) {
        // SAFETY: the taker and the objects are dropped when a run ends, and the store outlives its runs.
        let mut taker = unsafe { lasting(&store.0) }.taker();
        let messages = run.messages;
        let mut wrong = 0;
        let before = now();
        for sequence in 0..messages {
            let Some(mut object) = S::take(&mut taker) else {
                wrong = 1;
                break;
            };
            let word = &mut object.as_mut()[0];
            word.write(sequence);
            black_box(ptr::from_mut(word));
            // SAFETY: written above.
            wrong |= unsafe { word.assume_init_read() } ^ sequence;
            S::keep(&mut taker, object);
        }
        run.ticks.store(now() - before, Relaxed);
        run.wrong_led.store(wrong, Relaxed);
    }

    fn follow<H: Relax>(_: &Self::Context, _: &Run) {}
}

/// Taken on one thread, passed through a ring, given back on the other.
struct Across<S, const CELLS: usize>(PhantomData<S>);

impl<S: Store, const CELLS: usize> Benchmark for Across<S, CELLS> {
    const NAME: &'static CStr = c"across";
    const FOLLOWED: bool = true;
    type Context = Context<S, CELLS>;

    fn create(_: usize) -> Self::Context {
        Context::create()
    }

    fn lead<H: Relax>(context: &Self::Context, run: &Run) {
        // SAFETY: the taker is dropped and the ring empty when a run ends, and the context outlives its runs.
        let mut taker = unsafe { lasting(&context.store.0) }.taker();
        let mut tx = context.ring.0.view().producer().expect("one producer");
        let messages = run.messages;
        run.await_ready();
        let before = now();
        for sequence in 0..messages {
            let mut object = loop {
                match S::take(&mut taker) {
                    Some(object) => break object,
                    None => H::relax(),
                }
            };
            object.as_mut()[0].write(sequence);
            while let Err(refused) = tx.push(object) {
                object = refused.into_inner();
                H::relax();
            }
        }
        run.await_finished();
        run.ticks.store(now() - before, Relaxed);
    }

    fn follow<H: Relax>(context: &Self::Context, run: &Run) {
        let mut rx = context.ring.0.view().consumer().expect("one consumer");
        let messages = run.messages;
        let mut wrong = 0;
        run.set_ready();
        for sequence in 0..messages {
            let mut object = loop {
                match rx.pop() {
                    Some(object) => break object,
                    None => H::relax(),
                }
            };
            // SAFETY: the leader wrote it.
            wrong |= unsafe { object.as_mut()[0].assume_init_read() } ^ sequence;
        }
        run.set_finished();
        run.wrong_followed.0.store(wrong, Relaxed);
    }
}

fn of_rust<const WORDS: usize>() -> [Kernel; 6] {
    let bytes = WORDS * size_of::<u64>();
    [
        entry::<OneThread<FromBox<WORDS>>>(c"box", bytes),
        entry::<Across<FromBox<WORDS>, CELLS_OF_ONE>>(c"box", bytes),
        entry::<OneThread<FromPool<WORDS>>>(c"pool-rust", bytes),
        entry::<Across<FromPool<WORDS>, CELLS_OF_TWO>>(c"pool-rust", bytes),
        entry::<OneThread<FromOwner<WORDS>>>(c"owner-rust", bytes),
        entry::<Across<FromOwner<WORDS>, CELLS_OF_TWO>>(c"owner-rust", bytes),
    ]
}

/// All kernels, of both languages.
pub fn all() -> Vec<Kernel> {
    // SAFETY: the function has no preconditions, and its list lives as long as the process.
    let of_cxx = unsafe {
        let Kernels { first, count } = gimmal_bench_pool_kernels();
        std::slice::from_raw_parts(first, count)
    };
    let mut all = of_cxx.to_vec();
    all.extend(of_rust::<1>());
    all.extend(of_rust::<6>());
    all.extend(of_rust::<32>());
    all
}
