//! The command as a user runs it, beside segments that this program holds.

use gimmal_shm::{Producer, Segment};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};

fn gimmal(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gimmal"));
    command.args(arguments).output().unwrap()
}

fn good(arguments: &[&str]) -> String {
    let output = gimmal(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&good(arguments)).unwrap()
}

/// The last line of what it complains of.
fn bad(arguments: &[&str]) -> String {
    let output = gimmal(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A segment with three messages in it; it goes away at the end.
struct Scrap {
    name: String,
    tx: Option<Producer<[u64; 2]>>,
}

impl Scrap {
    fn new(what: &str) -> Self {
        let name = format!("command-{what}-{}", std::process::id());
        let mut tx = Segment::named(&name)
            .line(64)
            .type_tag(9)
            .producer()
            .unwrap();
        for id in 0..3 {
            tx.push([id, 10 * id]).unwrap();
        }
        Self { name, tx: Some(tx) }
    }
}

impl Drop for Scrap {
    fn drop(&mut self) {
        // It may have been removed.
        let _ = Segment::named(&self.name).remove_by_force();
    }
}

fn row<'v>(rows: &'v Value, name: &str) -> &'v Value {
    let rows = rows["segments"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap()
}

#[test]
fn ls_and_stat_tell_what_is_there() {
    let scrap = Scrap::new("ls");
    let rows = json(&["ls", "--json", "--interval", "1"]);
    let own = row(&rows, &scrap.name);
    let pid = std::process::id();
    assert_eq!(own["kind"], "line");
    assert_eq!(own["depth"], 3);
    assert_eq!(own["rate"], 0.0);
    assert_eq!(own["producers"][0]["peer"], "alive");
    assert_eq!(own["producers"][0]["pid"], pid);
    assert_eq!(own["consumer"]["peer"], "absent");
    assert_eq!(own["is_closed"], false);
    let table = good(&["ls", "--interval", "1"]);
    assert!(
        table.contains("NAME") && table.contains(&scrap.name),
        "{table}"
    );
    assert!(table.lines().all(|line| !line.ends_with(' ')), "{table}");

    let state = json(&["stat", &scrap.name, "--json"]);
    assert_eq!(state["element_size"], 16);
    assert_eq!(state["type_tag"], 9);
    assert_eq!(state["rings"][0]["depth"], 3);
    assert_eq!(state["rate"], 0.0);
    let fields = |end: &Value| end.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&state["consumer"]), fields(&own["consumer"]));
    assert_eq!(state["producers"][0]["pid"], pid);
    let shown = good(&["stat", &scrap.name]);
    assert!(shown.contains("3 in it, 0 dropped"), "{shown}");
    assert!(shown.contains("claimed once"), "{shown}");
    let error = bad(&["stat", "command-none"]);
    assert!(
        error.contains("there is no segment command-none in /dev/shm (--dir"),
        "{error}"
    );
    assert!(bad(&["stat", &scrap.name, "--watch", "0"]).contains("more than 0"));
}

#[test]
fn tap_shows_elements_and_takes_none() {
    let scrap = Scrap::new("tap");
    let tap = |more: &[&str]| good(&[&["tap", &scrap.name, "--count", "3"], more].concat());
    let hex = "0100000000000000 0a00000000000000";
    assert_eq!(tap(&[]).lines().nth(1), Some(hex));
    assert_eq!(
        tap(&["--fields", "u64 tenfold:u64"]).lines().nth(2),
        Some("2 tenfold=20")
    );
    let line = tap(&["--fields", "id:u64 [8]pad", "--json"]);
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(line, serde_json::json!({"ring": 0, "element": {"id": 0}}));
    let error = bad(&["tap", &scrap.name, "--fields", "u64"]);
    assert!(error.contains("have 16 bytes, and the fields 8"), "{error}");
    let error = bad(&["tap", &scrap.name, "--fields", "u65"]);
    assert!(error.contains("u65"), "{error}");
    assert_eq!(tap(&["--idle", "0.01"]).lines().count(), 3);
    assert_eq!(scrap.tx.as_ref().unwrap().len(), 3);
}

#[test]
fn rm_spares_the_living_unless_forced() {
    let mut scrap = Scrap::new("rm");
    let error = bad(&["rm", &scrap.name]);
    assert!(
        error.contains("live process") && error.contains("--force"),
        "{error}"
    );
    good(&["rm", "--force", &scrap.name]);
    assert!(scrap.tx.as_mut().unwrap().push([1, 1]).is_err());
    let error = bad(&["rm", &scrap.name]);
    assert!(error.contains("there is no segment"), "{error}");

    let mut scrap = Scrap::new("rm");
    scrap.tx = None;
    good(&["rm", &scrap.name]);
}

#[test]
fn rm_removes_what_is_no_segment_if_forced() {
    let name = format!("command-link-{}", std::process::id());
    let path = format!("/dev/shm/gimmal-{name}");
    std::os::unix::fs::symlink("/nowhere", &path).unwrap();
    let error = bad(&["rm", &name]);
    assert!(error.contains("--force removes it all the same"), "{error}");
    good(&["rm", "--force", &name]);
    assert!(fs::symlink_metadata(&path).is_err());
}

