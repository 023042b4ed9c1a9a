//! Another process that does its part of a cell: told by a line, it answers by one. Between cells it sleeps.

use super::ends::Place;
use super::order::Order;
use crate::away::Away;
use crate::threads::settle_process;
use anyhow::{ensure, Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What a process says once it is ready.
pub const READY: &str = "ready";

/// A process, which ends with the value.
pub struct Process {
    child: Child,
    /// None once it is to end.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    name: &'static str,
    /// The core of whoever started it, which sleeps while it ends.
    home: usize,
}

impl Process {
    /// Starts it, waits until it is ready, and keeps it on the second of the cores. Until then it is on the first, the caller's, whose
    /// priority it inherits.
    ///
    /// # Errors
    ///
    /// If it does not start or is not ready.
    pub fn start(name: &'static str, command: &mut Command, cores: [usize; 2]) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let mut process = Self {
            orders: child.stdin.take(),
            answers: BufReader::new(child.stdout.take().context("no pipe")?),
            child,
            name,
            home: cores[0],
        };
        let said = process.hear()?;
        ensure!(said == READY, "{name} is not ready: {said}");
        settle_process(process.child.id(), cores[1])?;
        Ok(process)
    }

    fn hear(&mut self) -> Result<String> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line)?;
        ensure!(read > 0, "{} ended early", self.name);
        Ok(line.trim_end().to_owned())
    }

    /// Tells it something; the numbers that it answers.
    fn ask(&mut self, line: &str) -> Result<Vec<u64>> {
        let orders = self.orders.as_mut().context("it is to end")?;
        writeln!(orders, "{line}")?;
        let said = self.hear()?;
        let numbers = said.split_whitespace().map(str::parse);
        numbers
            .collect::<Result<_, _>>()
            .with_context(|| format!("{} said: {said}", self.name))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whoever spins on its own core would not let it end.
        let _ = settle_process(self.child.id(), self.home);
        // It ends with its input.
        drop(self.orders.take());
        let _ = self.child.wait();
    }
}

/// What a process does with the rings of this name.
pub struct Remote<'p> {
    process: &'p mut Process,
    rings: String,
    unit: Option<f64>,
}

impl<'p> Remote<'p> {
    /// Of this process; `unit` is that of the times it tells, in nanoseconds, if it is not the counter's.
    pub fn new(process: &'p mut Process, rings: String, unit: Option<f64>) -> Self {
        Self {
            process,
            rings,
            unit,
        }
    }
}

impl Place for Remote<'_> {
    fn run(&mut self, order: &Order) -> Vec<u64> {
        self.process
            .ask(&format!("{} {order}", self.rings))
            .unwrap_or_else(|error| {
                // The other side would wait for ever.
                eprintln!("error: {error:#}");
                std::process::exit(1)
            })
    }

    fn away(&self) -> Away {
        Away::of_process(self.process.child.id())
    }

    fn ns_per_unit(&self) -> Option<f64> {
        self.unit
    }
}
