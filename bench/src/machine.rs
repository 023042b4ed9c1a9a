//! What is known of the machine, the compilers and the peers.

use crate::clock::Clock;
use crate::report::{ClockFigures, Compilers, Machine, Peer};
use anyhow::{Context, Result};
use nix::unistd::{sysconf, SysconfVar};
use std::fs::read_to_string;

/// The machine block.
pub fn describe(realtime: bool, cores: [usize; 2], clock: &Clock) -> Machine {
    Machine {
        hostname: line("/proc/sys/kernel/hostname").unwrap_or_default(),
        arch: std::env::consts::ARCH.to_owned(),
        cpu_model: cpu_model(&read_to_string("/proc/cpuinfo").unwrap_or_default()),
        core_count: sysconf(SysconfVar::_NPROCESSORS_ONLN)
            .ok()
            .flatten()
            .unwrap_or_default() as usize,
        cores,
        scheduling: if realtime {
            "SCHED_FIFO"
        } else {
            "SCHED_OTHER"
        }
        .to_owned(),
        kernel: line("/proc/sys/kernel/osrelease").unwrap_or_default(),
        compilers: Compilers {
            rustc: env!("GIMMAL_BENCH_RUSTC").to_owned(),
            cxx: env!("GIMMAL_BENCH_CXX").to_owned(),
        },
        flags: format!(
            "C++: {}; Rust: opt-level={}",
            env!("GIMMAL_BENCH_CXXFLAGS"),
            env!("GIMMAL_BENCH_OPT_LEVEL")
        ),
        clock: ClockFigures {
            step_ns: clock.step_ns,
            cost_ns: clock.cost_ns,
        },
        transparent_hugepages: line("/sys/kernel/mm/transparent_hugepage/enabled")
            .map(|modes| chosen(&modes)),
        aslr_randomize_va_space: number("/proc/sys/kernel/randomize_va_space"),
        perf_event_paranoid: number("/proc/sys/kernel/perf_event_paranoid"),
        sched_rt_runtime_us: number("/proc/sys/kernel/sched_rt_runtime_us"),
        loadavg: loadavg(&line("/proc/loadavg").unwrap_or_default()),
        hypervisor: hypervisor(&read_to_string("/proc/cpuinfo").unwrap_or_default()),
    }
}

/// The peers as they were when the kernels were built.
///
/// # Errors
///
/// If the build left something else than a list of them.
pub fn peers() -> Result<Vec<Peer>> {
    serde_json::from_str(env!("GIMMAL_BENCH_PEERS"))
        .context("the list of peers that the build left")
}

fn line(path: &str) -> Option<String> {
    Some(read_to_string(path).ok()?.trim().to_owned())
}

fn number(path: &str) -> Option<i64> {
    line(path)?.parse().ok()
}

/// The model's name; where the kernel gives none, as on many Arm machines, its numbers.
fn cpu_model(cpuinfo: &str) -> String {
    let field = |name: &str| {
        let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines
            .into_iter()
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim().to_owned())
    };
    field("model name").unwrap_or_else(|| {
        let part = |name: &str| field(name).unwrap_or_default();
        format!(
            "implementer {} part {}",
            part("CPU implementer"),
            part("CPU part")
        )
    })
}

/// Whether the flags of an x86-64 processor name a hypervisor; other processors have no such flag.
fn hypervisor(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// The mode in brackets, of a line such as `always [madvise] never`.
fn chosen(modes: &str) -> String {
    let bracketed = modes
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(modes, |(mode, _)| mode).to_owned()
}

fn loadavg(line: &str) -> [f64; 3] {
    let mut numbers = line
        .split_whitespace()
        .map(|word| word.parse().unwrap_or(0.0));
    [(); 3].map(|()| numbers.next().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_are_read() {
        assert_eq!(
            cpu_model("processor\t: 0\nmodel name\t: Some CPU\n"),
            "Some CPU"
        );
        assert_eq!(
            cpu_model("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "implementer 0x41 part 0xd0c"
        );
        assert_eq!(hypervisor("flags\t\t: fpu hypervisor lm\n"), Some(true));
        assert_eq!(hypervisor("flags\t\t: fpu lm\n"), Some(false));
        assert_eq!(hypervisor("Features\t: fp asimd\n"), None);
        assert_eq!(chosen("always [madvise] never"), "madvise");
        assert_eq!(loadavg("0.16 0.32 0.15 1/140 999"), [0.16, 0.32, 0.15]);
    }

    #[test]
    fn the_builds_list_of_peers_is_one() {
        assert!(peers().unwrap().iter().any(|peer| peer.id == "rigtorp"));
    }
}
