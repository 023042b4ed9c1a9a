//! `cargo xtask test`: every check of the project, each a named and timed step.

mod consumers;
mod firmware;
mod page;
mod recipes;
mod sanitizer;
mod static_size;
mod steps;
pub mod targets;

use crate::packages;
use anyhow::{bail, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use steps::{Outcome, Step, STEPS};

/// Options of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Args {
    /// Run these steps only
    #[arg(long, value_name = "STEP,...", value_delimiter = ',')]
    only: Vec<String>,

    /// List the steps and run none
    #[arg(long)]
    list: bool,
}

/// What came of a step, and how long it took.
struct Report {
    name: &'static str,
    result: Result<Outcome>,
    time: Duration,
}

/// Runs the steps asked for, all of them even if one fails.
pub fn run(args: &Args) -> Result<()> {
    let steps = choose(&args.only)?;
    if args.list {
        steps
            .iter()
            .for_each(|step| println!("{:10} {}", step.name, step.purpose));
        return Ok(());
    }
    packages::ensure(packages::TEST)?;
    if std::io::stdout().is_terminal() {
        std::env::set_var("CARGO_TERM_COLOR", "always");
    }

    let bar = progress(steps.len());
    let reports: Vec<Report> = steps.into_iter().map(|step| perform(step, &bar)).collect();
    bar.finish_and_clear();

    println!();
    reports
        .iter()
        .for_each(|report| println!("{}", line(report)));
    println!("{}", totals(&reports));
    if reports.iter().any(|report| report.result.is_err()) {
        std::process::exit(1);
    }
    Ok(())
}

fn choose(names: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(name) = names
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != *name))
    {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("no step is called {name}; there are {}", known.join(", "));
    }
    Ok(STEPS
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
        .collect())
}

/// A line below the output, on a terminal only.
fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {pos}/{len} {msg} {elapsed}");
    let bar = ProgressBar::new(steps as u64).with_style(style.expect("the template is correct"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn perform(step: &Step, bar: &ProgressBar) -> Report {
    bar.set_message(step.name);
    bar.suspend(|| println!("\n== {}: {}", step.name, step.purpose));
    let start = Instant::now();
    let result = (step.run)(bar);
    if let Err(error) = &result {
        bar.suspend(|| println!("{error:#}"));
    }
    bar.inc(1);
    Report {
        name: step.name,
        result,
        time: start.elapsed(),
    }
}

fn line(report: &Report) -> String {
    let (verdict, reason) = match &report.result {
        Ok(Outcome::Passed) => ("passed", ""),
        Ok(Outcome::Skipped(reason)) => ("skipped", reason.as_str()),
        Err(_) => ("FAILED", ""),
    };
    let line = format!(
        "{:10} {verdict:8} {:6.1} s  {reason}",
        report.name,
        report.time.as_secs_f64()
    );
    line.trim_end().into()
}

fn totals(reports: &[Report]) -> String {
    let failed = reports
        .iter()
        .filter(|report| report.result.is_err())
        .count();
    let skipped = reports
        .iter()
        .filter(|report| matches!(report.result, Ok(Outcome::Skipped(_))))
        .count();
    let passed = reports.len() - failed - skipped;
    match skipped {
        0 => format!("{passed} passed, {failed} failed"),
        _ => format!("{passed} passed, {failed} failed, {skipped} skipped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(result: Result<Outcome>) -> Report {
        Report {
            name: "fmt",
            result,
            time: Duration::from_millis(1500),
        }
    }

    #[test]
    fn the_totals_count_steps() {
        let passed = || report(Ok(Outcome::Passed));
        let failed = || report(Err(anyhow::anyhow!("broken")));
        let skipped = || report(Ok(Outcome::Skipped("no nightly".into())));
        assert_eq!(totals(&[passed(), passed()]), "2 passed, 0 failed");
        assert_eq!(
            totals(&[passed(), failed(), skipped()]),
            "1 passed, 1 failed, 1 skipped"
        );
        assert_eq!(line(&passed()), "fmt        passed      1.5 s");
        assert_eq!(line(&skipped()), "fmt        skipped     1.5 s  no nightly");
    }

    #[test]
    fn steps_are_chosen_by_name_in_the_table_s_order() {
        assert_eq!(choose(&[]).unwrap().len(), STEPS.len());
        let names = |steps: Vec<&Step>| steps.iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(
            names(choose(&["doc".into(), "fmt".into()]).unwrap()),
            ["fmt", "doc"]
        );
        let Err(error) = choose(&["nothing".into()]) else {
            panic!("a step called nothing")
        };
        assert!(
            error.to_string().contains("no step is called nothing"),
            "{error}"
        );
    }
}
