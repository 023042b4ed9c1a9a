//! A newcomer's machine: a bare Debian tree with Rust, and in a fresh clone both commands of the README.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use crate::peers::source_package::{codename, suites};
use crate::{project, shell};
use anyhow::{bail, ensure, Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

pub const PART: Part = Part {
    name: "bare",
    purpose: "in a bare Debian tree with Rust, both commands of the README pass; of the tests the steps that GIMMAL_ONLY names, or all",
    needs: &[
        Need::program("debootstrap", "debootstrap"),
        Need::program("git", "git"),
        Need::program("util-linux", "unshare"),
    ],
    run,
};

/// What is there beside Debian's smallest system: what the clone needs, and what Rust asks for to link and to download.
const GIVEN: &str = "ca-certificates,gcc,git,libc6-dev";

/// The machine's certificates, some of which may be of its own network.
const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";

/// Where everything lies in the tree.
const CLONE: &str = "srv/gimmal";
const RUSTUP: &str = "root/.rustup";
const CARGO: &str = "root/.cargo/bin";
const PATH: &str = "/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What of rustup goes by other names.
const PROXIES: [&str; 7] = [
    "cargo",
    "cargo-clippy",
    "cargo-fmt",
    "clippy-driver",
    "rustc",
    "rustdoc",
    "rustfmt",
];

/// Runs a command in the tree, as the first process of a machine whose mounts and processes end with it.
const INSIDE: &str = r#"
set -eu -o pipefail
tree=$1 rustup=$2 log=$3
shift 3
mount -t proc proc "$tree/proc"
mount -t sysfs -o ro sysfs "$tree/sys"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
mount -o bind,ro "$rustup" "$tree/root/.rustup"
chroot "$tree" env -C /srv/gimmal "$@" 2>&1 | tee "$log"
"#;

fn run(record: &mut Record) -> Result<()> {
    let root = rustix::process::geteuid().is_root();
    ensure!(root, "only root may enter such a tree");
    let tree = record.folder()?.join("tree");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    make(record, &tree)?;
    let compared = compare(record, &tree);
    let compared = keep(record, "cargo xtask compare --quick", compared);
    let tested = test(record, &tree);
    let tested = keep(record, "cargo xtask test", tested);
    if compared && tested {
        fs::remove_dir_all(&tree)?;
    }
    Ok(())
}

/// Notes what came of a command; whether it passed.
fn keep(record: &mut Record, what: &str, result: Result<String>) -> bool {
    let passed = result.is_ok();
    record.check(what, result);
    passed
}

/// The tree, with Rust as it is on this machine, and the clone.
fn make(record: &mut Record, tree: &Path) -> Result<()> {
    let codename = codename()?;
    let suites = suites(&codename)?;
    let own = suites.iter().find(|(suite, _)| *suite == codename);
    let (_, archive) = own.with_context(|| format!("apt has no source for {codename}"))?;
    let mut debootstrap = Command::new("debootstrap");
    debootstrap
        .args([
            "--variant=minbase",
            &format!("--include={GIVEN}"),
            &codename,
        ])
        .args([tree.as_os_str(), archive.as_ref()]);
    record.run(debootstrap)?;
    let sources: String = suites
        .iter()
        .map(|(suite, uri)| format!("deb {uri} {suite} main\n"))
        .collect();
    fs::write(tree.join("etc/apt/sources.list"), sources)?;
    fs::write(
        tree.join("etc/hosts"),
        "127.0.0.1 localhost\n::1 localhost\n",
    )?;
    fs::copy("/etc/resolv.conf", tree.join("etc/resolv.conf"))?;
    fs::copy(Path::new("/").join(CERTIFICATES), tree.join(CERTIFICATES))?;

    fs::create_dir_all(tree.join(RUSTUP))?;
    fs::create_dir_all(tree.join(CARGO))?;
    fs::copy(program("rustup")?, tree.join(CARGO).join("rustup"))?;
    for name in PROXIES {
        symlink("rustup", tree.join(CARGO).join(name))?;
    }
    let mut clone = Command::new("git");
    clone
        .args(["clone", "--quiet", "--no-local"])
        .args([project::root(), &tree.join(CLONE)]);
    record.run(clone)?;

    let packages = shell::capture(chroot(tree).args(["dpkg-query", "--show"]))?;
    record.note(format!(
        "Debian {codename}, {} packages, among them {}",
        packages.lines().count(),
        GIVEN.replace(',', " ")
    ));
    let version = inside(record, tree, "rustc", &["rustc", "--version"])?;
    record.note(format!("{}, a clone, and nothing else", version.trim()));
    Ok(())
}

/// Where a program of this machine lies.
fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    found.with_context(|| format!("there is no {name}"))
}

