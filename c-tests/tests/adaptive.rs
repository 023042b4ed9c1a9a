//! Adaptive waiting in C++ and in Rust: in the same world they learn the same, to the nanosecond.

use gimmal::wait::{Adaptive, Bell, Deadline, Never, Wait};
use gimmal_c_tests as _;
use gimmal_ffi as _;
use std::cell::Cell;
use std::sync::atomic::AtomicU32;

type Spins = unsafe extern "C" fn(u32, *const u64, usize, *mut u64);

extern "C" {
    fn adaptive_spins_default(percent: u32, gaps: *const u64, count: usize, spins: *mut u64);
    #[cfg(mix_clang)]
    fn adaptive_spins_clang(percent: u32, gaps: *const u64, count: usize, spins: *mut u64);
}

fn cpp() -> Vec<Spins> {
    vec![
        adaptive_spins_default,
        #[cfg(mix_clang)]
        adaptive_spins_clang,
    ]
}

/// A consumer in a world of its own, where a poll takes 100 ns and a wake 8 µs: as in `mix/adaptive.cpp`.
struct World {
    now: Cell<u64>,
    next: Cell<u64>,
}

struct Asleep<'w>(&'w World);

impl Wait for Asleep<'_> {
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        _: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        let world = self.0;
        if world.next.get() > world.now.get() {
            world.now.set(world.next.get() + 8000);
        }
        poll()
    }
}

fn rust(percent: u32, gaps: &[u64]) -> Vec<u64> {
    let world = World {
        now: Cell::new(1000),
        next: Cell::new(1000),
    };
    let word = AtomicU32::new(0);
    let mut adaptive = Adaptive::new(percent, || world.now.get(), Asleep(&world));
    gaps.iter()
        .map(|gap| {
            world.next.set(world.next.get() + gap);
            adaptive.wait(Bell::new(&word), &mut Never, || {
                world.now.set(world.now.get() + 100);
                (world.now.get() >= world.next.get()).then_some(())
            });
            adaptive.spin()
        })
        .collect()
}

/// Streams of gaps: steady, bursts with silences, Poisson, and all in turn with a pause of days.
fn streams() -> [Vec<u64>; 4] {
    let steady = vec![100_000; 5000];
    let bursts: Vec<u64> = (0..6000)
        .map(|n| if n % 500 == 499 { 15_000_000 } else { 10_000 })
        .collect();
    let mut random = 88_172_645_463_325_252_u64;
    let poisson: Vec<u64> = (0..6000)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let uniform = ((random >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
            (-uniform.ln() * 30_000.0) as u64
        })
        .collect();
    let changing = [&bursts[..], &poisson, &steady, &[1 << 50], &bursts].concat();
    [steady, bursts, poisson, changing]
}

#[test]
fn both_languages_spin_for_the_same_time() {
    for gaps in streams() {
        for percent in [0, 1, 10, 25, 50, 100, 1000] {
            let expected = rust(percent, &gaps);
            for spins in cpp() {
                let mut found = vec![u64::MAX; gaps.len()];
                // SAFETY: there are as many results as gaps.
                unsafe { spins(percent, gaps.as_ptr(), gaps.len(), found.as_mut_ptr()) };
                let differs = (0..gaps.len()).find(|&n| expected[n] != found[n]);
                assert_eq!(differs, None, "at a budget of {percent}");
            }
            assert_eq!(
                expected.iter().any(|&spin| spin > 0),
                percent >= 25,
                "{percent}"
            );
        }
    }
}
