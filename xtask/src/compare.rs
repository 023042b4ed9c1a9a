//! `cargo xtask compare`: gimmal's queues beside other queues, on this machine.

use crate::options::Options;
use crate::{packages, peers, project};
use anyhow::{ensure, Context, Result};
use std::path::Path;
use std::process::Command;

/// Gets what the comparison needs, builds it and runs it with the options as they were given.
pub fn run(options: &Options) -> Result<()> {
    check_cores(options.cores)?;
    packages::ensure(packages::COMPARE)?;
    let peers = peers::fetch(options.folly.as_deref())?;
    run_built("gimmal-bench", "the comparison", Some(&peers))
}

/// Builds the package of the comparison with what it needs, of the peers those in this list, and runs one of its programs with the
/// options of the command that called.
pub fn run_built(program: &str, what: &str, peers: Option<&Path>) -> Result<()> {
    let mut build = project::cargo("build --release --package gimmal-bench");
    build.arg("--target-dir").arg(project::target_dir());
    if let Some(peers) = peers {
        build.env("GIMMAL_PEERS", peers);
    }
    project::succeed(build.status()?, "the build of the comparison")?;

    let program = project::target_dir().join("release").join(program);
    let mut bench = Command::new(&program);
    // After `xtask compare` or the like.
    bench.args(std::env::args_os().skip(2));
    if let Some(commit) = project::commit() {
        bench.env("GIMMAL_COMMIT", commit);
    }
    let status = bench
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    project::succeed(status, what)
}

/// What the comparison would refuse after a minute of building is refused at once.
pub fn check_cores(wanted: Option<[usize; 2]>) -> Result<()> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    ensure!(
        allowed.count() >= 2,
        "two cores are needed, and this process may use {}",
        allowed.count()
    );
    let usable: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|&core| allowed.is_set(core))
        .collect();
    for core in wanted.into_iter().flatten() {
        ensure!(
            usable.contains(&core),
            "core {core} does not exist here, or this process may not use it; it may use {}",
            list(&usable)
        );
    }
    ensure!(
        wanted.is_none_or(|[first, second]| first != second),
        "the two cores must differ; this process may use {}",
        list(&usable)
    );
    Ok(())
}

fn list(cores: &[usize]) -> String {
    let cores: Vec<String> = cores.iter().map(ToString::to_string).collect();
    cores.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_cores_that_exist_will_do() {
        if rustix::thread::sched_getaffinity(None).unwrap().count() < 2 {
            assert!(check_cores(None)
                .unwrap_err()
                .to_string()
                .contains("two cores are needed"));
            return;
        }
        assert!(check_cores(None).is_ok());
        let error = |cores| check_cores(Some(cores)).unwrap_err().to_string();
        assert!(error([0, 1023]).contains("core 1023 does not exist"));
        assert!(error([1023, 0]).contains("; it may use "));
        assert!(error([1 << 20, 0]).contains("does not exist"));
        assert!(error([0, 0]).contains("must differ"));
    }
}
