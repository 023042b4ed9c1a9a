//! Every target takes its seeds, and what changes of them give. `GIMMAL_CASES` sets how many in all (100,000 unless set), `GIMMAL_SEED` the seed
//! that a failure prints.

use fastrand::Rng;
use gimmal_fuzz::{Target, TARGETS};
use std::env;
use std::fs;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().unwrap())
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(name);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// One change or a few, as fuzzers make them.
fn change(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[rng.usize(..seeds.len())].clone();
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(..=bytes.len());
        let left = bytes.len() - at;
        match rng.u8(..8) {
            _ if left == 0 => bytes.extend((0..rng.usize(1..9)).map(|_| rng.u8(..))),
            0 => bytes[at] ^= 1 << rng.u8(..8),
            1 => bytes[at] = rng.u8(..),
            2 => bytes[at] = bytes[at].wrapping_add([1, 255][rng.usize(..2)]),
            3 => bytes.insert(at, rng.u8(..)),
            4 => drop(bytes.drain(at..at + rng.usize(..=left.min(8)))),
            5 => bytes[at..]
                .iter_mut()
                .take(8)
                .for_each(|byte| *byte = [0, 255][rng.usize(..2)]),
            6 => bytes.extend_from_within(at..at + left.min(16)),
            // The end of another.
            _ => {
                let other = &seeds[rng.usize(..seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[at.min(other.len())..]);
            }
        }
    }
    bytes
}

fn withstand(name: &str, target: Target, cases: u64) {
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let seed = number("GIMMAL_SEED").unwrap_or_else(|| fastrand::u64(..));
    let mut rng = Rng::with_seed(seed);
    let changed = (0..cases).map(|_| change(&mut rng, &seeds));
    for bytes in seeds.iter().cloned().chain(changed) {
        let result = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        assert!(
            result.is_ok(),
            "GIMMAL_SEED={seed}: {name} fails at {bytes:?}"
        );
    }
}

fn cases() -> u64 {
    number("GIMMAL_CASES").unwrap_or(100_000) / TARGETS.len() as u64
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                withstand(stringify!($name), gimmal_fuzz::$name, cases());
            }
        )*

        #[test]
        fn no_target_is_left_out() {
            let tested = [$(stringify!($name)),*];
            assert_eq!(TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), tested);
        }
    };
}

tests! { attach segment machine fixed feed fields }
