//! The headers and their tests by old and new compilers, under each standard of C and C++, for 64 and 32 bits.

use super::record::Record;
use super::Part;
use crate::packages::Need;
use super::programs::{self, Compiler, Language, C_STANDARDS, CPP_STANDARDS};
use anyhow::Result;
use std::sync::Mutex;
use std::thread;

pub const PART: Part = Part {
    name: "compilers",
    purpose: "the headers and their tests under gcc 11 and 12, clang 14 to 22, C11 to C23, C++17 to C++23, and -m32",
    needs: &[
        Need::program("gcc-11", "gcc-11"),
        Need::program("g++-11", "g++-11"),
        Need::program("gcc-12", "gcc-12"),
        Need::program("g++-12", "g++-12"),
        Need::program("clang-14", "clang-14"),
        Need::program("clang-15", "clang-15"),
        Need::program("clang-16", "clang-16"),
        Need::program("clang-19", "clang-19"),
        Need::program("clang-22", "clang-22"),
        Need::path("g++-12-multilib", "/usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.a"),
    ],
    run,
};

/// One compiler of one language.
struct Job {
    program: &'static str,
    language: Language,
    flags: &'static [&'static str],
}

const fn c(program: &'static str, flags: &'static [&'static str]) -> Job {
    Job { program, language: Language::C, flags }
}

const fn cpp(program: &'static str, flags: &'static [&'static str]) -> Job {
    Job { program, language: Language::Cpp, flags }
}

const JOBS: [Job; 16] = [
    c("gcc-11", &[]),
    c("gcc-12", &[]),
    c("gcc-12", BITS_32),
    c("clang-14", &[]),
    c("clang-15", &[]),
    c("clang-16", &[]),
    c("clang-19", &[]),
    c("clang-22", &[]),
    cpp("g++-11", &[]),
    cpp("g++-12", &[]),
    cpp("g++-12", BITS_32),
    cpp("clang++-14", &[]),
    cpp("clang++-15", &[]),
    cpp("clang++-16", &[]),
    cpp("clang++-19", &[]),
    cpp("clang++-22", &[]),
];

/// As many at a time.
const WORKERS: usize = 4;

/// `gcc-12-multilib` leaves the kernel's headers, which are the same for 32 bits, where they are for 64.
const BITS_32: &[&str] = &["-m32", "-I/usr/include/x86_64-linux-gnu"];

/// The standard under which the tests run. As C++23, clang 14 has the library's allocator of Debian 12 give misaligned memory:
/// seen in four lines with nothing of ours.
fn newest<'a>(program: &str, standards: &[&'a str]) -> &'a str {
    let left_out = usize::from(program == "clang++-14");
    standards[standards.len() - 1 - left_out]
}

fn run(record: &mut Record) -> Result<()> {
    let jobs = Mutex::new(JOBS.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let work = || loop {
        let Some((number, job)) = jobs.lock().expect("no worker panics").next() else {
            break;
        };
        let mut branch = record.branch();
        let result = look(&mut branch, job).map(|()| String::new());
        branch.check(job.program, result);
        done.lock().expect("no worker panics").push((number, branch));
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner()?;
    done.sort_by_key(|(number, _)| *number);
    for (_, branch) in done {
        record.absorb(branch);
    }
    Ok(())
}

fn look(record: &mut Record, job: &Job) -> Result<()> {
    let standards = match job.language {
        Language::C => C_STANDARDS,
        Language::Cpp => CPP_STANDARDS,
    };
    let compiler = Compiler {
        program: job.program,
        flags: job.flags,
        runner: &[],
        linux: true,
        newest: job.program.ends_with("22") || job.program.ends_with("12"),
    };
    record.note(format!("{}: {}", job.program, compiler.version()?));
    if job.flags == BITS_32 {
        programs::headers(record, &compiler, job.language, &standards[..1])?;
        programs::layout(record, &compiler, job.language, &["-DEXPECT_WORD=4", "-DEXPECT_LINE=64"]);
        return programs::tests(record, &compiler, job.language, standards[0]);
    }
    programs::headers(record, &compiler, job.language, standards)?;
    programs::tests(record, &compiler, job.language, newest(job.program, standards))
}
