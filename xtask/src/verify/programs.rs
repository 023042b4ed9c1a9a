//! The headers, and the programs of `c-tests/` that need nothing else, by one compiler or another.

use super::record::Record;
use crate::{project, shell};
use anyhow::{anyhow, ensure, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// What every program must compile under.
pub const WARNINGS: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wpedantic",
    "-Wshadow",
    "-Werror",
];

/// Oldest first. The last is C23 by the name that older compilers know it by.
pub const C_STANDARDS: &[&str] = &["c11", "c17", "c2x"];
/// Oldest first. The last is C++23 by the name that older compilers know it by.
pub const CPP_STANDARDS: &[&str] = &["c++17", "c++20", "c++2b"];

/// The headers that may be included by themselves, and those of Linux alone.
const C_HEADERS: &[&str] = &["gimmal.h", "gimmal_inline.h", "gimmal_shm.h"];
const OF_LINUX: &[&str] = &["gimmal_shm.h", "gimmal/shm.hpp", "gimmal/mapped.h"];

const C_TESTS: &[&str] = &["inline_ends", "inline_mpsc"];
const CPP_TESTS: &[&str] = &[
    "ends",
    "views",
    "objects",
    "spsc_queue",
    "mpsc_ends",
    "pool",
    "wait",
    "two_threads",
    "many_threads",
];

/// What every compiler must complain of.
const FAULTY: &str = "int narrow(long long wide);\nint narrow(long long wide) { return wide; }\n";

/// How long a program may run, on a slow emulator of a busy machine.
const LIMIT: Duration = Duration::from_secs(1800);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
}

impl Language {
    /// What `-x` calls it.
    fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Cpp => "c++",
        }
    }
}

/// A compiler of one language.
pub struct Compiler<'a> {
    pub program: &'a str,
    pub flags: &'a [&'a str],
    /// What starts its programs, where this machine does not.
    pub runner: &'a [&'a str],
    /// Whether it is for Linux.
    pub linux: bool,
    /// Whether it is the newest of its kind.
    pub newest: bool,
}

impl Compiler<'_> {
    /// Its own first line about itself.
    pub fn version(&self) -> Result<String> {
        let said = shell::capture(Command::new(self.program).arg("--version"))?;
        Ok(said.lines().next().unwrap_or_default().to_owned())
    }

    fn command(&self, language: Language, standard: &str) -> Command {
        let mut command = Command::new(self.program);
        command
            .current_dir(project::root().join("c-tests"))
            .args(WARNINGS)
            .args(["-I../include", "-Isupport", "-pthread"])
            .args(self.flags)
            .arg(format!("-std={standard}"))
            .args(["-x", language.name()]);
        command
    }

    fn name(&self) -> String {
        [&[self.program], self.flags].concat().join(" ")
    }
}

/// The headers all together; for a newest compiler each by itself under the oldest standard. In C++ with and without exceptions and type
/// information.
pub fn headers(
    record: &mut Record,
    compiler: &Compiler,
    language: Language,
    standards: &[&str],
) -> Result<()> {
    let forms: &[&[&str]] = match language {
        Language::C => &[&[]],
        Language::Cpp => &[&[], &["-fno-exceptions", "-fno-rtti"]],
    };
    let mut headers = list(language)?;
    headers.retain(|header| compiler.linux || !OF_LINUX.contains(&header.as_str()));
    let all = record.folder()?.join(format!("all-{}", compiler.program));
    fs::write(
        &all,
        headers
            .iter()
            .map(|header| format!("#include \"{header}\"\n"))
            .collect::<String>(),
    )?;
    let faulty = record
        .folder()?
        .join(format!("faulty-{}", compiler.program));
    fs::write(&faulty, FAULTY)?;
    let seen = match silent(
        compiler
            .command(language, standards[0])
            .arg("-fsyntax-only")
            .arg(faulty),
    ) {
        Ok(_) => Err(anyhow!("it is not seen")),
        Err(_) => Ok(String::new()),
    };
    record.check(&format!("a fault, {}", compiler.name()), seen);
    for standard in standards {
        let mut clean = 0;
        let alone = compiler.newest && standards.first() == Some(standard);
        let sources: Vec<PathBuf> = match alone {
            true => headers
                .iter()
                .map(|header| PathBuf::from("../include").join(header))
                .collect(),
            false => vec![all.clone()],
        };
        for source in &sources {
            for form in forms {
                let mut command = compiler.command(language, standard);
                command.args(*form).arg("-fsyntax-only").arg(source);
                let result = silent(&mut command);
                clean += usize::from(result.is_ok());
                let what = format!(
                    "{}, {} -std={standard} {}",
                    source.display(),
                    compiler.name(),
                    form.join(" ")
                );
                record.check(&what, result);
            }
        }
        let how = if alone { "each alone" } else { "together" };
        record.note(format!(
            "{} -std={standard}: {} headers {how}, in {} forms, {clean} of {} without a warning",
            compiler.name(),
            headers.len(),
            forms.len(),
            sources.len() * forms.len(),
        ));
    }
    Ok(())
}

