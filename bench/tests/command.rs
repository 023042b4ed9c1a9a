//! The whole program with few rounds: its table, its JSON, its page, its errors.

use gimmal_bench::page::{page, Source};
use gimmal_bench::registry::Registry;
use gimmal_bench::report::Report;
use scraper::{Html, Selector};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;

/// One run at a time: each takes both cores.
static CORES: Mutex<()> = Mutex::new(());

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gimmal-bench"))
        .args(arguments)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A small run, and where it left its files.
fn run(name: &str, more: &[&str]) -> (Output, String, String) {
    let (json, html) = (
        place(name).join("report.json"),
        place(name).join("report.html"),
    );
    std::fs::create_dir_all(place(name)).unwrap();
    let mut arguments = vec!["--smoke", "--quick", "--rounds", "1"];
    arguments.extend([
        "--json",
        json.to_str().unwrap(),
        "--html",
        html.to_str().unwrap(),
    ]);
    arguments.extend(more);
    let _cores = CORES
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let output = bench(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    (
        output,
        std::fs::read_to_string(json).unwrap(),
        std::fs::read_to_string(html).unwrap(),
    )
}

#[test]
fn a_run_of_everything_reports_every_queue() {
    let (output, json, html) = run("everything", &[]);
    let report = Report::from_json(&json).unwrap();
    let registry = Registry::new();
    let table = String::from_utf8(output.stdout).unwrap();
    for queue in gimmal_bench::catalog::QUEUES
        .iter()
        .filter(|queue| registry.has(queue.id) && !queue.variant)
    {
        let measured = report.cells.iter().any(|cell| cell.queue == queue.id);
        let lost = report.lost.iter().any(|cell| cell.queue == queue.id);
        assert!(measured || lost, "{} is nowhere", queue.id);
        assert!(
            table.contains(queue.id) && html.contains(queue.id),
            "{} is not shown",
            queue.id
        );
    }
    for peer in report.peers.iter().filter(|peer| !peer.found) {
        assert!(table.contains(&format!("{} MISSING", peer.id)), "{table}");
        assert!(
            html.contains("missing"),
            "the page does not name {}",
            peer.id
        );
    }
    assert!(
        table.lines().all(|line| line.chars().count() <= 100),
        "a line is too wide"
    );
    assert!(
        !table.contains('\u{1b}') && output.stderr.is_empty(),
        "a pipe got what is for a terminal"
    );
}

#[test]
fn the_json_has_the_published_keys() {
    let (_, json, _) = run(
        "keys",
        &[
            "--benchmark",
            "round_trip,throughput",
            "--only",
            "line-rust,floor,block",
        ],
    );
    let report: Value = serde_json::from_str(&json).unwrap();
    let has = |value: &Value, keys: &[&str]| {
        for key in keys {
            assert!(value.get(key).is_some(), "no {key} in {value}");
        }
    };
    has(
        &report,
        &["schema", "command", "taken", "machine", "peers", "cells"],
    );
    assert_eq!(report["schema"], 1);
    assert!(report["command"]
        .as_str()
        .unwrap()
        .starts_with("cargo xtask compare --smoke --quick"));
    let machine = &report["machine"];
    has(
        machine,
        &[
            "hostname",
            "arch",
            "cpu_model",
            "core_count",
            "kernel",
            "compilers",
            "flags",
            "clock",
        ],
    );
    has(
        machine,
        &[
            "transparent_hugepages",
            "aslr_randomize_va_space",
            "perf_event_paranoid",
            "sched_rt_runtime_us",
        ],
    );
    has(&machine["compilers"], &["rustc", "cxx"]);
    has(&machine["clock"], &["step_ns", "cost_ns"]);
    assert_eq!(machine["loadavg"].as_array().unwrap().len(), 3);
    assert!(
        machine["core_count"].as_u64().unwrap() >= 2,
        "two cores were used"
    );
    for peer in report["peers"].as_array().unwrap() {
        has(peer, &["id", "version", "found", "from"]);
    }
    let cells = report["cells"].as_array().unwrap();
    assert!(!cells.is_empty(), "every round was dropped");
    for cell in cells {
        has(
            cell,
            &[
                "benchmark",
                "queue",
                "payload_bytes",
                "capacity",
                "hint",
                "placement",
                "rounds",
                "dropped_rounds",
                "unit",
            ],
        );
        has(cell, &["ratio_to_rigtorp", "ratio_to_rigtorp_ci"]);
        match cell["benchmark"].as_str().unwrap() {
            "round_trip" => has(
                cell,
                &[
                    "p50",
                    "p99",
                    "p999",
                    "p9999",
                    "max",
                    "ratio_to_floor",
                    "ratio_to_floor_ci",
                ],
            ),
            _ => has(cell, &["rate", "ratio_to_block", "ratio_to_block_ci"]),
        }
    }
    let queues: BTreeSet<&str> = cells
        .iter()
        .filter_map(|cell| cell["queue"].as_str())
        .collect();
    assert!(
        !queues.contains("boost") && !queues.contains("ring-rust"),
        "{queues:?}"
    );
}

#[test]
fn one_way_reports_a_ladder_and_its_drops() {
    // So fast that the system has no time to interfere, and too few messages to fill a queue.
    let only = ["--only", "line-rust,line-cpp", "--rate", "10000000"];
    let (output, json, _) = run(
        "one-way",
        &[&["--benchmark", "one_way"], &only[..]].concat(),
    );
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("single, ns"), "{table}");
    let report: Value = serde_json::from_str(&json).unwrap();
    let cells = report["cells"].as_array().unwrap();
    assert!(!cells.is_empty(), "every round was dropped");
    for cell in cells {
        assert_eq!(cell["benchmark"], "one_way");
        assert_eq!(
            (&cell["capacity"], &cell["unit"]),
            (&1024.into(), &"ns".into())
        );
        assert_eq!(
            (&cell["rate_hz"], &cell["drops"]),
            (&10_000_000.into(), &0.into())
        );
        let mean = cell["middle_half_mean"].as_f64().unwrap();
        assert!(mean > 1.0, "{cell}");
        if cell["queue"] == "line-cpp" {
            // Both directions, without those that warm; another round is run if the system spoils one of the other queue.
            let wanted = 320 * cell["rounds"].as_u64().unwrap();
            assert_eq!(cell["samples"], wanted, "{cell}");
            let histogram = cell["histogram"].as_array().unwrap();
            let counts = histogram.iter().map(|bin| bin[1].as_u64().unwrap());
            assert_eq!(counts.sum::<u64>(), wanted, "{cell}");
            assert!(cell["max"].as_f64().unwrap() >= mean, "{cell}");
        }
    }
}

