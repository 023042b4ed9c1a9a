//! The studies with next to no work: their table, their JSON, their errors.

use gimmal_bench::study::result::{StudyResult, Verdict};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;

/// One run at a time: each takes both cores.
static CORES: Mutex<()> = Mutex::new(());

fn study(arguments: &[&str]) -> Output {
    let _cores = CORES
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    Command::new(env!("CARGO_BIN_EXE_gimmal-study"))
        .args(arguments)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A small run of a study, and what it left.
fn run(name: &str) -> (String, StudyResult) {
    let json = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("study-{name}.json"));
    let output = study(&[name, "--smoke", "--json", json.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        output.stderr.is_empty(),
        "a pipe got what is for a terminal"
    );
    let result = StudyResult::from_json(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(result.study, name);
    assert!(result
        .command
        .starts_with(&format!("cargo xtask study {name} --smoke")));
    assert!(result.taken.is_some());
    assert!(result.machine.core_count >= 2 && result.machine.clock.step_ns > 0.0);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.lines().all(|line| line.chars().count() <= 100),
        "{table}"
    );
    (table, result)
}

#[test]
fn the_clocks_are_measured() {
    let (table, result) = run("clock");
    let counter = if cfg!(target_arch = "x86_64") {
        "rdtsc"
    } else {
        "cntvct_el0"
    };
    for clock in [counter, "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW"] {
        assert!(table.contains(clock), "{table}");
    }
    assert_eq!(result.claim, None);
    for figure in &result.figures {
        assert_eq!(figure.series[0].points.len(), result.tables[0].rows.len());
    }
}

#[test]
fn coordinated_omission_is_shown_three_ways() {
    let (table, result) = run("co");
    for discipline in ["naive", "by schedule", "slip-corrected", "predicted"] {
        assert!(table.contains(discipline), "{table}");
    }
    assert!(
        result.tables[0].title.contains("clocks"),
        "the ruler comes first"
    );
    assert!(result.claim.unwrap().record.contains("0011"));
    for figure in &result.figures {
        assert_eq!(figure.series.len(), 3);
        assert!(figure.series.iter().all(|series| series.points.len() > 1));
    }
}

#[test]
fn predictions_are_judged_and_a_smoke_run_decides_none() {
    for (name, tables) in [
        ("padding", 4),
        ("ordering", 7),
        ("caching", 4),
        ("capacity", 4),
    ] {
        let (_, result) = run(name);
        let claim = result.claim.unwrap();
        let record = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(&claim.record);
        assert!(record.exists(), "{name}: {}", claim.record);
        // One round has no interval, so no ratio is decided.
        assert_eq!(
            claim.verdict,
            Verdict::Undecided,
            "{name}: {}",
            claim.margin
        );
        assert!(
            result.notes[0].starts_with("1 rounds"),
            "{name}: {}",
            result.notes[0]
        );
        // The clocks stand first; the counters' table only where there are counters.
        assert!(
            result.tables.len() >= tables,
            "{name}: {}",
            result.tables.len()
        );
        assert_eq!(result.tables[0].title, "The clocks");
        assert_eq!(
            result.tables.last().unwrap().title,
            "The prediction, part by part"
        );
    }
}

#[test]
fn many_producers_are_measured() {
    let (table, result) = run("mpsc");
    for queue in ["mpsc-cpp", "mpsc-rust", "mpsc-c", "crossbeam-many"] {
        assert!(table.contains(queue), "{table}");
    }
    // In each placement that was seen: the cores may move meanwhile.
    let placements = result.figures.len() / 2;
    assert!(placements > 0, "{table}");
    assert_eq!(result.figures.len(), 2 * placements);
    assert_eq!(result.tables.len(), 1 + 2 * 3 * placements);
    assert!(result.claim.is_some());
}

#[test]
fn the_risk_pipeline_is_measured_row_by_row() {
    let (table, result) = run("engine");
    for row in [
        "base",
        "by index",
        "branchless",
        "not pinned",
        "the engine itself",
    ] {
        assert!(table.contains(row), "{table}");
    }
    let placements = (result.tables.len() - 2) / 3;
    assert!(placements >= 1 && result.figures.len() == 2 * placements);
    assert!(result.claim.unwrap().record.contains("0023"));
}

#[test]
fn a_study_that_there_is_not_is_refused_by_name() {
    let output = study(&["nonesuch"]);
    assert!(!output.status.success());
    let said = said(&output);
    assert!(
        said.contains("`nonesuch`") && said.contains("clock"),
        "{said}"
    );
}

#[test]
fn wrong_options_end_with_a_reason() {
    for (arguments, reason) in [
        (
            &["clock", "--smoke", "--json", "nowhere/at/all.json"][..],
            "there is no directory nowhere/at",
        ),
        (
            &["clock", "--smoke", "--cores", "0,9999"][..],
            "core 9999 is not there",
        ),
        (&["clock", "--smoke", "--cores", "0,0"], "twice"),
        (&["clock", "--hint", "nonesuch"], "lfence"),
    ] {
        let output = study(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(said(&output).contains(reason), "{}", said(&output));
    }
}

#[test]
fn the_help_names_the_studies_and_their_options() {
    assert!(said(&study(&["--help"])).contains("clock"));
    let help = said(&study(&["clock", "--help"]));
    for option in ["json", "quick", "rt", "cores", "hint"] {
        assert!(help.contains(&format!("--{option}")), "{help}");
    }
}

#[test]
fn the_published_method_stands_beside_ours() {
    let registry = gimmal_bench::registry::Registry::new();
    if !["rigtorp", "boost", "moodycamel"]
        .iter()
        .all(|peer| registry.has(peer))
    {
        let output = study(&["rigtorp-method", "--smoke"]);
        assert!(
            said(&output).contains("cannot be measured"),
            "{}",
            said(&output)
        );
        return;
    }
    let (table, result) = run("rigtorp-method");
    for name in ["long, untouched", "capacity 1024", "moodycamel", "line-cpp"] {
        assert!(table.contains(name), "{table}");
    }
    let claim = result.claim.unwrap();
    assert!(
        claim.record.starts_with("docs/adr/0019"),
        "{}",
        claim.record
    );
}

#[test]
fn a_pool_stands_beside_the_allocator() {
    let (table, result) = run("pool");
    for store in [
        "pool-rust",
        "owner-rust",
        "pool-cpp",
        "owner-cpp",
        "pool-c",
        "box",
        "malloc",
    ] {
        assert!(table.contains(store), "{store}: {table}");
    }
    // The clocks, and either way of giving back, at three sizes.
    assert_eq!(result.tables.len(), 3);
    assert!(result.tables[1..]
        .iter()
        .all(|table| table.rows.len() == 7 * 3));
    assert!(result.claim.unwrap().record.starts_with("docs/adr/0014"));
}

#[test]
fn messages_pass_between_two_processes() {
    let (table, result) = run("shm");
    for what in [
        "line, one process",
        "line, segment in one process",
        "line, across",
        "index, across",
    ] {
        assert!(table.contains(what), "{table}");
    }
    assert!(result.claim.unwrap().record.contains("0024"));
    let times = result
        .tables
        .iter()
        .find(|table| table.title.contains("Round trip"));
    let times = times.unwrap();
    // Two sizes, two kinds, four subjects each.
    assert_eq!(times.rows.len(), 16, "{table}");
    assert!(result
        .notes
        .iter()
        .any(|note| note.contains("iceoryx2 is missing")));
}
