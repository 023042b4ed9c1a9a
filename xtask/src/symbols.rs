//! What the release staticlib defines, needs and can reach: the promises of the C API about its binary.

mod callgraph;
mod objdump;

use crate::{packages, project, shell};
use anyhow::{bail, ensure, Context, Result};
use callgraph::CallGraph;
use objdump::{Object, Symbol};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Functions that must be there; no exported function at all may reach a panic.
const HOT: &[&str] = &[
    "gimmal_ring_push",
    "gimmal_ring_pop",
    "gimmal_line_ring_push",
    "gimmal_line_ring_pop",
    "gimmal_mpsc_push",
    "gimmal_mpsc_pop",
];

/// Ends of the names of functions that call the program's own: for a clock or a sleep, or with a result.
const CALLING_BACK: &[&str] = &["_pop_wait", "_push_wait", "_engine_step", "_engine_run"];

/// Called by the panic handler; nothing else may be left of a panic in what is exported.
const PANIC_HOOK: &str = "gimmal_panic";

/// What the library asks of the C library.
const NEEDED: &[&str] = &["memcpy", "memset"];

/// What it asks for besides with the feature `engine`: a thread's priority, and `errno` if that is refused.
const NEEDED_BY_ENGINE: &[&str] = &["sched_setscheduler", "__errno_location"];

/// Functions that are there with the feature `engine`.
const ENGINE: &str = "gimmal_engine_";

/// Functions that enter the kernel and allocate, in the library with the feature `shm`.
const SHM: &str = "gimmal_shm_";

/// A form in which the library is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is for every target.
    Bare,
    /// With the features `engine` and `critical-section`.
    Engine,
    /// With the feature `shm`, and what that needs of Rust's standard library.
    Shm,
}

/// `cargo xtask symbols`
pub fn run() -> Result<()> {
    packages::ensure(packages::BINUTILS)?;
    for &form in Form::ALL {
        shell::run(&indicatif::ProgressBar::hidden(), form.build())?;
        println!("{}", check(&form.staticlib(), form)?);
    }
    Ok(())
}

impl Form {
    /// Those that this machine can have.
    pub const ALL: &[Self] = if cfg!(target_os = "linux") {
        &[Self::Bare, Self::Engine, Self::Shm]
    } else {
        &[Self::Bare, Self::Engine]
    };

    /// The command that makes the release staticlib.
    pub fn build(self) -> Command {
        let mut command = project::cargo("build --release --manifest-path");
        command.arg(project::lib_manifest());
        match self {
            Self::Bare => {}
            Self::Engine => {
                command.args(["--features", "engine,critical-section"]);
            }
            Self::Shm => {
                command.args(["--features", "shm"]);
            }
        }
        command.arg("--target-dir").arg(self.target());
        command
    }

    /// Where [`build`](Self::build) leaves the staticlib.
    pub fn staticlib(self) -> PathBuf {
        self.target().join("release/libgimmal.a")
    }

    /// The target directory of the leaf crate in this form.
    pub fn target(self) -> PathBuf {
        project::target_dir().join(match self {
            Self::Bare => "lib",
            Self::Engine => "lib-engine",
            Self::Shm => "lib-shm",
        })
    }
}

/// Checks an archive; what was found is a sentence, or an error with every fault.
pub fn check(archive: &Path, form: Form) -> Result<String> {
    let mut objdump = Command::new("objdump");
    objdump.args([
        "--syms",
        "--disassemble",
        "--reloc",
        "--wide",
        "--no-show-raw-insn",
    ]);
    let objects = objdump::parse(&shell::capture(objdump.arg(archive))?)?;
    let mut faults = strangers(&objects, form);
    if form != Form::Shm {
        faults.extend(wants(&objects, form));
    }

    let exported = exported(&objects);
    for name in HOT {
        ensure!(
            exported.contains(name),
            "{} does not define {name}",
            archive.display()
        );
    }
    let graph = CallGraph::new(&objects);
    let promised = |name: &&&str| {
        name.starts_with("gimmal_") && !name.starts_with(SHM) && **name != PANIC_HOOK
    };
    for name in exported.iter().filter(promised) {
        let calls_back = CALLING_BACK.iter().any(|end| name.ends_with(end));
        let found = graph
            .faults(name)
            .with_context(|| format!("{name} is not code"))?;
        faults.extend(
            found
                .into_iter()
                .filter(|fault| !(calls_back && fault.ends_with(callgraph::THROUGH_A_POINTER))),
        );
    }
    if !faults.is_empty() {
        bail!("{}:\n{}", archive.display(), faults.join("\n"));
    }
    Ok(match form {
        Form::Bare => format!(
            "{} symbols, all gimmal_*; no panic can be reached from any",
            exported.len()
        ),
        Form::Engine => {
            let engine = exported
                .iter()
                .filter(|name| name.starts_with(ENGINE))
                .count();
            ensure!(
                engine > 0,
                "{} does not define {ENGINE}*",
                archive.display()
            );
            format!("with engine: {engine} symbols {ENGINE}*; no panic can be reached from any")
        }
        Form::Shm => {
            let shm = exported.iter().filter(|name| name.starts_with(SHM)).count();
            ensure!(shm > 0, "{} does not define {SHM}*", archive.display());
            format!("with shm: {shm} symbols {SHM}*; no panic can be reached from the others")
        }
    })
}

