//! The report as one page that needs nothing else: no network, no script. It is drawn from the report alone.

use crate::catalog::{BENCHMARKS, QUEUES, REFERENCE};
use crate::doubts;
use crate::probe::{Placement, PLACEMENTS};
use crate::report::{Cell, Figures, Lost, Report, TargetRow, Unmeasured};
use crate::svg;
use crate::table::{by_target, counts, groups, missing, number, ratio, unjudged};
use maud::{html, Markup, PreEscaped, DOCTYPE};

/// The page's text.
pub fn page(report: &Report) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "gimmal: queues beside each other" }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                h1 { "Queues beside each other" }
                @if let Some(warning) = doubts::warning(report) { p.warning { (warning) } }
                (circumstances(report))
                nav { ul {
                    li { a href="#targets" { "targets" } }
                    @for benchmark in measured(report) { li { a href=(format!("#{benchmark}")) { (benchmark) } } }
                    li { a href="#queues" { "queues and peers" } }
                    li { a href="#machine" { "machine" } }
                    li { a href="#method" { "how to read it" } }
                } }
                (targets(report))
                @for benchmark in measured(report) { (section(report, benchmark)) }
                (queues(report))
                (machine(report))
                (method(report))
            }
        }
    };
    document.into_string()
}

/// The benchmarks that were run, in the order of the tables.
fn measured(report: &Report) -> Vec<&'static str> {
    let names = BENCHMARKS.iter().map(|benchmark| benchmark.name());
    names
        .filter(|name| {
            report.cells.iter().any(|cell| cell.benchmark == *name)
                || report.lost.iter().any(|cell| cell.benchmark == *name)
        })
        .collect()
}

fn circumstances(report: &Report) -> Markup {
    let machine = &report.machine;
    html! {
        p.soft {
            code { (report.command) } br;
            (machine.cpu_model) ", cores " (machine.cores[0]) " and " (machine.cores[1]) " of " (machine.core_count)
            ", Linux " (machine.kernel) br;
            (machine.compilers.rustc) "; " (machine.compilers.cxx) br;
            (machine.flags)
        }
    }
}

fn targets(report: &Report) -> Markup {
    html! {
        h2 id="targets" { "Targets" }
        p {
            "A target holds, or is missed, where the whole 95 % interval is on one side of its bound; otherwise it is undecided. "
            "What stands for the project in a throughput cell follows a rule, not the better result: " (report.rule) "."
        }
        @for rows in by_target(&report.targets) {
            details {
                summary {
                    (rows[0].target) ": "
                    @for (verdict, count) in counts(rows) { span class=(verdict) { (verdict) " " (count) } " " }
                    "of " (rows.len())
                }
                (target_table(rows))
            }
            @if let Some(entry) = missing(&report.unmeasured, &rows[0].target) { p { (not_measured(entry)) } }
        }
        @for entry in unjudged(report) { p { (entry.target) ": " (not_measured(entry)) } }
    }
}

fn not_measured(entry: &Unmeasured) -> Markup {
    html! { span.soft { "not measured: " (entry.queues.join(", ")) } }
}

fn target_table(rows: &[TargetRow]) -> Markup {
    html! {
        div.wide { table {
            thead { tr {
                th { "verdict" } th { "benchmark" } th.number { "bytes" } th.number { "capacity" } th { "cores" }
                th { "queue" } th { "against" } th.number { "figure" } th { "bound" } th.number { "rounds" }
            } }
            tbody {
                @for row in rows { tr {
                    td class=(row.verdict) { (row.verdict) }
                    td { (row.benchmark) }
                    td.number { (row.payload_bytes) }
                    td.number { (row.capacity) }
                    td { (row.placement) }
                    td { (row.queue) }
                    td { (row.against) }
                    td.number { (ratio((Some(row.value), row.ci))) }
                    td { (row.bound) }
                    td.number { (row.rounds) }
                } }
            }
        } }
    }
}

