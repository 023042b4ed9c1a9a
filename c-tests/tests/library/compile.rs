//! Compiles programs of `library/` against libgimmal and runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// What C and C++ must compile under.
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"];

/// A compiler and the language that it compiles the programs as: they are valid C and valid C++.
#[derive(Debug, Clone, Copy)]
pub struct Compiler {
    program: &'static str,
    standard: &'static str,
}

impl Compiler {
    /// Whether it is clang, which compiles for any target.
    pub fn is_clang_for_c(&self) -> bool {
        self.program.starts_with("clang-")
    }

    fn command(&self) -> Command {
        let language = if self.standard.starts_with("c++") {
            "c++"
        } else {
            "c"
        };
        let mut command = Command::new(self.program);
        command
            .arg(format!("-std={}", self.standard))
            .args(WARNINGS)
            .arg("-pthread");
        for folder in ["../include", "support"] {
            command.arg("-I").arg(package(folder));
        }
        command.args(["-x", language]);
        command
    }
}

/// gcc and clang, as C and as C++, as far as they are there; there is always one for C.
pub fn compilers() -> Vec<Compiler> {
    let found: Vec<_> = [
        ("gcc", "c11"),
        ("clang-22", "c11"),
        ("g++", "c++17"),
        ("clang++-22", "c++17"),
        ("clang++-22", "c++20"),
    ]
    .map(|(program, standard)| Compiler { program, standard })
    .into_iter()
    .filter(|compiler| {
        Command::new(compiler.program)
            .arg("--version")
            .output()
            .is_ok()
    })
    .collect();
    assert!(
        found.iter().any(|compiler| compiler.standard == "c11"),
        "no C compiler"
    );
    found
}

/// How the library was built, and so which of its profiles is linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Debug,
    Release,
}

/// The folder that holds the library, which is built on the first call.
pub fn library(profile: Profile) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[profile as usize].get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("lib");
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--locked", "--quiet", "--manifest-path"])
            .arg(package("../ffi/lib/Cargo.toml"));
        cargo.arg("--target-dir").arg(&target);
        let folder = match profile {
            Profile::Debug => "debug",
            Profile::Release => {
                cargo.arg("--release");
                "release"
            }
        };
        succeed(&mut cargo);
        target.join(folder)
    })
}

/// A program of `library/`.
pub struct Program {
    name: &'static str,
    arguments: Vec<&'static str>,
}

impl Program {
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            arguments: Vec::new(),
        }
    }

    pub fn arguments(self, arguments: &[&'static str]) -> Self {
        Self {
            arguments: arguments.to_vec(),
            ..self
        }
    }

    /// Compiles it, links it with `linked` by the same command, and runs it.
    pub fn run(&self, compiler: Compiler, flags: &[&str], linked: &[&str]) {
        let executable = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
            "{}-{}-{}{}",
            self.name,
            compiler.program,
            compiler.standard,
            flags.concat()
        ));
        let mut command = compiler.command();
        command
            .args(flags)
            .arg(package("library").join(self.name))
            .args(["-x", "none"])
            .args(linked);
        succeed(command.arg("-o").arg(&executable));
        succeed(Command::new(executable).args(&self.arguments));
    }

    /// As the static library's users do, by every compiler; and with the sanitizers.
    pub fn run_with_staticlib(&self) {
        for (profile, flags) in [
            (Profile::Release, &["-O2"][..]),
            (
                Profile::Release,
                &[
                    "-O1",
                    "-g",
                    "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all",
                ],
            ),
            (Profile::Debug, &["-O0"]),
        ] {
            let archive = library(profile).join("libgimmal.a");
            for compiler in compilers() {
                self.run(compiler, flags, &[archive.to_str().unwrap()]);
            }
        }
    }
}

/// Compiles a file to nothing.
pub fn check(compiler: Compiler, flags: &[&str], file: &Path) {
    succeed(
        compiler
            .command()
            .args(flags)
            .arg("-fsyntax-only")
            .arg(file),
    );
}

/// A path of this package.
pub fn package(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a command, which must succeed, and returns what it wrote.
pub fn succeed(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