/// An object of the compiler's own runtime: Rust's compiler_builtins, or a part of it in C, named for its hash.
fn is_runtime(object: &Object) -> bool {
    let is_hash =
        |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let start = object.name.split('-').next().unwrap_or_default();
    start == "compiler_builtins" || is_hash(start)
}

fn own(objects: &[Object]) -> impl Iterator<Item = &Symbol> {
    objects
        .iter()
        .filter(|object| !is_runtime(object))
        .flat_map(|object| &object.symbols)
}

fn exported(objects: &[Object]) -> BTreeSet<&str> {
    own(objects)
        .filter(|symbol| symbol.global && symbol.is_defined())
        .map(|symbol| symbol.name.as_str())
        .collect()
}

/// Global symbols that would meet those of the program that links the library. With Rust's standard library come Rust's own, which no
/// program in another language has.
fn strangers(objects: &[Object], form: Form) -> Vec<String> {
    let is_rusts = |name: &str| {
        form == Form::Shm && (name.starts_with("_R") || name.ends_with("rust_eh_personality"))
    };
    let foreign = exported(objects)
        .into_iter()
        .filter(|name| !name.starts_with("gimmal_") && !is_rusts(name));
    foreign
        .map(|name| format!("defines {}", callgraph::readable(name)))
        .collect()
}

