//! What the study of firmware needs: instructions, flash and RAM of queues on boards that count instructions.

use crate::firmware::{self, instructions, Board, Program, Said, BOARDS, RUST_BOARD};
use crate::programs::{Embedded, Programs};
use crate::{packages, project};
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

/// The boards that count.
const COUNTING: [&str; 3] = ["mps2-an385", "microbit", "riscv-virt"];

/// What a queue runs that is not in a function of the queue's own name and the element's: push, then pop.
const FUNCTIONS: [(&str, &str, &str); 4] = [
    ("call", "gimmal_ring_push", "gimmal_ring_pop"),
    ("freertos_queue", "xQueueGenericSend", "xQueueReceive"),
    (
        "freertos_queue_isr",
        "xQueueGenericSendFromISR",
        "xQueueReceiveFromISR",
    ),
    (
        "freertos_stream",
        "xStreamBufferSend",
        "xStreamBufferReceive",
    ),
];

/// Builds, runs and reads; the file that says what was found.
pub fn prepare() -> Result<PathBuf> {
    packages::ensure(packages::TEST)?;
    let bar = ProgressBar::hidden();
    firmware::build_libraries(&bar)?;
    firmware::build_ends(&bar)?;
    let boards: Vec<&Board> = BOARDS
        .iter()
        .filter(|board| COUNTING.contains(&board.name))
        .collect();
    let logs: Vec<Program> = boards
        .iter()
        .map(|board| Program::new(board, "count"))
        .collect();
    firmware::run(&bar, &logs)?;
    let mut programs = Programs::default();
    for (board, program) in boards.into_iter().zip(&logs) {
        let said = program.said()?;
        ensure!(said.status == 0, "{}:\n{}", board.name, said.text);
        for line in said.lines("count") {
            programs.embedded.push(read(board, program.elf(), line)?);
        }
    }
    ensure!(
        programs
            .embedded
            .iter()
            .any(|row| row.target == RUST_BOARD.target),
        "nothing was counted"
    );
    let file = project::target_dir().join("study/embedded-programs.json");
    std::fs::create_dir_all(project::target_dir().join("study"))?;
    std::fs::write(&file, serde_json::to_string_pretty(&programs)?)?;
    Ok(file)
}

/// A line that a program printed: a queue and an element, and tenths of instructions.
fn read(board: &Board, elf: &Path, line: &str) -> Result<Embedded> {
    let queue = line.split(' ').next().unwrap_or_default();
    let element = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix("element="))
        .with_context(|| format!("no element in: {line}"))?;
    let own = |end: &str| format!("{queue}_{end}_{element}");
    let (push, pop) = FUNCTIONS
        .iter()
        .find(|(name, ..)| *name == queue)
        .map_or_else(
            || (own("push"), own("pop")),
            |(_, push, pop)| ((*push).to_owned(), (*pop).to_owned()),
        );
    Ok(Embedded {
        target: board.target.to_owned(),
        queue: queue.to_owned(),
        element: element.to_owned(),
        push: Said::number(line, "push")? as f64 / 10.0,
        pop: Said::number(line, "pop")? as f64 / 10.0,
        push_flash: instructions::size(board.binutils, elf, &push)?,
        pop_flash: instructions::size(board.binutils, elf, &pop)?,
        ram: Said::number(line, "ram")?,
    })
}
