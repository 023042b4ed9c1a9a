//! A static ring or pool is all zeros, so the loader makes it and the file does not hold it.

use super::steps::Outcome;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::process::Command;

/// What the example's ring takes in memory, at least, and its pool as much.
const EACH: u64 = 4 << 20;

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    shell::run(
        bar,
        project::cargo("build --release --package gimmal --example static_size"),
    )?;
    let program = project::target_dir().join("release/examples/static_size");
    shell::run(bar, Command::new(&program))?;
    let sections = sections(&shell::capture(
        Command::new("size").arg("--format=berkeley").arg(&program),
    )?)?;
    let file = std::fs::metadata(&program)?.len();
    judge(&sections, file)?;
    bar.suspend(|| println!("{} bytes of .bss in a file of {file} bytes", sections.bss));
    Ok(Outcome::Passed)
}

/// What `size` tells of a program.
#[derive(Debug, PartialEq)]
struct Sections {
    text: u64,
    data: u64,
    bss: u64,
}

fn judge(sections: &Sections, file: u64) -> Result<()> {
    ensure!(
        sections.bss >= 2 * EACH,
        "the ring or the pool is not in .bss: {sections:?}"
    );
    ensure!(
        file < EACH,
        "the ring or the pool is in the file of {file} bytes: {sections:?}"
    );
    Ok(())
}

/// Reads the second line of `size`: text, data, bss, their sum twice, the name.
fn sections(text: &str) -> Result<Sections> {
    let line = text
        .lines()
        .nth(1)
        .with_context(|| format!("size said: {text}"))?;
    let numbers: Vec<u64> = line
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .take(3)
        .collect();
    let &[text, data, bss] = numbers.as_slice() else {
        anyhow::bail!("size said: {line}")
    };
    Ok(Sections { text, data, bss })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "   text\t   data\t    bss\t    dec\t    hex\tfilename\n\
                         300000\t  20000\t9437504\t9757504\t 94e340\tx\n";

    #[test]
    fn statics_in_bss_pass() {
        let sections = sections(SAID).unwrap();
        assert_eq!(
            sections,
            Sections {
                text: 300_000,
                data: 20_000,
                bss: 9_437_504
            }
        );
        assert!(judge(&sections, 500_000).is_ok());
    }

    #[test]
    fn a_static_in_the_file_fails() {
        let in_data = Sections {
            text: 300_000,
            data: 4_214_304,
            bss: 4_194_624,
        };
        assert!(judge(&in_data, 4_600_000).is_err());
        let twice = Sections {
            text: 300_000,
            data: 4_214_304,
            bss: 9_437_504,
        };
        assert!(judge(&twice, 4_600_000).is_err());
    }

    #[test]
    fn other_output_is_refused() {
        assert!(sections("size: no such file\n").is_err());
        assert!(sections("text data\nnone at all\n").is_err());
    }
}
