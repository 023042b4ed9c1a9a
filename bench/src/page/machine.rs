//! Where a figure comes from: the command, the machine, the compilers.

use crate::report::Machine;
use crate::table::number;
use maud::{html, Markup};

/// The block under a figure: the exact command and the machine in a few words, and all that is known of it on demand.
pub fn block(command: &str, machine: &Machine) -> Markup {
    let [leader, follower] = machine.cores;
    html! {
        details.machine {
            summary {
                code { (command) }
                span { (machine.cpu_model) ", cores " (leader) " and " (follower) " of " (machine.core_count)
                    ", " (machine.scheduling) ", Linux " (machine.kernel) }
            }
            dl { @for (name, value) in rows(machine) { div { dt { (name) } dd { (value) } } } }
        }
    }
}

fn rows(machine: &Machine) -> Vec<(&'static str, String)> {
    let known =
        |value: Option<i64>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
    let [leader, follower] = machine.cores;
    vec![
        ("host", machine.hostname.clone()),
        ("architecture", machine.arch.clone()),
        ("processor", machine.cpu_model.clone()),
        (
            "cores",
            format!("{leader} and {follower} of {}", machine.core_count),
        ),
        ("scheduling", machine.scheduling.clone()),
        (
            "virtual",
            machine
                .hypervisor
                .map_or("unknown", |is| if is { "yes" } else { "no" })
                .to_owned(),
        ),
        ("kernel", machine.kernel.clone()),
        ("rustc", machine.compilers.rustc.clone()),
        ("C++", machine.compilers.cxx.clone()),
        ("flags", machine.flags.clone()),
        (
            "clock",
            format!(
                "step {} ns, {} ns a reading",
                number(machine.clock.step_ns),
                number(machine.clock.cost_ns)
            ),
        ),
        (
            "transparent huge pages",
            machine
                .transparent_hugepages
                .clone()
                .unwrap_or_else(|| "unknown".to_owned()),
        ),
        (
            "address randomisation",
            known(machine.aslr_randomize_va_space),
        ),
        ("perf_event_paranoid", known(machine.perf_event_paranoid)),
        ("sched_rt_runtime_us", known(machine.sched_rt_runtime_us)),
        (
            "load average at the start",
            machine.loadavg.map(|load| load.to_string()).join(", "),
        ),
    ]
}
