//! The C API of gimmal: one file per C object, declared for C and C++ in `include/gimmal.h`.
//!
//! This crate has no panic handler, so that a Rust program may link it as it is; `lib/` makes
//! the C library of it.

#![no_std]
#![allow(non_camel_case_types)]

#[cfg(all(feature = "shm", target_os = "linux"))]
extern crate std;

mod call;
mod control;
#[cfg(feature = "engine")]
mod engine;
mod line_ring;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
mod mpsc;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
mod pool;
mod ring;
/// cbindgen:ignore
#[cfg(all(feature = "shm", target_os = "linux"))]
mod shm;
mod spans;
mod status;
mod version;
mod wait;

pub use control::*;
#[cfg(feature = "engine")]
pub use engine::*;
pub use line_ring::*;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub use mpsc::*;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub use pool::*;
pub use ring::*;
#[cfg(all(feature = "shm", target_os = "linux"))]
pub use shm::*;
pub use spans::*;
pub use status::*;
pub use version::*;
pub use wait::*;
