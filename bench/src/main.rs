//! `gimmal-bench`: runs the comparison from the command line.

use anyhow::{bail, Result};
use clap::Parser;
use gimmal_bench::catalog;
use gimmal_bench::clock::Clock;
use gimmal_bench::evaluate::evaluate;
use gimmal_bench::measure::Bench;
use gimmal_bench::options::Options;
use gimmal_bench::registry::Registry;
use gimmal_bench::report::{self, Report, SCHEMA};
use gimmal_bench::threads::{allowed_cores, are_siblings, choose_cores, Crew};
use gimmal_bench::{cxx, html, machine, rule, table};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    if !options.smoke {
        refuse_assertions(cxx::ndebug(), cfg!(debug_assertions))?;
    }
    let peers = machine::peers()?;
    let registry = Registry::new();
    for id in &options.only {
        let missing = catalog::find(id)
            .and_then(|queue| queue.peer)
            .filter(|_| !registry.has(id));
        if let Some(peer) = missing {
            bail!("{id} cannot be measured: {peer} was not found when this program was built");
        }
    }
    let cores = choose_cores(options.cores, &allowed_cores()?, are_siblings)?;
    let clock = Clock::measure()?;
    let machine = machine::describe(options, cores, &clock);
    if options.rt {
        warn_of_throttling(machine.sched_rt_runtime_us);
    }

    let mut crew = Crew::new(cores, options.rt)?;
    let mut bench = Bench::new(options, &registry, &mut crew, clock)?;
    let evaluation = loop {
        bench.run()?;
        let evaluation = evaluate(&bench.groups, bench.divides(), options.hint.name());
        let mut extended = false;
        for group in &evaluation.undecided {
            extended |= bench.extend(group, options.most_rounds());
        }
        if !extended {
            break evaluation;
        }
    };
    bench.finish();

    let report = Report {
        schema: SCHEMA,
        command: command(),
        machine,
        peers,
        rule: rule::WORDS.to_owned(),
        cells: evaluation.cells,
        lost: evaluation.lost,
        targets: evaluation.targets,
        unmeasured: evaluation.unmeasured,
    };
    let json = report.to_json()?;
    report::write(&options.json, &json)?;
    // Drawn from the file's text, so that the page shows nothing that the file does not hold.
    let report = Report::from_json(&json)?;
    report::write(&options.html, &html::page(&report))?;
    print!("{}", table::text(&report));
    println!(
        "\nfigures: {}\npage: {}",
        options.json.display(),
        options.html.display()
    );
    Ok(())
}

/// An assertion in a kernel is measured with it: rigtorp's reads the index that the other thread writes.
fn refuse_assertions(cxx_without: bool, rust_with: bool) -> Result<()> {
    if !cxx_without {
        bail!(
            "the C++ kernels were compiled without NDEBUG, so their assertions would be measured"
        );
    }
    if rust_with {
        bail!("the Rust kernels were compiled with debug assertions, which would be measured: build with --release");
    }
    Ok(())
}

fn warn_of_throttling(runtime_us: Option<i64>) {
    if let Some(runtime) = runtime_us.filter(|&runtime| runtime >= 0) {
        eprintln!(
            "warning: sched_rt_runtime_us is {runtime}: the kernel stops both threads for the rest of every period, which \
             shows as maxima of tens of milliseconds; -1 turns that off"
        );
    }
}

/// How to call it again: by whatever started it if that says so, else by its own name without the directory.
fn command() -> String {
    let program = std::env::var("GIMMAL_COMMAND");
    let program = program.unwrap_or_else(|_| env!("CARGO_PKG_NAME").to_owned());
    std::iter::once(program)
        .chain(std::env::args().skip(1))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_with_an_assertion_is_refused() {
        assert!(refuse_assertions(true, false).is_ok());
        assert!(refuse_assertions(false, false)
            .unwrap_err()
            .to_string()
            .contains("NDEBUG"));
        assert!(refuse_assertions(true, true)
            .unwrap_err()
            .to_string()
            .contains("--release"));
    }
}
