//! `cargo xtask study NAME`: one question asked of this machine.

mod code;
mod embedded;
pub mod iceoryx2;
mod loops;
mod orderings;

use crate::study_options::Study;
use crate::{compare, packages, peers};
use anyhow::{anyhow, Result};

/// Builds what the comparison builds, with the peers only where the study measures them, and runs the study with the options as they were given.
pub fn run(study: &Study) -> Result<()> {
    let (name, common) = study.common().map_err(|error| anyhow!(error))?;
    compare::check_cores(common.cores)?;
    let programs = match study {
        Study::Ordering(_) => Some(orderings::prepare(common.quick)?),
        Study::Code(_) => Some(code::prepare()?),
        Study::Embedded(_) => Some(embedded::prepare()?),
        _ => None,
    };
    if let Some(programs) = programs {
        std::env::set_var("GIMMAL_PROGRAMS", programs);
    }
    if let Some(program) = matches!(study, Study::Shm(_))
        .then(iceoryx2::build)
        .flatten()
    {
        std::env::set_var("GIMMAL_ICEORYX2", program);
    }
    packages::ensure(packages::COMPARE)?;
    let peers = if study.uses_peers() {
        Some(peers::fetch(None)?)
    } else {
        peers::known()
    };
    compare::run_built(
        "gimmal-study",
        &format!("the study {name}"),
        peers.as_deref(),
    )
}

#[cfg(test)]
mod tests {
    use crate::study_options::Cli;
    use clap::{CommandFactory, Parser};

    #[test]
    fn a_study_fetches_peers_only_if_it_measures_them() {
        for study in Cli::command().get_subcommands() {
            let name = study.get_name();
            let cli = Cli::try_parse_from(["study", name]).unwrap();
            // What the studies' sources say: none of the others asks for a queue of another project that is fetched.
            let measures = ["mpsc", "rigtorp-method"].contains(&name);
            assert_eq!(cli.study.uses_peers(), measures, "{name}");
        }
    }
}
