//! A comparison: its targets, a part for each benchmark, the queues, and how to read it.

use super::machine::Origin;
use super::{chart, distribution, figure, queues, tables, targets, Place};
use crate::catalog::{BENCHMARKS, REFERENCE};
use crate::doubts;
use crate::probe::{Placement, PLACEMENTS};
use crate::report::{Cell, Lost, Report};
use crate::table::groups;
use maud::{html, Markup};

pub fn parts(report: &Report, place: Place) -> Vec<(String, String)> {
    let benchmarks = measured(report).into_iter();
    std::iter::once(("targets", "targets"))
        .chain(benchmarks.map(|benchmark| (benchmark, benchmark)))
        .chain([("queues", "queues and peers")])
        .chain((!report.threats.is_empty()).then_some(("threats", "threats to validity")))
        .chain([("method", "how to read it")])
        .map(|(part, title)| (place.id(part), title.to_owned()))
        .collect()
}

/// With what sets it apart from a comparison of everything.
pub fn title(report: &Report) -> String {
    let measured = measured(report);
    let mut title = "Queues beside each other".to_owned();
    if !measured.is_empty() && measured.len() < 4 {
        title += &format!(" in {}", measured.join(" and "));
    }
    let asked = |option: &str| report.command.split(' ').any(|word| word == option);
    match (asked("--quick"), asked("--full")) {
        (true, _) => title + ", quick",
        (_, true) => title + ", in full",
        _ => title,
    }
}

pub fn body(report: &Report, place: Place) -> Markup {
    html! {
        @if let Some(warning) = doubts::warning(report) { p.warning { (warning) } }
        (origin(report, place).block())
        h3 id=(place.id("targets")) { "Targets" }
        (targets::targets(report))
        @for benchmark in measured(report) { (section(report, benchmark, place)) }
        h3 id=(place.id("queues")) { "Queues and peers" }
        (queues::queues(report))
        @if !report.threats.is_empty() {
            h3 id=(place.id("threats")) { "Threats to validity" }
            (queues::threats(report))
        }
        h3 id=(place.id("method")) { "How to read it" }
        (method(report))
    }
}

/// The benchmarks that were run, in the order of the tables.
pub fn measured(report: &Report) -> Vec<&'static str> {
    let names = BENCHMARKS.iter().map(|benchmark| benchmark.name());
    names
        .filter(|name| {
            report.cells.iter().any(|cell| cell.benchmark == *name)
                || report.lost.iter().any(|cell| cell.benchmark == *name)
        })
        .collect()
}

fn section(report: &Report, benchmark: &str, place: Place) -> Markup {
    let cells: Vec<Cell> = report
        .cells
        .iter()
        .filter(|cell| cell.benchmark == benchmark)
        .cloned()
        .collect();
    html! {
        h3 id=(place.id(benchmark)) { (benchmark) }
        p { (meaning(benchmark)) }
        @for placement in PLACEMENTS.map(Placement::name) {
            @let here: Vec<Cell> = cells.iter().filter(|cell| cell.placement == placement).cloned().collect();
            @if !here.is_empty() {
                h4 { "Placement of the cores: " (placement) }
                (tables::overview(&groups(&here).collect::<Vec<_>>()))
                (ratios(report, &here, place))
                (distributions(report, &here, place))
            }
        }
        @let gone = gone(report, benchmark);
        @if !gone.is_empty() {
            h4 { "Nothing left" }
            div.panels { @for group in gone { (placeholder(group)) } }
        }
    }
}

fn meaning(benchmark: &str) -> &'static str {
    match benchmark {
        "one_way" => "A message at a time on a schedule, from one core to the other, in both directions: nanoseconds, the mean of the middle half, less is better.",
        "round_trip" => "A message goes there through one queue and back through another: nanoseconds, less is better.",
        "throughput" => "One message at a time, as fast as they go: million a second, more is better.",
        "bulk_throughput" => "Batches of 32 messages: million messages a second, more is better.",
        "single_thread" => "Push and pop by turns on one thread: million pairs a second, more is better.",
        "pop_empty" => "Looking into an empty queue: million looks a second, more is better.",
        _ => "",
    }
}

