//! Every block of code of the documents is compiled, and run where it is a program, or marked as something that is not: which, this says.
//!
//! C and C++ are compiled here, by gcc and clang, with the warnings that the project's own code is compiled with. Where a block of text follows, the program must
//! print that. Rust is compiled as the documentation tests of this package. Programs that need another project's header are compiled where that is, and
//! named where it is not; with `GIMMAL_DOCS_ALL` set, that is an error.

#[allow(dead_code)]
mod pages;

use gimmal_c_tests::{Compiler, Program, package, said, succeed};
use pages::{Block, Page, all};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::{env, fs, thread};

/// Marks of what is not compiled.
const NOT_COMPILED: [&str; 7] = ["sh", "text", "toml", "make", "cmake", "yaml", "json"];

/// Words by which a program shows that it needs libgimmal to link.
const LINKED: [&str; 3] = ["\"gimmal.h\"", "gimmal_wait_init", "gimmal_status_str"];

/// What needs libgimmal with the feature `shm`: two programs that speak with each other. They are run by `c-tests/tests/shm`.
const SEGMENTS: &str = "shm";

/// What became of a block.
enum Outcome {
    /// It was compiled, by both compilers.
    Compiled,
    /// It was run too, by both.
    Run,
    /// It could not be, for want of this header.
    Missing(String),
    Failed(String),
}

struct Job {
    page: usize,
    block: Block,
}

fn main() -> ExitCode {
    // What cargo passes to select tests: this is one.
    let pages = all();
    let mut errors = Vec::new();
    let mut counts: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new(); pages.len()];
    let mut jobs = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        for block in page.blocks() {
            let language = block.language().to_owned();
            match language.as_str() {
                _ if on_a_board(page, &block) => {
                    count(&mut counts[number], "for emulated boards");
                }
                "c" | "cpp" => jobs.push(Job {
                    page: number,
                    block,
                }),
                "rust" => match rust(page, &block) {
                    Ok(()) => count(&mut counts[number], "rust as documentation tests"),
                    Err(what) => errors.push(at(page, &block, &what)),
                },
                known if NOT_COMPILED.contains(&known) => {
                    count(&mut counts[number], &format!("{known} not compiled"));
                }
                _ => errors.push(at(
                    page,
                    &block,
                    "a block whose language is not said, or not known",
                )),
            }
        }
    }

    let mut missing = Vec::new();
    for (job, outcome) in compile(jobs) {
        let page = &pages[job.page];
        let language = job.block.language().to_owned();
        let counts = &mut counts[job.page];
        match outcome {
            Outcome::Compiled => count(counts, &format!("{language} compiled")),
            Outcome::Run => count(counts, &format!("{language} run")),
            Outcome::Missing(header) => missing.push(at(
                page,
                &job.block,
                &format!("not compiled, for want of {header}"),
            )),
            Outcome::Failed(what) => errors.push(at(page, &job.block, &what)),
        }
    }
    for (page, counts) in pages.iter().zip(&counts) {
        if !counts.is_empty() {
            let counts: Vec<String> = counts
                .iter()
                .map(|(what, n)| format!("{n} {what}"))
                .collect();
            println!("{}: {}", page.path.display(), counts.join(", "));
        }
    }
    missing
        .iter()
        .for_each(|line| println!("{line}; cargo xtask peers gets it"));
    if env::var_os("GIMMAL_DOCS_ALL").is_some() {
        errors.append(&mut missing);
    }
    errors.iter().for_each(|error| println!("{error}"));
    match errors.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn count(counts: &mut BTreeMap<String, usize>, what: &str) {
    *counts.entry(what.to_owned()).or_default() += 1;
}

fn at(page: &Page, block: &Block, what: &str) -> String {
    format!("{}:{}: {what}", page.path.display(), block.line)
}

/// Whether a block is built and run by `cargo xtask test --only firmware`, which reads this page.
fn on_a_board(page: &Page, block: &Block) -> bool {
    let mark = block.mark.as_deref().unwrap_or_default();
    page.path == Path::new("docs/FIRMWARE.md") && mark.ends_with(",firmware")
}

