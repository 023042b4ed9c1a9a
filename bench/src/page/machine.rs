//! Where a figure comes from: the command, when it was given, the version, the machine, the compilers.

use super::Place;
use crate::report::{Machine, Taken};
use crate::table::number;
use maud::{html, Markup};

/// What every figure of a section has in common.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    pub command: &'a str,
    pub taken: Option<&'a Taken>,
    pub machine: &'a Machine,
    pub place: Place<'a>,
}

impl Origin<'_> {
    /// Once in a section: the exact command and the machine in a few words, and all that is known of it on demand.
    pub fn block(&self) -> Markup {
        let machine = self.machine;
        html! {
            details.machine id=(self.place.id("origin")) {
                summary {
                    code { (self.command) }
                    span { "Taken " (self.when()) " on " (machine.cpu_model) ", " (cores(machine)) " of " (machine.core_count)
                        ", " (machine.scheduling) ", Linux " (machine.kernel) }
                }
                dl { @for (name, value) in rows(machine) { div { dt { (name) } dd { (value) } } } }
            }
            @if let Some(throttling) = machine.throttling() { p.caution { (throttling) } }
        }
    }

    /// Under every figure.
    pub fn line(&self) -> Markup {
        let date = self.taken.map_or("date not recorded", |taken| &taken.date);
        html! {
            p.source {
                (self.machine.cpu_model) ", " (cores(self.machine)) ", " (self.machine.scheduling) ", " (date) "; "
                a href=(format!("#{}", self.place.id("origin"))) { "command and machine" }
            }
        }
    }

    fn when(&self) -> String {
        let unknown = || "at a date and by a version that were not recorded".to_owned();
        self.taken.map_or_else(unknown, Taken::words)
    }
}

/// The two cores in words.
pub fn cores(machine: &Machine) -> String {
    let [leader, follower] = machine.cores;
    format!("cores {leader} and {follower}")
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