fn origin<'a>(report: &'a Report, place: Place<'a>) -> Origin<'a> {
    Origin {
        command: &report.command,
        taken: report.taken.as_ref(),
        machine: &report.machine,
        place,
    }
}

fn id_of(group: &[Cell], place: Place, what: &str) -> String {
    let cell = &group[0];
    place.id(&format!(
        "{}-{}-{}-{}-{what}",
        cell.benchmark, cell.payload_bytes, cell.capacity, cell.placement
    ))
}

fn ratios(report: &Report, here: &[Cell], place: Place) -> Markup {
    html! {
        figure {
            div.panels { @for group in groups(here) { (panel(group, &report.lost, place)) } }
            figcaption { p { "Multiples of " (REFERENCE) " with 95 % intervals, on a logarithmic axis. Filled marks are the project's: "
                "round in Rust, square in C++, triangular through the C ABI. Hollow marks are peers, diamonds limits. Grey, dashed marks with their number of "
                "rounds n: " (doubts::THIN) "." } (origin(report, place).line()) }
        }
        details {
            summary { "All figures as tables" }
            div.tables { @for group in groups(here) { (tables::cells(group)) } }
        }
    }
}

fn panel(group: &[Cell], lost: &[Lost], place: Place) -> Markup {
    let lost = names(lost.iter().filter(|lost| lost.is_of(&group[0])));
    let void = group.iter().any(|cell| cell.void);
    html! {
        div.panel.void[void] {
            h5 { (tables::heading(group)) @if void { ": void, " (REFERENCE) " differs from itself" } }
            (chart::panel(group, &id_of(group, place, "ratios")))
            @if !lost.is_empty() { div.soft { "every round dropped: " (lost) } }
        }
    }
}

/// The single messages of the groups of which they were recorded.
fn distributions(report: &Report, here: &[Cell], place: Place) -> Markup {
    let drawn: Vec<Markup> = groups(here)
        .flat_map(|group| {
            let figures = distribution::figures(group, &tables::heading(group));
            let panels = figures.into_iter().enumerate().map(|(index, figure)| {
                let id = id_of(group, place, &format!("singles-{index}"));
                figure::panel(&figure, &id, &html! { h5 { (figure.title) } })
            });
            panels.collect::<Vec<_>>()
        })
        .collect();
    html! { @if !drawn.is_empty() { figure {
        div.panels { @for panel in drawn { (panel) } }
        figcaption { p { "Single messages of all rounds, each with the cost of reading the clock. A strip is darker where more of them fell (by the root of "
            "their number); across it stands the median, within it shorter lines at 99 % and 99.9 %. The axis ends where 99.9 % of the slowest queue's have come; "
            "the number behind › is the share beyond. Ticks and curves end where fewer than 50 messages lie beyond." } (origin(report, place).line()) }
    } } }
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
            h5 { (group[0].payload_bytes) " bytes, capacity " (group[0].capacity) }
            p { "All " (rounds) " pairs were dropped, of " (names(group)) "." }
        }
    }
}

fn names<'a>(lost: impl IntoIterator<Item = &'a Lost>) -> String {
    let names: Vec<&str> = lost.into_iter().map(|lost| lost.queue.as_str()).collect();
    names.join(", ")
}