#[test]
fn rm_spares_what_is_no_segment_unless_forced() {
    let name = format!("command-notes-{}", std::process::id());
    let path = format!("/dev/shm/gimmal-{name}");
    for held in ["", "notes that somebody keeps"] {
        fs::write(&path, held).unwrap();
        let error = bad(&["rm", &name]);
        assert!(error.contains("--force removes it all the same"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), held);
        good(&["rm", "--force", &name]);
        assert!(!fs::exists(&path).unwrap());
    }
    let error = bad(&["rm", &name]);
    assert!(!error.contains("not all"), "{error}");
    let error = bad(&["rm", &name, &name]);
    assert!(error.contains("not all is removed"), "{error}");
}

#[test]
fn what_is_no_segment_is_told_by_its_name() {
    let name = format!("command-folder-{}", std::process::id());
    let path = format!("/dev/shm/gimmal-{name}");
    fs::create_dir(&path).unwrap();
    let [looked, removed] = ["stat", "rm"].map(|verb| bad(&[verb, &name]));
    fs::remove_dir(&path).unwrap();
    for error in [looked, removed] {
        assert!(error.contains(&name), "{error}");
        assert!(error.contains("leads to a directory"), "{error}");
    }
    fs::write(&path, [1; 4096]).unwrap();
    let error = bad(&["tap", &name, "--idle", "0.1"]);
    fs::remove_file(&path).unwrap();
    assert!(error.contains(&name), "{error}");
    assert!(bad(&["stat", ".."]).contains("no segment can be called"));
}

#[test]
fn a_closed_segment_is_told_to_be_closed_and_watching_it_ends() {
    let mut scrap = Scrap::new("closed");
    let line = || {
        let table = good(&["ls", "--interval", "1"]);
        let mut lines = table.lines();
        lines
            .find(|line| line.contains(&scrap.name))
            .unwrap()
            .to_owned()
    };
    assert!(line().contains(" open "), "{}", line());
    scrap.tx.as_mut().unwrap().close();
    assert!(line().contains(" closed "), "{}", line());
    let rows = json(&["ls", "--json", "--interval", "1"]);
    assert_eq!(row(&rows, &scrap.name)["is_closed"], true);
    let seen = gimmal(&["tap", &scrap.name]);
    assert_eq!(String::from_utf8(seen.stdout).unwrap().lines().count(), 3);
    let said = String::from_utf8(seen.stderr).unwrap();
    assert!(said.contains("is closed: no more will come"), "{said}");
}

#[test]
fn who_watches_is_told_that_the_segment_was_removed() {
    for verb in [&["stat", "--watch", "0.01"][..], &["tap"]] {
        let scrap = Scrap::new("gone");
        let mut command = Command::new(env!("CARGO_BIN_EXE_gimmal"));
        command.args(verb).arg(&scrap.name);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It watches as soon as it has shown something.
        let mut first = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut first)
            .unwrap();
        Segment::named(&scrap.name).remove_by_force().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("was replaced or removed"), "{said}");
    }
}

#[test]
fn tap_says_what_it_cannot_watch() {
    let name = format!("command-one-{}", std::process::id());
    let scrap = Scrap { name, tx: None };
    let name = &scrap.name;
    let tx = Segment::named(name).index(1).producer::<u64>().unwrap();
    let error = bad(&["tap", name, "--idle", "0.1"]);
    assert!(
        error.contains("capacity 1") && error.contains(name),
        "{error}"
    );
    drop(tx);
}

#[test]
fn ping_measures_every_strategy_and_leaves_nothing() {
    let report = json(&["ping", "--count", "200", "--json"]);
    let results = report["results"].as_array().unwrap();
    let names: Vec<_> = results.iter().map(|result| &result["strategy"]).collect();
    assert_eq!(names, ["spin", "yield", "park", "adaptive"]);
    for result in results {
        let p50 = |way: &str| result[way]["p50"].as_u64().unwrap();
        assert!(
            p50("round_trip") > p50("one_way") && p50("one_way") > 0,
            "{result}"
        );
    }
    let table = good(&["ping", "--count", "200", "--strategy", "park"]);
    assert!(
        table.contains("round trip") && !table.contains("spin"),
        "{table}"
    );
    assert!(bad(&["ping", "--count", "0"]).contains("--count"));
    assert!(bad(&["ping", "--cores", "4095,4095", "--count", "1"]).contains("core 4095"));
    assert!(bad(&["ping", "--cores", "1"]).contains("two cores"));
    // The other process is the one that cannot start.
    let error = bad(&["ping", "--cores", "0,1023", "--count", "1"]);
    assert!(error.contains("failed to start"), "{error}");
}

#[test]
fn the_rest_prints_what_it_should() {
    assert!(good(&["man"]).starts_with(".ie"));
    assert!(good(&["man"]).contains(".SH TAP"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(good(&["completions", shell]).contains("gimmal"));
    }
    assert!(!good(&["man"]).contains("ls(1)"));
    assert!(bad(&["top"]).contains("needs a terminal"));
    let error = bad(&["ls", "--dir", "/nowhere"]);
    assert!(
        error.contains("cannot list /nowhere: No such file"),
        "{error}"
    );
    for verb in ["ls", "top"] {
        let error = bad(&[verb, "--interval", "0"]);
        assert!(error.contains("0 is not in"), "{error}");
    }
    assert!(good(&["ping", "--help"]).contains("[default: spin,yield,park,adaptive]"));
    let help = good(&["tap", "--help"]);
    assert!(
        help.contains("packed") && help.contains("f32 f64"),
        "{help}"
    );
}
