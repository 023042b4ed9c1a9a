//! A deterministic pipeline from event to risk score over a gimmal ring: fixed point, no floating point; rule sets as types; no
//! allocation, lock or system call between an event's submission and its result.
//!
//! An [`Engine`] is a ring with two ends. The [`Submitter`] puts a [`RiskEvent`] in, one cache line of it; the [`Worker`] takes it out, scores it
//! by a set of [`rules`] and hands the result to a handler. `docs/adr/0023-the-risk-pipeline.md` tells what it costs.
//!
//! # Features
//! - `std`, on by default: threads, by `Engine::start`. Without it the worker is polled.
//! - `linux`, on by default: pinning, locked memory and real-time priority, where the system is Linux.
//! - `critical-section`: claiming the ends on targets that have no exchange.
#![no_std]
#![deny(missing_docs, clippy::float_arithmetic)]

#[cfg(any(test, feature = "std"))]
extern crate std;

mod counters;
mod engine;
mod error;
mod evaluate;
mod fixed;
mod made_up;
mod model;
mod options;
#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
mod prepare;
pub mod rules;
#[cfg(feature = "std")]
mod running;
mod submitter;
pub mod system;
mod worker;

pub use counters::Counters;
pub use engine::Engine;
pub use error::StartError;
pub use evaluate::{Branched, Branchless, Evaluator, Hybrid};
pub use fixed::{Fixed, ParseFixedError, Price, Quantity};
pub use made_up::made_up_events;
pub use model::{Instrument, RiskEvent, RiskResult, Stamped, Tier};
pub use options::{Idle, Options, Preparation, PrepareError};
pub use rules::{Rules, Standard};
#[cfg(feature = "std")]
pub use running::{Report, Running, RunningScoped};
pub use submitter::{SubmitError, Submitter};
pub use worker::{into_ring, Evaluated, Worker};