fn method(report: &Report) -> Markup {
    html! {
        ul {
            li { "Every queue ran beside " (REFERENCE) " in the same second: the ratio is the median over rounds of the ratio "
                "within a round, with the interval in which the median lies with 95 % certainty. Below 6 rounds there is none." }
            li { "▲: a queue is ahead of " (REFERENCE) ", ▼: behind it, since the whole interval is on one side of 1." }
            li { "rigtorp-again is " (REFERENCE) " once more. Where its interval misses 1, the group is void." }
            li { "The floor is a bare number there and back, measured around every pair in both languages. Where the two "
                "floors of a pair disagree, or the system took a thread off its core, the pair is dropped." }
            li { "A figure with a question mark: " (doubts::THIN) "." }
            li { "Sibling (hardware threads of one core), near (cores that share a cache) and far (cores that do not) are told "
                "apart by the floor. On a virtual machine the placement changes while the program runs." }
            li { "All queues waited with the same hint: " (report.cells.first().map_or("", |cell| cell.hint.as_str())) "." }
            li { "Each message's first and last word are checked on arrival, in the timed run." }
            li { "A percentile of single messages, each with the cost of reading the clock, is given where 50 of them lie beyond it: p99 from 5000 messages on, p99.9 from 50,000, "
                "p99.99 from half a million." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{page, Content, Source};
    use super::*;
    use crate::report::examples::{cell, report};
    use crate::report::{OverallRow, QueueNote};

    fn page_of(report: Report) -> String {
        let source = Source {
            name: "report".to_owned(),
            content: Content::Comparison(Box::new(report)),
        };
        page(&[source], None)
    }

    #[test]
    fn what_was_lost_keeps_its_place() {
        let nothing_left = page_of(report(Vec::new(), &[4, 5]));
        assert!(
            nothing_left.contains("All 9 pairs were dropped"),
            "{nothing_left}"
        );
        assert!(
            nothing_left.contains("id=\"r-report-throughput\""),
            "{nothing_left}"
        );
        let one_left = page_of(report(vec![cell("line-cpp", "near", 9, 0)], &[4, 5]));
        assert!(!one_left.contains("pairs were dropped"), "{one_left}");
        assert!(
            one_left.contains("every round dropped: boost, boost"),
            "{one_left}"
        );
        assert!(one_left.contains("class=\"warning\""), "{one_left}");
    }

    #[test]
    fn figures_of_few_rounds_are_marked() {
        let page_of = |rounds| page_of(report(vec![cell("line-cpp", "near", rounds, 0)], &[]));
        assert!(page_of(5).contains("class=\"ours thin\""));
        assert!(page_of(5).contains("1.50, n 5<") && page_of(5).contains("1.00?<"));
        assert!(!page_of(6).contains("ours thin") && !page_of(6).contains("1.00?<"));
    }

    #[test]
    fn departures_and_threats_are_shown_where_the_report_has_them() {
        let mut report = report(vec![cell("line-cpp", "near", 9, 0)], &[]);
        assert!(!page_of(report.clone()).contains("Threats to validity"));
        report.threats.push("the machine is virtual".to_owned());
        report.queues.push(QueueNote {
            id: "line-cpp".to_owned(),
            peer: None,
            about: "a ring".to_owned(),
            deviations: vec!["wastes a slot".to_owned()],
        });
        report.overall.push(OverallRow {
            target: "ahead of all".to_owned(),
            benchmark: "throughput".to_owned(),
            placement: "near".to_owned(),
            cells: 11,
            cells_named: 12,
            bound: ">= 1.50".to_owned(),
            found: "geometric mean 1.71".to_owned(),
            value: 1.71,
            ci: Some([1.6, 1.8]),
            verdict: "holds".to_owned(),
        });
        let page = page_of(report);
        for words in [
            "the machine is virtual",
            "wastes a slot",
            "ahead of all",
            "geometric mean 1.71",
            "11 of 12",
        ] {
            assert!(page.contains(words), "{words}");
        }
    }

    #[test]
    fn only_what_was_run_is_described() {
        let page = page_of(report(vec![cell("line-cpp", "near", 9, 0)], &[]));
        assert!(page.contains("<th scope=\"row\">line-cpp</th>"));
        assert!(!page.contains(">ring-cpp</th>") && !page.contains("lab-"));
    }
}
