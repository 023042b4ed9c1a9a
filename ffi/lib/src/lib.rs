//! libgimmal: the C API of `gimmal-ffi` as a library, with the panic handler it needs.
//!
//! The handler calls `gimmal_panic`, which traps. It is weak: a program may define its own, which must not return. With the feature `shm`
//! the library has Rust's standard library, whose handler tells of the panic and aborts.

#![cfg_attr(not(feature = "shm"), no_std)]

pub use gimmal_ffi::*;

#[cfg(not(panic = "abort"))]
compile_error!("libgimmal must be built with panic = \"abort\": it has nothing to unwind with");

#[cfg(not(feature = "shm"))]
mod handler;
