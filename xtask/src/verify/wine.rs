//! The headers and their tests on Windows, by mingw-w64 and Wine.

use super::programs::{self, Compiler, Language, C_STANDARDS, CPP_STANDARDS};
use super::record::Record;
use super::Part;
use crate::packages::Need;
use crate::shell;
use anyhow::Result;
use std::process::Command;

pub const PART: Part = Part {
    name: "wine",
    purpose: "the headers and their tests on 64-bit Windows, by mingw-w64 and Wine",
    needs: &[
        Need::program("gcc-mingw-w64-x86-64-posix", "x86_64-w64-mingw32-gcc-posix"),
        Need::program("g++-mingw-w64-x86-64-posix", "x86_64-w64-mingw32-g++-posix"),
        Need::path("wine64", "/usr/lib/wine/wine64"),
    ],
    run,
};

/// The programs need no library beside them.
const STATIC: &[&str] = &["-static"];

fn run(record: &mut Record) -> Result<()> {
    // A Windows of this part's own, which says nothing of what it lacks.
    std::env::set_var("WINEPREFIX", record.folder()?.join("prefix"));
    std::env::set_var("WINEDEBUG", "-all");
    let version = shell::capture(Command::new(WINE).arg("--version"))?;
    record.note(version.trim());
    for (language, program, standards) in [
        (Language::C, "x86_64-w64-mingw32-gcc-posix", C_STANDARDS),
        (Language::Cpp, "x86_64-w64-mingw32-g++-posix", CPP_STANDARDS),
    ] {
        let compiler = Compiler { program, flags: STATIC, runner: &[WINE], linux: false, newest: true };
        record.note(format!("{program}: {}", compiler.version()?));
        programs::headers(record, &compiler, language, standards)?;
        programs::layout(record, &compiler, language, &["-DEXPECT_WORD=8", "-DEXPECT_LINE=128"]);
        programs::tests(record, &compiler, language, standards[0])?;
    }
    Ok(())
}

const WINE: &str = "/usr/lib/wine/wine64";
