//! The shared library's binary interface: what it exports and what the headers declare, and what has changed since the dump that is committed.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use crate::symbols::Form;
use crate::{project, shell};
use anyhow::{anyhow, bail, ensure, Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const PART: Part = Part {
    name: "abi",
    purpose: "libgimmal.so exports what the headers declare, and has the binary interface of the committed dump",
    needs: &[
        Need::program("abigail-tools", "abidiff"),
        Need::program("binutils", "objdump"),
    ],
    run,
};

/// The dump, below the root; named after the version of the interface.
const DUMP: &str = "packaging/abi/libgimmal.so.1.abi";

/// What is no part of the interface.
const OPAQUE: &str = "packaging/abi/opaque.abignore";

/// What begins the name of functions that only a library with the risk pipeline has.
const ENGINE: &str = "gimmal_engine_";

/// What abidiff ends with when functions or types have changed, and when functions are gone.
const CHANGED: i32 = 4;
const BREAKING: i32 = 8;

fn run(record: &mut Record) -> Result<()> {
    record.note(shell::capture(Command::new("abidiff").arg("--version"))?.trim());
    record.run(Form::Bare.build())?;
    let bare = Form::Bare.target().join("release/libgimmal.so");
    let mut declared = functions("gimmal.h")?;
    let of_all: BTreeSet<String> = declared.iter().cloned().chain(functions("gimmal_shm.h")?).collect();
    declared.retain(|name| !name.starts_with(ENGINE));
    let result = compare(&declared, &exported(&bare)?);
    record.check("the bare library", result);

    let whole = build(record)?;
    let result = compare(&of_all, &exported(&whole)?);
    record.check("the library with shm and engine", result);

    let dump = record.folder()?.join("libgimmal.so.1.abi");
    let mut abidw = Command::new("abidw");
    abidw
        .args(["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--type-id-style", "hash", "--out-file"])
        .arg(&dump)
        .arg(&whole);
    shell::capture(&mut abidw)?;
    let text = fs::read_to_string(&dump)?;
    fs::write(&dump, of_no_machine(&text, &project::root().display().to_string()))?;
    let result = abidiff(&project::root().join(DUMP), &dump);
    record.check(&format!("since {DUMP}"), result);
    Ok(())
}

/// The library with everything, and with the types that a dump is made of.
fn build(record: &Record) -> Result<PathBuf> {
    let mut build = project::cargo("build --release --features shm,engine --manifest-path");
    let folder = record.folder()?.join("build");
    build
        .arg(project::lib_manifest())
        .arg("--target-dir")
        .arg(&folder)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "2");
    record.run(build)?;
    Ok(folder.join("release/libgimmal.so"))
}

/// A dump that does not tell where on a machine the sources lay: those of the project from its root, those of a crate from the crate.
fn of_no_machine(dump: &str, root: &str) -> String {
    let mut parts = dump.split("path='");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once('\'').unwrap_or((part, ""));
        let path = match path.split_once("/registry/src/").and_then(|(_, path)| path.split_once('/')) {
            Some((_, of_crate)) => of_crate,
            None => path.strip_prefix(root).unwrap_or(path).trim_start_matches('/'),
        };
        text += &format!("path='{path}'{rest}");
    }
    text
}

/// The functions that a header declares.
fn functions(header: &str) -> Result<BTreeSet<String>> {
    let path = project::root().join("include").join(header);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(declared(&text))
}

fn declared(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut in_comment = false;
    for line in text.lines() {
        let starts = line.trim_start();
        in_comment |= starts.starts_with("/*");
        if in_comment || starts.starts_with("//") || starts.starts_with('#') {
            in_comment &= !line.contains("*/");
            continue;
        }
        // Declarations begin a line; what else is called stands further in, in assertions.
        if line.starts_with(char::is_whitespace) || line.starts_with("GIMMAL_") || line.starts_with("typedef") {
            continue;
        }
        if let Some((before, _)) = line.split_once('(') {
            let name = before.rsplit([' ', '*']).next().unwrap_or_default();
            if name.starts_with("gimmal_") {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

/// The functions that a library exports.
fn exported(library: &Path) -> Result<BTreeSet<String>> {
    let mut nm = Command::new("nm");
    let symbols = shell::capture(nm.args(["--dynamic", "--defined-only"]).arg(library))?;
    Ok(symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect())
}

fn compare(declared: &BTreeSet<String>, exported: &BTreeSet<String>) -> Result<String> {
    let missing: Vec<_> = declared.difference(exported).map(String::as_str).collect();
    let strange: Vec<_> = exported.difference(declared).map(String::as_str).collect();
    ensure!(missing.is_empty(), "declared and not exported: {}", missing.join(" "));
    ensure!(strange.is_empty(), "exported and not declared: {}", strange.join(" "));
    ensure!(!exported.is_empty(), "nothing is exported");
    Ok(format!("exports the {} functions that are declared, and nothing else", exported.len()))
}

fn abidiff(old: &Path, new: &Path) -> Result<String> {
    let renew = format!("if that is meant, copy {} there", new.display());
    ensure!(old.exists(), "there is no dump; {renew}");
    let output = shell::output_within(Duration::from_secs(600), Command::new("abidiff").arg("--suppressions").arg(project::root().join(OPAQUE)).arg(old).arg(new))?;
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(0) => Ok("no difference".into()),
        Some(code) if code & BREAKING != 0 => bail!("programs break, and GIMMAL_ABI_VERSION must change; {renew}\n{said}"),
        Some(code) if code & CHANGED != 0 => bail!("functions or types have changed: whether programs break is to be read; {renew}\n{said}"),
        _ => Err(anyhow!("abidiff {}\n{said}{}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_tells_nothing_of_the_machine() {
        let dump = "<a path='/home/me/gimmal/src/lib.rs' b='c'/><a path='/home/me/.cargo/registry/src/some-index/libc-0.2/src/lib.rs'/><d/>";
        let told = of_no_machine(dump, "/home/me/gimmal");
        assert_eq!(told, "<a path='src/lib.rs' b='c'/><a path='libc-0.2/src/lib.rs'/><d/>");
        assert_eq!(of_no_machine("<d/>", "/home"), "<d/>");
    }

    #[test]
    fn functions_are_read_from_a_header() {
        let text = "/* gimmal_not(a) */\n// gimmal_nor(b)\n#define GIMMAL_X(a) gimmal_macro(a)\n\
                    typedef void (*gimmal_type)(int);\ngimmal_status_t gimmal_one(void);\n\
                    const char *gimmal_two(int a,\n                       int b);\nGIMMAL_ASSERT(gimmal_three(1));\n";
        assert_eq!(declared(text).into_iter().collect::<Vec<_>>(), ["gimmal_one", "gimmal_two"]);
    }

    #[test]
    fn a_function_too_many_or_too_few_is_named() {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        assert!(compare(&set(&["a", "b"]), &set(&["a", "b"])).is_ok());
        let missing = compare(&set(&["a", "b"]), &set(&["a"])).unwrap_err().to_string();
        assert_eq!(missing, "declared and not exported: b");
        let strange = compare(&set(&["a"]), &set(&["a", "c"])).unwrap_err().to_string();
        assert_eq!(strange, "exported and not declared: c");
    }
}