/// Symbols that neither the archive nor the promise covers.
fn wants(objects: &[Object], form: Form) -> Vec<String> {
    let defined: BTreeSet<&str> = objects
        .iter()
        .flat_map(|object| &object.symbols)
        .filter(|symbol| symbol.is_defined())
        .map(|symbol| symbol.name.as_str())
        .collect();
    let wanted: BTreeSet<&str> = own(objects)
        .filter(|symbol| !symbol.is_defined())
        .map(|symbol| symbol.name.as_str())
        .filter(|name| {
            let promised = NEEDED.contains(name)
                || form == Form::Engine && NEEDED_BY_ENGINE.contains(name)
                || *name == "_GLOBAL_OFFSET_TABLE_";
            !defined.contains(name) && !promised
        })
        .collect();
    wanted
        .into_iter()
        .map(|name| format!("needs {}", callgraph::readable(name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A library with the functions that must be there; `$PUSH` is the body of one of them.
    const LIBRARY: &str = r#"
        #![no_std]
        extern "C" { fn gimmal_panic() -> !; }
        core::arch::global_asm!(".weak gimmal_panic", "gimmal_panic:", "ud2");
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! { unsafe { gimmal_panic() } }
        #[inline(never)]
        fn at(values: &[u8], index: usize) -> u8 { values[index] }
        #[no_mangle]
        pub extern "C" fn gimmal_ring_push(to: *mut u8, from: *const u8, n: usize) -> u8 { $PUSH }
        #[no_mangle]
        pub extern "C" fn gimmal_ring_pop() {}
        #[no_mangle]
        pub extern "C" fn gimmal_line_ring_push() {}
        #[no_mangle]
        pub extern "C" fn gimmal_line_ring_pop() {}
        #[no_mangle]
        pub extern "C" fn gimmal_mpsc_push() {}
        #[no_mangle]
        pub extern "C" fn gimmal_mpsc_pop() {}
    "#;

    const COPY: &str = "unsafe { core::ptr::copy_nonoverlapping(from, to, n) }; 0";
    const INDEX: &str = "let _ = to; at(unsafe { core::slice::from_raw_parts(from, 3) }, n)";

    fn check(push: &str, more: &str) -> Result<String> {
        check_source(&(LIBRARY.replace("$PUSH", push) + more))
    }

    /// Compiles a library as libgimmal is compiled, and checks it.
    fn check_source(source: &str) -> Result<String> {
        let directory = tempfile::tempdir()?;
        super::check(&compile(directory.path(), source)?, Form::Bare)
    }

    fn compile(directory: &Path, source: &str) -> Result<PathBuf> {
        let file = directory.join("library.rs");
        fs::write(&file, source)?;
        let archive = directory.join("libgimmal.a");
        let mut rustc = Command::new("rustc");
        rustc.args([
            "--edition=2021",
            "--crate-name=gimmal",
            "--crate-type=staticlib",
            "-O",
        ]);
        rustc.args(["-Cpanic=abort", "-Clto=fat", "-Ccodegen-units=1", "-o"]);
        shell::capture(rustc.arg(&archive).arg(&file))?;
        Ok(archive)
    }

    #[test]
    fn a_library_that_keeps_the_promises_passes() {
        assert_eq!(
            check(COPY, "").unwrap(),
            "7 symbols, all gimmal_*; no panic can be reached from any"
        );
    }

    #[test]
    fn a_panic_in_push_is_found() {
        let error = check(INDEX, "").unwrap_err().to_string();
        assert!(
            error.contains("gimmal_ring_push -> ") && error.contains("can panic"),
            "{error}"
        );
        assert!(!error.contains("gimmal_ring_pop"), "{error}");
    }

    #[test]
    fn a_foreign_symbol_is_found() {
        let error = check(COPY, r#"#[no_mangle] pub extern "C" fn helper() {}"#).unwrap_err();
        assert!(error.to_string().contains("defines helper"), "{error}");
    }

    #[test]
    fn a_foreign_need_is_found() {
        let more = r#"
            extern "C" { fn malloc(size: usize) -> *mut u8; }
            #[no_mangle] pub extern "C" fn gimmal_make() -> *mut u8 { unsafe { malloc(1) } }"#;
        let error = check(COPY, more).unwrap_err();
        assert!(error.to_string().contains("needs malloc"), "{error}");
    }

    #[test]
    fn a_library_with_the_engine_has_its_functions_and_may_ask_for_the_scheduler() {
        let check = |more: &str| {
            let directory = tempfile::tempdir().unwrap();
            let source = LIBRARY.replace("$PUSH", COPY) + more;
            super::check(&compile(directory.path(), &source).unwrap(), Form::Engine)
        };
        let calling = |name: &str| {
            format!(
                r#"extern "C" {{ fn {name}(); }}
                #[no_mangle] pub extern "C" fn gimmal_engine_raise_thread() {{ unsafe {{ {name}() }} }}"#
            )
        };
        assert!(check(&calling("sched_setscheduler"))
            .unwrap()
            .contains("1 symbols gimmal_engine_*"));
        let error = check(&calling("malloc")).unwrap_err().to_string();
        assert!(error.contains("needs malloc"), "{error}");
        let error = check("").unwrap_err().to_string();
        assert!(error.contains("does not define gimmal_engine_"), "{error}");
    }

    #[test]
    fn a_library_with_shm_has_its_functions() {
        let directory = tempfile::tempdir().unwrap();
        let archive = compile(directory.path(), &LIBRARY.replace("$PUSH", COPY)).unwrap();
        let error = super::check(&archive, Form::Shm).unwrap_err();
        assert!(
            error.to_string().contains("does not define gimmal_shm_"),
            "{error}"
        );
    }

    #[test]
    fn a_call_through_a_pointer_is_found() {
        let more = r#"
            #[no_mangle] pub extern "C" fn gimmal_call(f: extern "C" fn()) { f(); f() }"#;
        let error = check(COPY, more).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("gimmal_call calls through a pointer"),
            "{error}"
        );
    }

    #[test]
    fn a_function_that_waits_may_call_through_a_pointer_but_not_panic() {
        let with = |body: &str| {
            let waiting = "#[no_mangle] pub extern \"C\" fn gimmal_ring_pop_wait(f: extern \"C\" fn(), n: usize) -> u8";
            check(COPY, &format!("{waiting} {{ f(); f(); {body} }}"))
        };
        assert!(with("n as u8").unwrap().starts_with("8 symbols"));
        let error = with("at(b\"abc\", n)").unwrap_err().to_string();
        assert!(
            error.contains("gimmal_ring_pop_wait -> ") && error.contains("can panic"),
            "{error}"
        );
    }

    #[test]
    fn a_library_without_the_functions_is_refused() {
        let handler = "#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }";
        let error = check_source(&format!("#![no_std] {handler}")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("does not define gimmal_ring_push"),
            "{error}"
        );
    }
}
