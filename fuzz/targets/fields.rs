//! For cargo-fuzz.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gimmal_fuzz::fields(bytes));
