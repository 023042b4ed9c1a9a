//! `cargo xtask study NAME`: one question asked of this machine.

mod code;
mod loops;
mod orderings;

use crate::compare;
use crate::study_options::Study;
use anyhow::{anyhow, Result};

/// Builds what the comparison builds, and runs the study with the options as they were given.
pub fn run(study: &Study) -> Result<()> {
    let (name, common) = study.common().map_err(|error| anyhow!(error))?;
    compare::check_cores(common.cores)?;
    let programs = match study {
        Study::Ordering(_) => Some(orderings::prepare(common.quick)?),
        Study::Code(_) => Some(code::prepare()?),
        _ => None,
    };
    if let Some(programs) = programs {
        std::env::set_var("GIMMAL_PROGRAMS", programs);
    }
    compare::run_built(
        "gimmal-study",
        "cargo xtask study",
        &format!("the study {name}"),
        None,
    )
}