fn section(report: &Report, benchmark: &str) -> Markup {
    let cells: Vec<Cell> = report
        .cells
        .iter()
        .filter(|cell| cell.benchmark == benchmark)
        .cloned()
        .collect();
    html! {
        h2 id=(benchmark) { (benchmark) }
        p { (meaning(benchmark)) }
        @for placement in PLACEMENTS.map(Placement::name) {
            @let here: Vec<Cell> = cells.iter().filter(|cell| cell.placement == placement).cloned().collect();
            @if !here.is_empty() {
                h3 { "Placement of the cores: " (placement) }
                figure {
                    div.panels { @for group in groups(&here) { (panel(group, &report.lost)) } }
                    figcaption { "Multiples of " (REFERENCE) " with 95 % intervals, on a logarithmic axis. Filled marks are the project's: "
                        "round in Rust, square in C++, triangular through the C ABI. Hollow marks are peers, diamonds limits. Grey, dashed marks with their number of "
                        "rounds n: " (doubts::THIN) "." }
                    (circumstances(report))
                }
                details open {
                    summary { "Figures as a table" }
                    div.tables { @for group in groups(&here) { (cell_table(group)) } }
                }
            }
        }
        @let gone = gone(report, benchmark);
        @if !gone.is_empty() {
            h3 { "Nothing left" }
            div.panels { @for group in gone { (placeholder(group)) } }
        }
    }
}

fn meaning(benchmark: &str) -> &'static str {
    match benchmark {
        "round_trip" => "A message goes there through one queue and back through another: nanoseconds, less is better.",
        "throughput" => "One message at a time, as fast as they go: million a second, more is better.",
        "bulk_throughput" => "Batches of 32 messages: million messages a second, more is better.",
        "single_thread" => "Push and pop by turns on one thread: million pairs a second, more is better.",
        "pop_empty" => "Looking into an empty queue: million looks a second, more is better.",
        _ => "",
    }
}

fn heading(group: &[Cell]) -> String {
    group.first().map_or_else(String::new, |cell| {
        format!("{} bytes, capacity {}", cell.payload_bytes, cell.capacity)
    })
}

/// The groups of which every queue lost every round.
fn gone<'a>(report: &'a Report, benchmark: &str) -> Vec<&'a [Lost]> {
    let is_left = |lost: &Lost| report.cells.iter().any(|cell| lost.is_of(cell));
    report
        .lost
        .chunk_by(Lost::is_beside)
        .filter(|group| group[0].benchmark == benchmark && !is_left(&group[0]))
        .collect()
}

fn placeholder(group: &[Lost]) -> Markup {
    let rounds: u32 = group.iter().map(|lost| lost.dropped_rounds).sum();
    html! {
        div.panel.lost {
            h4 { (group[0].payload_bytes) " bytes, capacity " (group[0].capacity) }
            p { "All " (rounds) " pairs were dropped, of " (names(group)) "." }
        }
    }
}

fn names<'a>(lost: impl IntoIterator<Item = &'a Lost>) -> String {
    let names: Vec<&str> = lost.into_iter().map(|lost| lost.queue.as_str()).collect();
    names.join(", ")
}

fn panel(group: &[Cell], lost: &[Lost]) -> Markup {
    let lost = names(lost.iter().filter(|lost| lost.is_of(&group[0])));
    let void = group.iter().any(|cell| cell.void);
    html! {
        div.panel.void[void] {
            h4 { (heading(group)) @if void { ": void, " (REFERENCE) " differs from itself" } }
            (svg::panel(group))
            @if !lost.is_empty() { div.soft { "every round dropped: " (lost) } }
        }
    }
}

fn cell_table(group: &[Cell]) -> Markup {
    let Some(first) = group.first() else {
        return html! {};
    };
    let timed = matches!(first.figures, Figures::Time { .. });
    html! {
        div.wide { table {
            caption { (heading(group)) ", hint " (first.hint) }
            thead { tr {
                th { "queue" } th.number { (first.unit) } th { "to " (REFERENCE) } th { (if timed { "to floor" } else { "to block" }) }
                @if timed { th.number { "p99" } th.number { "p99.9" } th.number { "p99.99" } th.number { "max" } }
                th.number { "rounds" } th.number { "dropped" }
            } }
            tbody { @for cell in group { tr.thin[cell.is_thin()] {
                td { (cell.queue) }
                td.number { (number(cell.value())) @if cell.is_thin() { "?" } }
                td { (ratio(cell.to_reference())) }
                td { (ratio(cell.to_limit())) }
                @if let Figures::Time { p99, p999, p9999, max, .. } = cell.figures {
                    @for figure in [p99, p999, p9999, max] {
                        td.number { (figure.map_or_else(|| "-".to_owned(), number)) }
                    }
                }
                td.number { (cell.rounds) }
                td.number { (cell.dropped_rounds) }
            } } }
        } }
    }
}

/// Whether a queue was measured, or lost.
fn was_run(report: &Report, queue: &str) -> bool {
    report.cells.iter().any(|cell| cell.queue == queue)
        || report.lost.iter().any(|cell| cell.queue == queue)
}