/// Whether a block of Rust is tested as documentation.
fn rust(page: &Page, block: &Block) -> Result<(), String> {
    let included = format!("\"../../{}\"", page.path.display());
    if !include_str!("../src/lib.rs").contains(&included) {
        return Err("Rust on a page that docs-tests/src/lib.rs does not include".into());
    }
    match block.mark.as_deref() {
        Some("rust") => Ok(()),
        _ => Err("Rust is marked by `rust` alone: each block is compiled and run".into()),
    }
}

/// Compiles the blocks, on as many threads as there are processors.
fn compile(jobs: Vec<Job>) -> Vec<(Job, Outcome)> {
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Mutex<Option<Outcome>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(job) = jobs.get(number) else { break };
        let outcome =
            catch_unwind(AssertUnwindSafe(|| one(number, &job.block))).unwrap_or_else(|_| {
                Outcome::Failed("does not compile, or does not run: see above".into())
            });
        *outcomes[number].lock().expect("nobody panics here") = Some(outcome);
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let outcomes = outcomes.into_iter().map(|outcome| {
        let outcome = outcome.into_inner().expect("nobody panics here");
        outcome.expect("every job was done")
    });
    jobs.into_iter().zip(outcomes).collect()
}

fn one(number: usize, block: &Block) -> Outcome {
    let language = block.language();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("block-{number}.{language}"));
    fs::write(&file, &block.text).expect("a file for the block");
    let source = file.to_str().expect("a path in UTF-8");
    let standard = if language == "cpp" { "c++17" } else { "c11" };
    let peers = peers();
    if let Some(header) = missing_header(block, &peers) {
        return Outcome::Missing(header);
    }
    let is_program = block.text.contains("int main(");
    let is_segment = block.text.contains(&format!("gimmal_{SEGMENTS}.h"))
        || block.text.contains(&format!("gimmal/{SEGMENTS}.hpp"));
    for compiler in Compiler::ALL {
        let mut program = Program::new(compiler, &[(source, standard)]);
        for folder in &peers {
            program = program.flags(&["-isystem", folder.to_str().expect("a path in UTF-8")]);
        }
        if !is_program || is_segment {
            program.check();
            continue;
        }
        if LINKED.iter().any(|word| block.text.contains(word)) {
            program = program.link(&[library()]);
        }
        let output = program.build().output(&[]);
        let printed = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Outcome::Failed(format!(
                "{compiler:?}: {}\n{}",
                output.status,
                said(&output)
            ));
        }
        match &block.output {
            Some(wanted) if *wanted != printed => {
                return Outcome::Failed(format!(
                    "{compiler:?}: prints\n{printed}and not\n{wanted}"
                ));
            }
            _ => {}
        }
    }
    match is_program && !is_segment {
        true => Outcome::Run,
        false => Outcome::Compiled,
    }
}

/// The first header of another project that a block includes and that is not there.
fn missing_header(block: &Block, peers: &[PathBuf]) -> Option<String> {
    let included = block
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("#include <")?.strip_suffix('>'));
    included
        .filter(|header| {
            [
                "rigtorp/",
                "boost/",
                "readerwriterqueue/",
                "concurrentqueue/",
            ]
            .iter()
            .any(|peer| header.starts_with(peer))
        })
        .find(|header| {
            let folders = peers
                .iter()
                .map(PathBuf::as_path)
                .chain([Path::new("/usr/include"), Path::new("/usr/local/include")]);
            !folders
                .into_iter()
                .any(|folder| folder.join(header).is_file())
        })
        .map(str::to_owned)
}

/// Where the headers of other projects lie that are in no package: what `cargo xtask peers` found.
fn peers() -> Vec<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peers");
    let list = env::var_os("GIMMAL_PEERS").map_or(target.join("peers.json"), PathBuf::from);
    let Ok(text) = fs::read_to_string(list) else {
        return Vec::new();
    };
    let list: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list of peers");
    list.iter()
        .filter_map(|peer| peer["include"].as_str())
        .map(PathBuf::from)
        .collect()
}

/// libgimmal, built from `ffi/lib` as its users build it, once.
fn library() -> &'static str {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("lib");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--locked",
            "--quiet",
            "--release",
            "--manifest-path",
        ]);
        succeed(
            cargo
                .arg(package("../ffi/lib/Cargo.toml"))
                .arg("--target-dir")
                .arg(&target),
        );
        let library = target.join("release/libgimmal.a");
        library
            .into_os_string()
            .into_string()
            .expect("a path in UTF-8")
    })
}
