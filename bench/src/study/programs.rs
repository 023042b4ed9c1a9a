//! What was found of the program `orderings`, built for several machines: its loops, what came wrong when it ran, and what a model of it
//! permits. `cargo xtask study ordering` writes it, the study reads it.

use serde::{Deserialize, Serialize};

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    /// The hot loops.
    pub loops: Vec<Loop>,
    /// The runs.
    pub runs: Vec<Run>,
    /// The models' explorations.
    pub models: Vec<Model>,
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
