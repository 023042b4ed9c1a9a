//! The cross-language comparison: queues of Rust, C and C++ beside each other in one process, on two threads that never
//! leave their cores, with the statistics and the report.
//!
//! One kernel per benchmark and language runs over any queue that has an adapter: [`kernels`] with [`queues`] in Rust,
//! `cxx/` in C++. [`measure`] runs them in pairs by the [`plan`], [`evaluate`] judges what came of it.

pub mod abi;
pub mod away;
pub mod catalog;
pub mod clock;
pub mod clocks;
pub mod counters;
pub mod cxx;
pub mod doubts;
pub mod evaluate;
pub mod hint;
pub mod json;
pub mod kernels;
pub mod machine;
pub mod measure;
pub mod message;
pub mod notes;
pub mod one_way;
pub mod options;
pub mod overall;
pub mod page;
pub mod plan;
pub mod probe;
pub mod queues;
pub mod registry;
pub mod report;
pub mod rule;
pub mod setup;
pub mod skew;
pub mod stand;
pub mod stats;
pub mod study;
pub mod table;
pub mod targets;
pub mod threads;
pub mod trio;
pub mod views;
pub mod watchdog;

// The C++ kernels call the C API, which this crate brings in.
use gimmal_ffi as _;