fn compare(record: &mut Record, tree: &Path) -> Result<String> {
    let time = command(record, tree, "compare", &["--quick"])?;
    let results = tree.join(CLONE).join("target/compare");
    let page = fs::read_to_string(results.join("report.html"))?;
    ensure!(page.contains("</html>"), "the page is not whole");
    let report: Value = serde_json::from_str(&fs::read_to_string(results.join("report.json"))?)?;
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let (found, absent): (Vec<Value>, Vec<Value>) = list("peers")
        .into_iter()
        .partition(|peer| peer["found"] == true);
    let cells = list("cells").len();
    ensure!(cells > 0, "it has measured nothing");
    let names = |peers: &[Value]| -> String {
        let names: Vec<&str> = peers
            .iter()
            .filter_map(|peer| peer["id"].as_str())
            .collect();
        names.join(" ")
    };
    ensure!(names(&found).contains("rigtorp"), "rigtorp was not found");
    Ok(format!(
        "passed in {time} s, with {cells} results and a page; beside {}; without {}",
        names(&found),
        names(&absent)
    ))
}

fn test(record: &mut Record, tree: &Path) -> Result<String> {
    let steps = std::env::var("GIMMAL_ONLY").ok();
    let options = match &steps {
        Some(steps) => vec!["--only", steps],
        None => Vec::new(),
    };
    let result = command(record, tree, "test", &options);
    let said = fs::read_to_string(log(record, "test")?).unwrap_or_default();
    for line in closing(&said) {
        record.note(format!("  {line}"));
    }
    Ok(format!("passed in {} s", result?))
}

/// The lines behind the last empty one.
fn closing(said: &str) -> impl Iterator<Item = &str> {
    let lines = said.trim_end().rsplit("\n\n").next();
    lines.unwrap_or_default().lines()
}

/// Runs one of the two commands, and notes what it has installed; how many seconds it took.
fn command(record: &mut Record, tree: &Path, name: &str, options: &[&str]) -> Result<u64> {
    let words = [&["cargo", "xtask", name], options].concat();
    record.note(format!("$ {}", words.join(" ")));
    let before = chosen(tree)?;
    let start = Instant::now();
    let result = inside(record, tree, name, &words);
    let time = start.elapsed().as_secs();
    let after = chosen(tree)?;
    let new: Vec<&str> = after.difference(&before).map(String::as_str).collect();
    match new.as_slice() {
        [] => record.note("  has installed nothing"),
        new => record.note(format!("  has installed {}", new.join(" "))),
    }
    result.map(|_| time)
}

/// The packages that somebody has asked for.
fn chosen(tree: &Path) -> Result<BTreeSet<String>> {
    let list = shell::capture(chroot(tree).args(["apt-mark", "showmanual"]))?;
    Ok(list.lines().map(str::to_owned).collect())
}

/// The environment of a login, with what the network of this machine asks for and how busy it may be.
fn bare(command: &mut Command) {
    const KEPT: [&str; 4] = ["http_proxy", "https_proxy", "no_proxy", "CARGO_BUILD_JOBS"];
    let kept = KEPT.map(|name| (name, std::env::var_os(name)));
    command.env_clear().env("HOME", "/root").env("PATH", PATH);
    for (name, value) in kept {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
}

/// For programs of the tree that need nothing but its files.
fn chroot(tree: &Path) -> Command {
    let mut command = Command::new("chroot");
    bare(&mut command);
    command.arg(tree);
    command
}

/// Runs a command in the clone; what it says is shown, kept in a log of this name, and returned.
fn inside(record: &Record, tree: &Path, name: &str, words: &[&str]) -> Result<String> {
    let rustup = shell::capture(Command::new("rustup").args(["show", "home"]))?;
    let log = log(record, name)?;
    let mut command = Command::new("unshare");
    bare(&mut command);
    command
        .args(["--mount", "--pid", "--fork", "--kill-child"])
        .args(["bash", "-c", INSIDE, "bare"])
        .arg(tree)
        .arg(rustup.trim())
        .arg(&log)
        .args(words);
    match record.run(command) {
        Ok(()) => Ok(fs::read_to_string(log)?),
        Err(_) => bail!("it failed, and has said why in {}", log.display()),
    }
}

fn log(record: &Record, name: &str) -> Result<PathBuf> {
    Ok(record.folder()?.join(format!("{name}.txt")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_lines_are_those_behind_the_last_empty_one() {
        let lines: Vec<&str> =
            closing("built\n\nfmt passed\n\nfmt  passed 1 s\n1 passed, 0 failed\n").collect();
        assert_eq!(lines, ["fmt  passed 1 s", "1 passed, 0 failed"]);
        assert_eq!(closing("").count(), 0);
    }
}
