//! Sleepers in one language are woken by the others: every mix of Rust, C and C++, at every kind of ring.
#![cfg(target_os = "linux")]

use gimmal::wait::Park;
use gimmal::{line_ring, mpsc, Mpsc, Ring};
use gimmal_c_tests as _;
use gimmal_ffi as _;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::thread;

const COUNT: u64 = 5000;

/// One language's ends of rings of one kind: `mix/wait.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Ends {
    consume: unsafe extern "C" fn(*mut c_void, usize, bool) -> u64,
    produce: unsafe extern "C" fn(*mut c_void, usize, u64, u64, bool, bool) -> bool,
}

/// By index, by line, of many producers.
type Table = [Ends; 3];

extern "C" {
    static wait_c_default: Table;
    static wait_cpp_default: Table;
    #[cfg(mix_clang)]
    static wait_c_clang: Table;
    #[cfg(mix_clang)]
    static wait_cpp_clang: Table;
}

fn park(shared: bool) -> Park {
    if shared {
        Park::shared()
    } else {
        Park::new()
    }
}

type ByIndex = Ring<u64, 2>;
type ByLine = line_ring!(u64, 2);
type OfMany = Mpsc<u64, 2>;

/// Rust's ends of rings of one kind, of which `open` gives a view.
macro_rules! rust {
    ($open:expr, $view:ident => $producer:expr) => {{
        unsafe extern "C" fn consume(memory: *mut c_void, size: usize, shared: bool) -> u64 {
            let mut rx = $open(memory, size).consumer().unwrap();
            let mut park = park(shared);
            rx.declare(&mut park);
            let (mut next, mut taken) = ([0; 4], 0);
            while let Ok(value) = rx.pop_wait(&mut park) {
                let next: &mut u32 = &mut next[(value >> 32) as usize];
                if value as u32 != *next {
                    return 0;
                }
                *next += 1;
                taken += 1;
                rx.notify(&park);
            }
            taken
        }

        unsafe extern "C" fn produce(
            memory: *mut c_void,
            size: usize,
            producer: u64,
            count: u64,
            shared: bool,
            closes: bool,
        ) -> bool {
            let $view = $open(memory, size);
            let mut tx = $producer;
            let mut park = park(shared);
            for n in 0..count {
                if tx.push_wait(producer << 32 | n, &mut park).is_err() {
                    return false;
                }
                tx.notify(&park);
            }
            if closes {
                tx.close_notify(&park);
            }
            true
        }
        Ends { consume, produce }
    }};
}

/// A ring whose type is known.
fn at<'a, R>(memory: *mut c_void) -> &'a R {
    // SAFETY: the tests pass the address of such a ring, and let it outlive its ends.
    unsafe { &*memory.cast::<R>() }
}

/// A ring of many producers, of any capacity.
fn attached<'a>(memory: *mut c_void, size: usize) -> mpsc::View<'a, u64> {
    let memory = NonNull::new(memory.cast()).unwrap();
    // SAFETY: the tests pass a ring, and let it outlive its ends, which push numbers.
    unsafe { mpsc::View::attach(memory, size) }.unwrap()
}

fn rust() -> Table {
    [
        rust!(|memory, _| at::<ByIndex>(memory).view(), view => view.producer().unwrap()),
        rust!(|memory, _| at::<ByLine>(memory).view(), view => view.producer().unwrap()),
        rust!(attached, view => view.producer()),
    ]
}

fn languages() -> Vec<(&'static str, Table)> {
    // SAFETY: the tables are constants of this type, compiled from `mix/`.
    unsafe {
        vec![
            ("Rust", rust()),
            ("C", wait_c_default),
            ("C++", wait_cpp_default),
            #[cfg(mix_clang)]
            ("C by clang", wait_c_clang),
            #[cfg(mix_clang)]
            ("C++ by clang", wait_cpp_clang),
        ]
    }
}

/// The address of a ring, for another thread.
#[derive(Clone, Copy)]
struct Place(*mut c_void, usize);

// SAFETY: the ring there is reached by its ends only, which synchronise by its protocol.
unsafe impl Send for Place {}

impl Place {
    fn consume(self, ends: Ends, shared: bool) -> u64 {
        // SAFETY: the ring outlives the scope in which this is called, which nobody else does.
        unsafe { (ends.consume)(self.0, self.1, shared) }
    }

    fn produce(self, ends: Ends, producer: u64, count: u64, shared: bool, closes: bool) -> bool {
        // SAFETY: the ring outlives the scope in which this is called, once for a ring of one producer.
        unsafe { (ends.produce)(self.0, self.1, producer, count, shared, closes) }
    }
}

#[test]
fn each_language_wakes_a_consumer_in_each_and_sleeps_while_the_ring_is_full() {
    for (producing, from) in languages() {
        for (consuming, to) in languages() {
            for shared in [false, true] {
                let (ring, line_ring, mpsc) = (ByIndex::new(), ByLine::new(), OfMany::new());
                let places = [
                    Place(ring.view().publish().as_ptr().cast(), size_of::<ByIndex>()),
                    Place(
                        line_ring.view().publish().as_ptr().cast(),
                        size_of::<ByLine>(),
                    ),
                    Place(mpsc.view().publish().as_ptr().cast(), size_of::<OfMany>()),
                ];
                for (kind, place) in places.into_iter().enumerate() {
                    let (pushed, taken) = thread::scope(|scope| {
                        let consumer = scope.spawn(move || place.consume(to[kind], shared));
                        let pushed = place.produce(from[kind], 0, COUNT, shared, true);
                        (pushed, consumer.join().unwrap())
                    });
                    let mix = format!("kind {kind} from {producing} to {consuming}");
                    assert!(pushed, "{mix}");
                    assert_eq!(taken, COUNT, "{mix}");
                }
            }
        }
    }
}

/// Producers share a bell at which only one of them need be woken, so that some sleep for 100 ms: here is room for all.
#[test]
fn producers_of_all_languages_wake_one_consumer() {
    type Roomy = Mpsc<u64, 16_384>;
    for (consuming, to) in languages() {
        for shared in [false, true] {
            let mut memory = Box::new_uninit();
            let ring: &Roomy = Roomy::init(&mut memory);
            let place = Place(ring.view().publish().as_ptr().cast(), size_of::<Roomy>());
            let taken = thread::scope(|scope| {
                let consumer = scope.spawn(move || place.consume(to[2], shared));
                let producers: Vec<_> = (0..)
                    .zip(languages().into_iter().take(3))
                    .map(|(number, (_, from))| {
                        scope.spawn(move || place.produce(from[2], number, COUNT, shared, false))
                    })
                    .collect();
                assert!(producers
                    .into_iter()
                    .all(|producer| producer.join().unwrap()));
                ring.view().close();
                ring.producer().notify(&park(shared));
                consumer.join().unwrap()
            });
            assert_eq!(taken, 3 * COUNT, "to {consuming}");
        }
    }
}
