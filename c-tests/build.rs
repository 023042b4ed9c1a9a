//! Compiles the C and C++ ends of the mixed tests, by the default compilers and, where there is one, by clang too.

use std::path::Path;
use std::process::Command;

const SOURCES: [&str; 9] = [
    "mix/call.c",
    "mix/inline.c",
    "mix/handle.cpp",
    "mix/adaptive.cpp",
    "mix/pool_call.c",
    "mix/pool_inline.c",
    "mix/pool_view.cpp",
    "mix/wait.c",
    "mix/wait_handle.cpp",
];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(mix_clang)");
    println!("cargo:rerun-if-changed=mix");
    println!("cargo:rerun-if-changed=../include");
    compile("default", None);
    if let Some(version) = ["-22", ""]
        .into_iter()
        .find(|version| exists(&format!("clang++{version}")))
    {
        compile("clang", Some(version));
        println!("cargo:rustc-cfg=mix_clang");
    }
}

fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn compile(name: &str, clang: Option<&str>) {
    for source in SOURCES {
        let cpp = Path::new(source)
            .extension()
            .is_some_and(|ext| ext == "cpp");
        let mut build = cc::Build::new();
        build
            .file(source)
            .include("../include")
            .define("MIX_COMPILER", name)
            .opt_level(2)
            .cpp(cpp)
            .std(if cpp { "c++17" } else { "c11" })
            .warnings_into_errors(true)
            .flags(["-Wall", "-Wextra", "-Wconversion", "-Wpedantic"]);
        if let Some(version) = clang {
            build.compiler(format!(
                "{}{version}",
                if cpp { "clang++" } else { "clang" }
            ));
        }
        let stem = Path::new(source)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        build.compile(&format!("mix_{stem}_{name}"));
    }
}
