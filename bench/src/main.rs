//! `gimmal-bench`: runs the comparison from the command line.

use anyhow::{bail, Result};
use clap::Parser;
use gimmal_bench::catalog::{self, Benchmark};
use gimmal_bench::clock::Clock;
use gimmal_bench::evaluate::evaluate;
use gimmal_bench::measure::Bench;
use gimmal_bench::options::{Options, HTML, JSON};
use gimmal_bench::page::{page, Source};
use gimmal_bench::registry::Registry;
use gimmal_bench::report::{self, Report, Taken, SCHEMA};
use gimmal_bench::threads::{allowed_cores, are_siblings, choose_cores, Crew};
use gimmal_bench::{cxx, doubts, machine, notes, rule, setup, skew, table};
use std::path::Path;
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
        setup::refuse_assertions(cxx::ndebug(), cfg!(debug_assertions))?;
    }
    report::prepare(&options.json, Path::new(JSON))?;
    report::prepare(&options.html, Path::new(HTML))?;
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
    let machine = machine::describe(options.rt, cores, &clock);
    setup::warn_of_throttling(&machine);

    let mut crew = Crew::new(cores, options.rt)?;
    if options.benchmarks().contains(&Benchmark::OneWay) {
        skew::check(&mut crew)?;
    }
    let mut bench = Bench::new(options, &registry, &mut crew, clock)?;
    let evaluation = loop {
        bench.run()?;
        let evaluation = evaluate(
            &bench.groups,
            bench.divides(),
            options.hint.name(),
            options.rate,
        );
        let mut extended = false;
        for group in &evaluation.undecided {
            extended |= bench.extend(group, options.most_rounds());
        }
        if !extended {
            break evaluation;
        }
    };
    bench.finish();

    let mut report = Report {
        schema: SCHEMA,
        command: setup::invocation("cargo xtask compare"),
        taken: Some(Taken::now()),
        machine,
        peers,
        rule: rule::WORDS.to_owned(),
        cells: evaluation.cells,
        lost: evaluation.lost,
        targets: evaluation.targets,
        unmeasured: evaluation.unmeasured,
        overall: evaluation.overall,
        queues: Vec::new(),
        threats: Vec::new(),
    };
    report.queues = notes::queues(&report);
    report.threats = doubts::threats(&report);
    let json = report.to_json()?;
    report::write(&options.json, &json)?;
    // Drawn from the file, so that the page shows nothing that the file does not hold.
    let source = Source::read(&options.json)?;
    report::write(&options.html, &page(&[source], None))?;
    print!("{}", table::text(&report));
    println!(
        "\nfigures: {}\npage: {}",
        options.json.display(),
        options.html.display()
    );
    Ok(())
}
