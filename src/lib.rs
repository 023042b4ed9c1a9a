//! Lock-free rings with static storage and one frozen byte layout.
//!
//! A [`Ring`] or [`LineRing`] carries messages from one producer to one consumer: two threads, an interrupt handler and its main loop,
//! two languages. An [`Mpsc`] has any number of producers. Its bytes are the same in Rust, C and C++ (`docs/LAYOUT.md`), so either end may be written in any of them.
//!
//! | take | when |
//! |---|---|
//! | [`LineRing`] | single messages, least latency, highest throughput |
//! | [`Ring`] | bytes, bulk copies, contiguous reserve and commit, small memories |
//! | [`Mpsc`] | messages from many producers |
//!
//! `push` and `pop` are wait-free (the push of an `Mpsc` is lock-free), never allocate, never call the operating system and never panic. A handle in a struct is a
//! [`ring::Producer<'static, T>`](ring::Producer) or [`line_ring::Consumer<'static, T>`](line_ring::Consumer).
//!
//! ```
//! use gimmal::{line_ring, LineRing};
//!
//! #[derive(Debug, Clone, Copy, PartialEq)]
//! struct Tick {
//!     id: u64,
//!     price: i64,
//! }
//!
//! static TICKS: line_ring!(Tick, 1024) = LineRing::new();
//!
//! let (mut tx, mut rx) = TICKS.split()?;
//! let producer = std::thread::spawn(move || {
//!     for id in 0..1000 {
//!         tx.offer(Tick { id, price: 100 });
//!     }
//!     tx.close();
//! });
//! let mut ticks = 0;
//! loop {
//!     let closed = rx.is_closed();
//!     ticks += rx.drain().count();
//!     if closed {
//!         break;
//!     }
//! }
//! producer.join().unwrap();
//! assert_eq!(ticks + rx.dropped(), 1000);
//! # Ok::<(), gimmal::AlreadySplit>(())
//! ```
//!
//! # Features
//! - `heapless`: whole chunks as `heapless::Vec`.
//! - `critical-section`: claiming an end, and `Mpsc`, on targets that have no exchange.
//! - `linux`: sleeping on a futex, [`wait::Park`](wait).
//! - `lab`: the study's variants of the algorithms, some broken on purpose. Never for production.
#![no_std]
#![deny(missing_docs)]

#[cfg(test)]
extern crate std;

#[cfg(feature = "heapless")]
mod chunk;
pub mod consumer;
pub mod error;
pub mod grant;
pub mod index;
pub mod layout;
pub mod line_ring;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub mod mpsc;
pub mod policy;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub mod pool;
pub mod producer;
pub mod raw;
pub mod ring;
pub mod shape;
pub mod sync;
pub mod view;
pub mod wait;

pub use error::{AlreadySplit, AttachError, Closed, PushError, ReserveError, WaitError};
pub use line_ring::{cells, LineRing};
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub use mpsc::Mpsc;
#[cfg(any(target_has_atomic = "ptr", feature = "critical-section"))]
pub use pool::Pool;
pub use ring::Ring;