/// The headers of a language, below `include`.
fn list(language: Language) -> Result<Vec<String>> {
    let mut headers: Vec<String> = C_HEADERS.iter().map(|&header| header.to_owned()).collect();
    if language == Language::Cpp {
        headers.push("gimmal.hpp".into());
        for entry in fs::read_dir(project::root().join("include/gimmal"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".hpp") {
                headers.push(format!("gimmal/{name}"));
            }
        }
    }
    headers.sort();
    Ok(headers)
}

/// `docs/LAYOUT.md` as assertions, with what is expected of the target.
pub fn layout(record: &mut Record, compiler: &Compiler, language: Language, expected: &[&str]) {
    let standard = match language {
        Language::C => C_STANDARDS[0],
        Language::Cpp => CPP_STANDARDS[0],
    };
    let mut command = compiler.command(language, standard);
    command
        .args(expected)
        .args(["-S", "-o", "/dev/null", "c/inline_layout.c"]);
    let result = silent(&mut command).map(|_| "as docs/LAYOUT.md says".into());
    record.check(
        &format!("{} layout in {}", compiler.name(), language.name()),
        result,
    );
}

/// The programs, compiled and run.
pub fn tests(
    record: &mut Record,
    compiler: &Compiler,
    language: Language,
    standard: &str,
) -> Result<()> {
    let (folder, ending, names) = match language {
        Language::C => ("c", "c", C_TESTS),
        Language::Cpp => ("cpp", "cpp", CPP_TESTS),
    };
    // Windows wants the ending, and others do not mind it.
    let program =
        record
            .folder()?
            .join(format!("{}{}.exe", compiler.program, compiler.flags.len()));
    let mut passed = Vec::new();
    for name in names {
        let mut compile = compiler.command(language, standard);
        compile
            .arg("-O2")
            .arg(format!("{folder}/{name}.{ending}"))
            .arg("-o")
            .arg(&program);
        let result = silent(&mut compile).and_then(|_| {
            let words: Vec<&str> = compiler.runner.to_vec();
            let mut run = match words.split_first() {
                Some((runner, arguments)) => {
                    let mut run = Command::new(runner);
                    run.args(arguments).arg(&program);
                    run
                }
                None => Command::new(&program),
            };
            shell::capture_within(LIMIT, &mut run).map(|_| String::new())
        });
        if result.is_ok() {
            passed.push(*name);
        }
        record.check(
            &format!("{name}, {} -std={standard}", compiler.name()),
            result,
        );
    }
    record.note(format!(
        "{} -std={standard} -O2, run: {}",
        compiler.name(),
        passed.join(" ")
    ));
    Ok(())
}

/// Runs a compiler, which must say nothing.
fn silent(command: &mut Command) -> Result<String> {
    let output = shell::output_within(LIMIT, command)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success() && said.trim().is_empty(),
        "{}\n{}",
        output.status,
        said.trim()
    );
    Ok(String::new())
}
