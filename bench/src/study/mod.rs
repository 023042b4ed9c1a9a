//! The studies: each asks one question of this machine and answers it by tables and figures of one form.
//!
//! A study is a module here with a function from a [`Setup`] to [`Findings`](result::Findings), a variant of [`options::Study`] and a line in
//! [`run`].

pub mod caching;
pub mod capacity;
pub mod claim;
pub mod clock;
pub mod co;
pub mod code;
pub mod embedded;
pub mod engine;
pub mod frame;
pub mod ladder;
pub mod mpsc;
pub mod options;
pub mod ordering;
pub mod padding;
pub mod paired;
pub mod pool;
pub mod programs;
pub mod result;
pub mod rigtorp_method;
pub mod shm;
pub mod text;
pub mod waiting;

use crate::clock::Clock;
use crate::report::{self, Taken};
use crate::threads::{allowed_cores, are_siblings, choose_cores, Crew};
use crate::{away, machine, setup};
use anyhow::{anyhow, Context, Result};
use frame::Circumstances;
use indicatif::{ProgressBar, ProgressStyle};
use options::{Common, Study};
use programs::Programs;
use result::{StudyResult, SCHEMA};
use std::path::PathBuf;

/// What a study works with.
pub struct Setup {
    /// What was asked for.
    pub options: Common,
    /// The cores of the leader and the follower.
    pub cores: [usize; 2],
    /// The counter.
    pub clock: Clock,
    /// The two threads, on their cores.
    pub crew: Crew,
}

impl Setup {
    /// `full` of something, or `quick`, or for the tests a few.
    pub fn amount(&self, full: u64, quick: u64) -> u64 {
        const FEW: u64 = 20;
        match (self.options.smoke, self.options.quick) {
            (true, _) => FEW.min(quick),
            (false, true) => quick,
            (false, false) => full,
        }
    }

    /// A progress bar of so many steps, on a terminal only.
    ///
    /// # Errors
    ///
    /// None in practice: the template is a constant.
    pub fn progress(&self, steps: u64) -> Result<ProgressBar> {
        let style =
            ProgressStyle::with_template("{elapsed_precise} {bar:30} {pos}/{len} {wide_msg}")?;
        Ok(ProgressBar::new(steps).with_style(style))
    }
}

/// Runs a study, writes its result and prints it.
///
/// # Errors
///
/// If there is no such study, or it cannot be done here.
pub fn run(study: &Study) -> Result<()> {
    let (name, common) = study.common().map_err(|error| anyhow!(error))?;
    if !common.smoke {
        setup::refuse_assertions(crate::cxx::ndebug(), cfg!(debug_assertions))?;
    }
    let path = file(name, common)?;
    let cores = choose_cores(common.cores, &allowed_cores()?, are_siblings)?;
    let clock = Clock::measure()?;
    let machine = machine::describe(common.rt, cores, &clock);
    setup::warn_of_throttling(&machine);
    let mut setup = Setup {
        options: common.clone(),
        cores,
        clock,
        crew: Crew::new(cores, common.rt)?,
    };
    let stolen = away::stolen(cores);
    let ruler = clock::measure(&mut setup)?;
    let findings = match study {
        Study::Clock(_) => clock::findings(&ruler, setup.crew.taken_off()),
        Study::Co(_) => co::run(setup)?,
        Study::Waiting(_) => waiting::measure(&mut setup)?,
        Study::Padding(_) => padding::findings(&mut setup)?,
        Study::Ordering(_) => ordering::findings(&mut setup)?,
        Study::Caching(_) => caching::findings(&mut setup)?,
        Study::Capacity(_) => capacity::findings(&mut setup)?,
        Study::Mpsc(_) => mpsc::findings(&mut setup)?,
        Study::RigtorpMethod(_) => rigtorp_method::findings(&mut setup)?,
        Study::Pool(_) => pool::findings(&mut setup)?,
        Study::Code(_) => code::findings()?,
        Study::Embedded(_) => embedded::findings()?,
        Study::Engine(_) => engine::measure(&mut setup)?,
        Study::Shm(_) => shm::measure(&mut setup)?,
        Study::Unknown(_) => unreachable!("refused above"),
    };
    let is_ruler = matches!(study, Study::Clock(_));
    let ruler = (!is_ruler).then(|| clock::table(&ruler));
    let circumstances = Circumstances {
        quick: common.quick,
        machine: &machine,
        stolen: away::stolen(cores)
            .zip(stolen)
            .map(|(now, then)| now.saturating_sub(then)),
    };
    let findings = frame::settled(findings, circumstances);
    let result = StudyResult {
        schema: SCHEMA,
        study: name.to_owned(),
        title: findings.title,
        command: setup::invocation("cargo xtask study"),
        taken: Some(Taken::now()),
        machine,
        disturbed: findings.disturbed,
        claim: findings.claim,
        tables: ruler.into_iter().chain(findings.tables).collect(),
        figures: findings.figures,
        notes: findings.notes,
    };
    report::write(&path, &result.to_json()?)?;
    print!("{}", text::text(&result));
    println!("\nresult: {}", path.display());
    Ok(())
}

/// Where the result is to go, once that is known to be possible.
fn file(name: &str, common: &Common) -> Result<PathBuf> {
    let usual = PathBuf::from(format!("target/study/{name}.json"));
    let path = common.json.clone().unwrap_or_else(|| usual.clone());
    report::prepare(&path, &usual)?;
    Ok(path)
}

/// What was found of the programs that were built for the study called `name`.
fn programs(name: &str) -> Result<Programs> {
    /// The file that holds it.
    const PROGRAMS: &str = "GIMMAL_PROGRAMS";
    let Some(path) = std::env::var_os(PROGRAMS) else {
        return Ok(Programs {
            missing: vec![format!(
                "No program was built for this: `cargo xtask study {name}` does that."
            )],
            ..Programs::default()
        });
    };
    serde_json::from_str(&std::fs::read_to_string(path)?).context("the file about the programs")
}
