//! What queues take on boards that count instructions: instructions, flash and RAM.

use super::{instructions, Board, Program, Said};
use crate::programs::{Embedded, RingFunctions};
use crate::shell;
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::path::Path;
use std::process::Command;

/// The boards that count.
pub const COUNTING: [&str; 3] = ["mps2-an385", "microbit", "riscv-virt"];

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

/// The functions of libgimmal that a program needs for a ring.
const OF_A_RING: [&str; 3] = ["gimmal_ring_init", "gimmal_ring_push", "gimmal_ring_pop"];

/// Builds the ends in Rust and the program that counts, and runs it on these boards; libgimmal is built.
pub fn count(bar: &ProgressBar, boards: &[&Board]) -> Result<Vec<Embedded>> {
    super::build_ends(bar, boards)?;
    let programs: Vec<Program> = boards
        .iter()
        .map(|board| Program::new(board, "count"))
        .collect();
    super::run(bar, &programs)?;
    let mut rows = Vec::new();
    for (board, program) in boards.iter().zip(&programs) {
        let said = program.said()?;
        ensure!(said.status == 0, "{}:\n{}", board.name, said.text);
        let before = rows.len();
        for line in said.lines("count") {
            rows.push(read(board, program.elf(), line)?);
        }
        ensure!(rows.len() > before, "{} counted nothing", board.name);
    }
    Ok(rows)
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

/// What a program gets that links libgimmal's functions for a ring, and nothing else of it.
pub fn ring_functions(board: &Board) -> Result<RingFunctions> {
    let library = super::cargo_directory()
        .join(board.target)
        .join("release/libgimmal.a");
    let linked = super::directory().join(format!("ring-{}.elf", board.name));
    let mut link = Command::new(format!("{}-ld", board.binutils));
    link.args(["--gc-sections", "--unresolved-symbols=ignore-all"]);
    if board.target.starts_with("riscv32") {
        link.args(["-m", "elf32lriscv"]);
    }
    for function in OF_A_RING {
        link.args(["--undefined", function]);
    }
    link.args(["--entry", OF_A_RING[0]]);
    shell::capture(link.arg(&library).arg("-o").arg(&linked))?;
    let mut nm = Command::new(format!("{}-nm", board.binutils));
    let symbols = shell::capture(nm.arg("--print-size").arg(&linked))?;
    let (own, runtime) = sizes(&symbols);
    ensure!(own > 0, "{} has no functions of a ring", library.display());
    Ok(RingFunctions {
        target: board.target.to_owned(),
        own,
        runtime,
    })
}

/// The bytes of gimmal's functions, and those of the compiler's own that they call.
fn sizes(symbols: &str) -> (u64, u64) {
    let mut sizes = (0, 0);
    for line in symbols.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, size, kind, name] = words.as_slice() else {
            continue;
        };
        let Ok(size) = u64::from_str_radix(size, 16) else {
            continue;
        };
        if !["T", "t", "W", "w"].contains(&kind) {
            continue;
        }
        if name.contains("gimmal") {
            sizes.0 += size;
        } else {
            sizes.1 += size;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_functions_are_told_from_gimmals() {
        let symbols = "\
            00008678 0000000a W __aeabi_memcpy\n\
            000082c0 00000044 T gimmal_ring_pop\n\
            00008000 00000088 t _RINvNtCs_10gimmal_ffi4call3PopE\n\
            00009000 00000010 r GIMMAL_TABLE\n\
                     U abort\n";
        assert_eq!(sizes(symbols), (0x44 + 0x88, 0xa));
    }
}
