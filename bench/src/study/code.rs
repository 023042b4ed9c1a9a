//! How long the code of an inlined push and pop is.

use super::programs::{Code, Programs};
use super::result::{Findings, Table, Value};
use anyhow::Result;

/// What the others are set against.
const REFERENCE: &str = "rigtorp";

/// Asks it.
///
/// # Errors
///
/// If the file about the programs cannot be read.
pub fn findings() -> Result<Findings> {
    let programs = super::programs("code")?;
    let mut notes = vec![
        "A loop is every instruction that can be reached from itself, in a function that does nothing but push, or pop, with its retries; parts that the compiler moved out of the \
         function are not counted. The loop's own counter is in every figure. Compiled as the kernels of the comparison are."
            .to_owned(),
    ];
    notes.extend(programs.missing.iter().cloned());
    Ok(Findings {
        tables: vec![table(&programs)],
        notes,
        ..Findings::new("How long the code of an inlined push and pop is")
    })
}

fn table(programs: &Programs) -> Table {
    let columns = [
        ("compiler", ""),
        ("queue", ""),
        ("end", ""),
        ("message", "B"),
        ("instructions", ""),
        ("code", "B"),
        ("to rigtorp", ""),
    ];
    let mut table = Table::new("Loops that push, and loops that pop", &columns);
    for code in &programs.code {
        table.row([
            code.compiler.as_str().into(),
            code.queue.as_str().into(),
            code.end.as_str().into(),
            u64::from(code.message).into(),
            (code.instructions as u64).into(),
            code.bytes.into(),
            to_reference(programs, code),
        ]);
    }
    table
}

/// The bytes to those of the reference's loop of the same compiler, end and message.
fn to_reference(programs: &Programs, code: &Code) -> Value {
    let same = |other: &&Code| {
        other.queue == REFERENCE
            && (&other.compiler, &other.end, other.message)
                == (&code.compiler, &code.end, code.message)
    };
    match programs.code.iter().find(same) {
        Some(reference) => Value::Number(code.bytes as f64 / reference.bytes as f64),
        None => Value::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(compiler: &str, queue: &str, bytes: u64) -> Code {
        Code {
            compiler: compiler.to_owned(),
            queue: queue.to_owned(),
            end: "push".to_owned(),
            message: 8,
            instructions: 20,
            bytes,
        }
    }

    #[test]
    fn a_loop_is_set_against_that_of_the_same_compiler() {
        let programs = Programs {
            code: vec![
                code("g++", "rigtorp", 80),
                code("clang++", "rigtorp", 40),
                code("clang++", "ring-cpp", 60),
                code("icc", "ring-cpp", 60),
            ],
            ..Programs::default()
        };
        let last = |row: usize| table(&programs).rows[row].last().cloned();
        assert_eq!(last(2), Some(Value::Number(1.5)));
        assert_eq!(last(3), Some(Value::Missing), "no peer is no ratio");
    }
}
