//! clang-tidy over the headers, alone and as programs instantiate them. `include/.clang-tidy` says which checks are left out, and why.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use crate::{project, shell};
use anyhow::{anyhow, ensure, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub const PART: Part = Part {
    name: "tidy",
    purpose: "clang-tidy's bugprone and cert checks find nothing in the headers",
    needs: &[
        Need::program("clang-tidy-22", "clang-tidy-22"),
        Need::program("clang-22", "clang++-22"),
    ],
    run,
};

/// What includes the headers: themselves, and programs that use most of them.
const SOURCES: [(&str, &str); 13] = [
    ("include/gimmal_inline.h", "c11"),
    ("include/gimmal_shm.h", "c11"),
    ("include/gimmal_inline.h", "c++17"),
    ("include/gimmal.hpp", "c++17"),
    ("include/gimmal/shm.hpp", "c++17"),
    ("include/gimmal/adaptive.hpp", "c++17"),
    ("c-tests/c/inline_ends.c", "c11"),
    ("c-tests/c/inline_mpsc.c", "c11"),
    ("c-tests/cpp/ends.cpp", "c++17"),
    ("c-tests/cpp/objects.cpp", "c++17"),
    ("c-tests/cpp/spsc_queue.cpp", "c++17"),
    ("c-tests/cpp/pool.cpp", "c++17"),
    ("c-tests/cpp/wait.cpp", "c++17"),
];

/// Only what lies in our headers is reported, not what the programs do to try them.
const LINES: &str = r#"[{"name":"gimmal.h"},{"name":"gimmal_inline.h"},{"name":"gimmal_shm.h"},{"name":".hpp"},
{"name":"gimmal/shape.h"},{"name":"gimmal/swap.h"},{"name":"gimmal/mpsc.h"},{"name":"gimmal/bell.h"},{"name":"gimmal/storage.h"},
{"name":"gimmal/batch.h"},{"name":"gimmal/stateless.h"},{"name":"gimmal/declare.h"},{"name":"gimmal/mpsc_declare.h"},{"name":"gimmal/pool.h"},
{"name":"gimmal/mapped.h"}]"#;

/// A header with a fault that a check finds.
const FAULTY: &str = "#include <string.h>\nstatic inline int f(void) { char a[4]; memset(a, sizeof(a), 0); return a[0]; }\n";

fn run(record: &mut Record) -> Result<()> {
    let version = shell::capture(Command::new("clang-tidy-22").arg("--version"))?;
    record.note(version.split_whitespace().collect::<Vec<_>>().join(" "));
    let faulty = record.folder()?.join("include");
    fs::create_dir_all(&faulty)?;
    fs::write(faulty.join("gimmal.h"), FAULTY)?;
    let seen = match look(&faulty.join("gimmal.h"), "c11") {
        Ok(()) => Err(anyhow!("nothing is found in it")),
        Err(_) => Ok("reported".into()),
    };
    record.check("a header with a fault", seen);
    for (source, standard) in SOURCES {
        let result = look(&project::root().join(source), standard).map(|()| "nothing found".into());
        record.check(&format!("{source} as {standard}"), result);
    }
    Ok(())
}

fn look(source: &Path, standard: &str) -> Result<()> {
    let language = if standard.contains("++") { "c++" } else { "c" };
    let mut tidy = Command::new("clang-tidy-22");
    // The programs throw on purpose, out of main too.
    let thrown: &[&str] = match source.starts_with(project::root().join("c-tests/cpp")) {
        true => &["-fno-exceptions"],
        false => &[],
    };
    tidy.arg("--quiet")
        .arg(format!("--config-file={}", project::root().join("include/.clang-tidy").display()))
        .arg(format!("--line-filter={}", LINES.replace('\n', "")))
        .arg(source)
        .args(["--", "-x", language, &format!("-std={standard}"), "-Iinclude", "-Ic-tests/support"])
        .args(thrown)
        .current_dir(project::root());
    let output = shell::output_within(Duration::from_secs(600), &mut tidy)?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && said.trim().is_empty(), "{}", said.trim());
    Ok(())
}
