//! What the study of firmware needs: instructions, flash and RAM of queues on boards that count instructions.

use crate::firmware::{self, costs, Board, BOARDS};
use crate::programs::Programs;
use crate::{packages, project};
use anyhow::Result;
use indicatif::ProgressBar;
use std::path::PathBuf;

/// Builds, runs and reads; the file that says what was found.
pub fn prepare() -> Result<PathBuf> {
    packages::ensure(packages::TEST)?;
    let bar = ProgressBar::hidden();
    firmware::build_libraries(&bar)?;
    let boards: Vec<&Board> = BOARDS
        .iter()
        .filter(|board| costs::COUNTING.contains(&board.name))
        .collect();
    let mut programs = Programs {
        embedded: costs::count(&bar, &boards)?,
        ..Programs::default()
    };
    for board in boards {
        programs.ring_functions.push(costs::ring_functions(board)?);
    }
    let file = project::target_dir().join("study/embedded-programs.json");
    std::fs::create_dir_all(project::target_dir().join("study"))?;
    std::fs::write(&file, serde_json::to_string_pretty(&programs)?)?;
    Ok(file)
}