fn queues(report: &Report) -> Markup {
    html! {
        h2 id="queues" { "Queues and peers" }
        div.wide { table {
            thead { tr { th { "id" } th { "what it is, and how its use departs from the others'" } } }
            tbody { @for queue in QUEUES.iter().filter(|queue| was_run(report, queue.id)) { tr { td { (queue.id) } td.about { (queue.about) } } } }
        } }
        div.wide { table {
            thead { tr { th { "peer" } th { "version" } th { "from" } } }
            tbody { @for peer in &report.peers { tr {
                td { (peer.id) }
                @if peer.found {
                    td { (peer.version.as_deref().unwrap_or_default()) }
                    td.about { (peer.from.as_deref().unwrap_or_default()) }
                } @else {
                    td.missing { "missing" }
                    td.about { (peer.note.as_deref().unwrap_or_default()) }
                }
            } } }
        } }
        @if !report.lost.is_empty() {
            p { "Not measured, since every round was dropped:" }
            ul { @for cell in &report.lost { li {
                (cell.queue) " in " (cell.benchmark) ", " (cell.payload_bytes) " bytes, capacity " (cell.capacity)
                " (" (cell.dropped_rounds) " rounds)"
            } } }
        }
    }
}

fn machine(report: &Report) -> Markup {
    let machine = &report.machine;
    let known =
        |value: Option<i64>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
    let rows = [
        ("host", machine.hostname.clone()),
        ("architecture", machine.arch.clone()),
        ("processor", machine.cpu_model.clone()),
        (
            "cores",
            format!(
                "{} and {} of {}",
                machine.cores[0], machine.cores[1], machine.core_count
            ),
        ),
        ("scheduling", machine.scheduling.clone()),
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
    ];
    html! {
        h2 id="machine" { "Machine" }
        div.wide { table { tbody { @for (name, value) in rows { tr { th { (name) } td.about { (value) } } } } } }
    }
}

fn method(report: &Report) -> Markup {
    html! {
        h2 id="method" { "How to read it" }
        ul {
            li { "Every queue ran beside " (REFERENCE) " in the same second: the ratio is the median over rounds of the ratio "
                "within a round, with the interval in which the median lies with 95 % certainty. Below 6 rounds there is none." }
            li { "rigtorp-again is " (REFERENCE) " once more. Where its interval misses 1, the group is void." }
            li { "The floor is a bare number there and back, measured around every pair in both languages. Where the two "
                "floors of a pair disagree, or the system took a thread off its core, the pair is dropped." }
            li { "A figure with a question mark: " (doubts::THIN) "." }
            li { "Sibling (hardware threads of one core), near (cores that share a cache) and far (cores that do not) are told "
                "apart by the floor. On a virtual machine the placement changes while the program runs." }
            li { "All queues waited with the same hint: " (report.cells.first().map_or("", |cell| cell.hint.as_str())) "." }
            li { "Each message's first and last word are checked on arrival, in the timed run." }
            li { "Percentiles beyond the median are of 10⁶ single messages or more, each with the cost of reading the clock." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{cell, report};

    #[test]
    fn what_was_lost_keeps_its_place() {
        let page_of = |cells| page(&report(cells, &[4, 5]));
        let nothing_left = page_of(Vec::new());
        assert!(
            nothing_left.contains("All 9 pairs were dropped"),
            "{nothing_left}"
        );
        assert!(nothing_left.contains("id=\"throughput\""), "{nothing_left}");
        let one_left = page_of(vec![cell("line-cpp", "near", 9, 0)]);
        assert!(!one_left.contains("pairs were dropped"), "{one_left}");
        assert!(
            one_left.contains("every round dropped: boost, boost"),
            "{one_left}"
        );
        assert!(one_left.contains("class=\"warning\""), "{one_left}");
    }

    #[test]
    fn figures_of_few_rounds_are_marked() {
        let page_of = |rounds| page(&report(vec![cell("line-cpp", "near", rounds, 0)], &[]));
        assert!(page_of(5).contains("class=\"ours thin\""));
        assert!(page_of(5).contains("1.50, n 5<") && page_of(5).contains("1.00?<"));
        assert!(!page_of(6).contains("ours thin") && !page_of(6).contains("1.00?<"));
    }

    #[test]
    fn only_what_was_run_is_described() {
        let page = page(&report(vec![cell("line-cpp", "near", 9, 0)], &[]));
        assert!(page.contains("<td>line-cpp</td>"));
        assert!(!page.contains("<td>ring-cpp</td>") && !page.contains("lab-"));
    }
}
