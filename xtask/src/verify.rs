//! `cargo xtask verify`: the long checks, run by hand. Each is a part in a file of its own, and leaves its record in
//! `docs/results/verify/`.

mod programs;
mod record;

use crate::{packages, project, shell};
use anyhow::{bail, Result};
use indicatif::{ProgressBar, ProgressStyle};
use record::Record;
use std::io::IsTerminal;
use std::time::Duration;

/// Declares the parts, each a module with a constant `PART`.
macro_rules! parts {
    ($($name:ident)*) => {
        $(mod $name;)*
        const PARTS: &[Part] = &[$($name::PART),*];
    };
}

parts! {
    compilers
    tidy
    msrv
    s390x
    wine
    deb
    abi
    migration
    fuzz
    coverage
    mutants
    sanitizers
    package
    bare
    soak
}

/// A part: what it is called, what it shows, what it needs, and how it runs. What it finds goes into the record; an error there or from `run`
/// is a failure.
struct Part {
    name: &'static str,
    purpose: &'static str,
    needs: &'static [packages::Need],
    run: fn(&mut Record) -> Result<()>,
}

/// Options of `cargo xtask verify`.
#[derive(clap::Args)]
pub struct Args {
    /// Run these parts only
    #[arg(value_name = "PART")]
    parts: Vec<String>,

    /// List the parts and run none
    #[arg(long)]
    list: bool,
}

/// Runs the parts asked for, all of them even if one fails.
pub fn run(args: &Args) -> Result<()> {
    let parts = choose(&args.parts)?;
    if args.list {
        parts
            .iter()
            .for_each(|part| println!("{:10} {}", part.name, part.purpose));
        return Ok(());
    }
    let bar = progress(parts.len());
    let mut failed = Vec::new();
    for part in &parts {
        bar.set_message(part.name);
        bar.suspend(|| println!("\n== {}: {}", part.name, part.purpose));
        if !perform(part, &bar)? {
            failed.push(part.name);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!(
        "\n{} passed, {} failed",
        parts.len() - failed.len(),
        failed.len()
    );
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Runs a part and writes its record; whether it passed.
fn perform(part: &Part, bar: &ProgressBar) -> Result<bool> {
    let mut record = Record::new(part.name, bar.clone());
    let result = packages::ensure(part.needs).and_then(|()| (part.run)(&mut record));
    record.check("the part as a whole", result.map(|()| String::new()));
    record.write()
}

fn choose(names: &[String]) -> Result<Vec<&'static Part>> {
    if let Some(name) = names
        .iter()
        .find(|name| PARTS.iter().all(|part| part.name != *name))
    {
        let known: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("no part is called {name}; there are {}", known.join(", "));
    }
    Ok(PARTS
        .iter()
        .filter(|part| names.is_empty() || names.iter().any(|name| name == part.name))
        .collect())
}

/// A line below the output, on a terminal only.
fn progress(parts: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {pos}/{len} {msg} {elapsed}");
    let bar = ProgressBar::new(parts as u64).with_style(style.expect("the template is correct"));
    if std::io::stdout().is_terminal() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// Sees to it that `cargo NAME` is there, an extension of cargo that no Debian package has.
fn cargo_tool(record: &Record, name: &str) -> Result<()> {
    if shell::succeeds(project::cargo(name).arg("--version")) {
        return Ok(());
    }
    record.run(project::cargo(&format!("install --locked cargo-{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chosen_by_name() {
        assert_eq!(choose(&[]).unwrap().len(), PARTS.len());
        assert_eq!(choose(&["compilers".into()]).unwrap()[0].name, "compilers");
        let Err(error) = choose(&["nothing".into()]) else {
            panic!("a part called nothing")
        };
        assert!(
            error.to_string().contains("no part is called nothing"),
            "{error}"
        );
    }
}
