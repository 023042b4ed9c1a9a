//! `cargo xtask study NAME`: one question asked of this machine.

mod loops;
mod orderings;

use crate::compare;
use crate::study_options::Study;
use anyhow::{anyhow, Result};

/// Builds what the comparison builds, and runs the study with the options as they were given.
pub fn run(study: &Study) -> Result<()> {
    let (name, common) = study.common().map_err(|error| anyhow!(error))?;
    compare::check_cores(common.cores)?;
    if matches!(study, Study::Ordering(_)) {
        std::env::set_var("GIMMAL_PROGRAMS", orderings::prepare(common.quick)?);
    }
    compare::run_built(
        "gimmal-study",
        "cargo xtask study",
        &format!("the study {name}"),
        None,
    )
}
