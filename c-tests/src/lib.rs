//! Compiles C and C++ programs of this package and runs them, for the tests.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What every program must compile under.
const WARNINGS: [&str; 6] = [
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wpedantic",
    "-Wshadow",
    "-Werror",
];

/// A family of compilers for both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// `gcc` and `g++`.
    Gcc,
    /// `clang` and `clang++`, of version 22 if it is there.
    Clang,
}

impl Compiler {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Gcc, Self::Clang];

    fn command(self, cpp: bool) -> Command {
        let (names, packages): (&[&str], _) = match (self, cpp) {
            (Self::Gcc, false) => (&["gcc"], "gcc"),
            (Self::Gcc, true) => (&["g++"], "g++"),
            (Self::Clang, false) => (&["clang-22", "clang"], "clang-22"),
            (Self::Clang, true) => (&["clang++-22", "clang++"], "clang-22"),
        };
        let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
        match names.iter().find(there) {
            Some(name) => Command::new(name),
            None => panic!("none of {names:?} is there: install the package {packages}"),
        }
    }
}

/// What watches a program while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitizer {
    /// AddressSanitizer and UndefinedBehaviorSanitizer.
    Address,
    /// ThreadSanitizer.
    Thread,
}

/// A program to compile.
#[derive(Debug, Clone)]
pub struct Program {
    compiler: Compiler,
    sources: Vec<(PathBuf, &'static str)>,
    flags: Vec<String>,
    linked: Vec<String>,
}

impl Program {
    /// Of these sources, given from the root of this package, each with its language standard, such as `c11` or `c++17`. A
    /// file of C may be compiled as C++.
    pub fn new(compiler: Compiler, sources: &[(&str, &'static str)]) -> Self {
        let flags = ["-g1", "-pthread", "-I", "../include", "-I", "support"];
        Self {
            compiler,
            sources: sources
                .iter()
                .map(|&(path, standard)| (package(path), standard))
                .collect(),
            flags: flags
                .iter()
                .chain(&WARNINGS)
                .map(|flag| flag.to_string())
                .collect(),
            linked: Vec::new(),
        }
    }

    /// With more flags.
    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|flag| flag.to_string()));
        self
    }

    /// Linked with these libraries, or with what other arguments name.
    pub fn link(mut self, arguments: &[&str]) -> Self {
        self.linked
            .extend(arguments.iter().map(|argument| argument.to_string()));
        self
    }

    /// Watched by a sanitizer.
    pub fn sanitized(self, sanitizer: Sanitizer) -> Self {
        match sanitizer {
            Sanitizer::Address => self.flags(&[
                "-O1",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
            ]),
            Sanitizer::Thread => self.flags(&["-O1", "-fsanitize=thread"]),
        }
    }

    /// Compiles the sources and keeps nothing of it.
    #[track_caller]
    pub fn check(&self) {
        self.assembly();
    }

    /// What the compiler says of sources that it refuses, as it must.
    #[track_caller]
    pub fn refusal(&self) -> String {
        self.sources
            .iter()
            .map(|(source, standard)| {
                let output = output(self.compile(source, standard).arg("-fsyntax-only"));
                assert!(!output.status.success(), "{} compiles", source.display());
                said(&output)
            })
            .collect()
    }

    /// The sources as assembly.
    #[track_caller]
    pub fn assembly(&self) -> String {
        self.sources
            .iter()
            .map(|(source, standard)| {
                said(&succeed(
                    self.compile(source, standard).args(["-S", "-o", "-"]),
                ))
            })
            .collect()
    }

    /// Compiles and links, with what the environment's `LDFLAGS` asks for.
    #[track_caller]
    pub fn build(&self) -> Executable {
        static BUILT: AtomicUsize = AtomicUsize::new(0);
        let number = BUILT.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("OUT_DIR")).join(format!("programs-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the program");
        let mut link = self
            .compiler
            .command(self.sources.iter().any(|(_, standard)| is_cpp(standard)));
        link.args(&self.flags).current_dir(package(""));
        for (n, (source, standard)) in self.sources.iter().enumerate() {
            let object = folder.join(format!("{n}.o"));
            succeed(
                self.compile(source, standard)
                    .arg("-c")
                    .arg("-o")
                    .arg(&object),
            );
            link.arg(object);
        }
        let program = folder.join(format!("program{EXE_SUFFIX}"));
        let more = std::env::var("LDFLAGS").unwrap_or_default();
        link.args(&self.linked).args(more.split_whitespace());
        succeed(link.arg("-o").arg(&program));
        Executable { folder, program }
    }

    /// Compiles, links and runs the program, which must succeed.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) {
        self.build().run(arguments);
    }

    fn compile(&self, source: &Path, standard: &str) -> Command {
        let mut command = self.compiler.command(is_cpp(standard));
        command
            .current_dir(package(""))
            .args(&self.flags)
            .arg(format!("-std={standard}"))
            .args(["-x", if is_cpp(standard) { "c++" } else { "c" }])
            .arg(source);
        command
    }
}

/// A program that was compiled; deleted when dropped.
#[derive(Debug)]
pub struct Executable {
    folder: PathBuf,
    program: PathBuf,
}

impl Executable {
    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.program
    }

    /// Runs it; it must succeed.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) {
        succeed(&mut self.command(arguments));
    }

    /// Runs it with this input, and gives what it printed; it must succeed.
    #[track_caller]
    pub fn fed(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe to the program");
        let output = std::thread::scope(|scope| {
            // A program that ends early leaves a broken pipe, and says why in its output.
            scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
            child.wait_with_output().expect("the program ends")
        });
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs it, whatever comes of it. The first report of a sanitizer ends it.
    #[track_caller]
    pub fn output(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(arguments))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env("TSAN_OPTIONS", "halt_on_error=1");
        command
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // What cannot be deleted now goes with the build folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes a document's blocks of this language to files, to be compiled as its readers would. The files are named after
/// `stem`, a path; this gives theirs.
#[track_caller]
pub fn blocks(document: &str, language: &str, stem: &Path) -> Vec<String> {
    let texts = document
        .split("\n```")
        .filter_map(|part| part.strip_prefix(&format!("{language}\n")));
    let write = |(number, text)| {
        let path = stem.with_extension(format!("{number}.{language}"));
        fs::write(&path, text).expect("a file for the block");
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    texts.enumerate().map(write).collect()
}

/// A path in this package.
pub fn package(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a command that must succeed, and shows what it said if it does not.
#[track_caller]
pub fn succeed(command: &mut Command) -> Output {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        said(&output)
    );
    output
}

/// All that a command said.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat())
        .into_owned()
}

#[track_caller]
fn output(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{command:?} does not start: {error}"),
    }
}

fn is_cpp(standard: &str) -> bool {
    standard.contains("++")
}