#[test]
fn the_page_is_drawn_from_the_json_alone() {
    let (_, json, html) = run(
        "page",
        &[
            "--benchmark",
            "round_trip,single_thread",
            "--only",
            "line-rust,mutex",
        ],
    );
    let source = Source::from_json("report", &json).unwrap();
    assert_eq!(page(&[source], None), html);

    let report = Report::from_json(&json).unwrap();
    let page = Html::parse_document(&html);
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    let all = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    let groups: BTreeSet<_> = report
        .cells
        .iter()
        .map(|cell| {
            (
                &cell.benchmark,
                cell.payload_bytes,
                cell.capacity,
                &cell.placement,
            )
        })
        .collect();
    let drawn = report
        .cells
        .iter()
        .any(|cell| cell.to_reference().0.is_some());
    assert_eq!(
        all("svg[aria-labelledby*=-ratios-]"),
        if drawn { groups.len() } else { 0 },
        "one panel a group"
    );
}

#[test]
fn wrong_options_end_with_a_reason() {
    let refused = |arguments: &[&str], reason: &str| {
        let output = bench(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(
            said(&output).contains(reason),
            "{arguments:?}: {}",
            said(&output)
        );
    };
    refused(&["--only", "nonesuch"], "line-cpp");
    refused(&["--benchmark", "nonesuch"], "bulk_throughput");
    refused(&["--smoke", "--cores", "0,9999"], "core 9999 is not there");
    refused(&["--smoke", "--cores", "0,0"], "twice");
    if cfg!(debug_assertions) {
        refused(&["--quick"], "debug assertions");
    }
    let registry = Registry::new();
    if !registry.has("boost") {
        refused(&["--smoke", "--only", "boost"], "boost was not found");
    }
}

#[test]
fn one_core_alone_is_refused() {
    let output = Command::new("taskset")
        .args([
            "-c",
            "0",
            env!("CARGO_BIN_EXE_gimmal-bench"),
            "--smoke",
            "--quick",
        ])
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(
        said(&output).contains("may use core 0 alone"),
        "{}",
        said(&output)
    );
}

#[test]
fn the_help_names_every_option() {
    let help = said(&bench(&["--help"]));
    for option in [
        "quick",
        "json",
        "html",
        "only",
        "benchmark",
        "rounds",
        "hint",
        "cores",
        "rate",
        "rt",
    ] {
        assert!(help.contains(&format!("--{option}")), "{help}");
    }
}
