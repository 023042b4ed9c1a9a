//! What was found of programs that were built for a study: their loops, what came wrong when they ran, and what a model of them
//! permits. `cargo xtask study` writes it, the study reads it.

use serde::{Deserialize, Serialize};

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    /// The hot loops of the program `orderings`.
    pub loops: Vec<Loop>,
    /// Its runs.
    pub runs: Vec<Run>,
    /// Its models' explorations.
    pub models: Vec<Model>,
    /// What the loops of each queue take.
    pub code: Vec<Code>,
    /// What queues take on microcontrollers.
    pub embedded: Vec<Embedded>,
    /// What libgimmal's functions of a ring take there.
    pub ring_functions: Vec<RingFunctions>,
    /// What is missing, and why.
    pub missing: Vec<String>,
}

/// A hot loop of a program that was built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// The architecture.
    pub arch: String,
    /// `index` or `line`.
    pub kind: String,
    /// `push` or `pop`.
    pub end: String,
    /// The policy's name.
    pub edges: String,
    /// How many instructions.
    pub instructions: usize,
    /// Those that order memory, by their mnemonics.
    pub ordering: Vec<String>,
}

/// What a loop takes that does nothing but push, or pop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The compiler.
    pub compiler: String,
    /// The queue's id.
    pub queue: String,
    /// `push` or `pop`.
    pub end: String,
    /// Bytes of a message.
    pub message: u32,
    /// How many instructions.
    pub instructions: usize,
    /// How many bytes they are.
    pub bytes: u64,
}

/// The flash that libgimmal's functions for one kind of ring take on a microcontroller: init, push and pop, with all that they call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingFunctions {
    /// The target, as cargo knows it.
    pub target: String,
    /// Bytes of gimmal's own functions.
    pub own: u64,
    /// Bytes of the compiler's functions that these call, and that a program may have already: division, memcpy.
    pub runtime: u64,
}

/// What a queue takes on a microcontroller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embedded {
    /// The target, as cargo knows it.
    pub target: String,
    /// The queue, and how it is used.
    pub queue: String,
    /// `u8`, `u32` or `b16`, 16 bytes.
    pub element: String,
    /// Instructions of a push.
    pub push: f64,
    /// Instructions of a pop.
    pub pop: f64,
    /// Bytes of the function that pushes.
    pub push_flash: u64,
    /// Bytes of the function that pops.
    pub pop_flash: u64,
    /// Bytes beside the elements.
    pub ram: u64,
}

/// A run of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What ran it.
    pub instrument: String,
    /// `index` or `line`.
    pub kind: String,
    /// The policy's name.
    pub edges: String,
    /// Messages to pass.
    pub messages: u64,
    /// None if it did not end within the limit.
    pub faults: Option<Faults>,
    /// The limit, in seconds.
    pub limit: u64,
}

/// Messages that came wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// An older message than was due.
    pub stale: u64,
    /// Parts of two.
    pub torn: u64,
}

/// An exploration of the executions that the language's memory model permits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// `index` or `line`.
    pub kind: String,
    /// The policy's name.
    pub edges: String,
    /// Executions explored.
    pub executions: u64,
    /// Those in which a message was stale.
    pub stale: u64,
    /// Those in which a message was torn.
    pub torn: u64,
    /// Whether these are all.
    pub complete: bool,
}
