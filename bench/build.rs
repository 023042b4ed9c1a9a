//! Compiles the C++ kernels, with an adapter for each peer that `GIMMAL_PEERS` (the path of `peers.json`) says was found.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// All that decides about the code. No `-march`: both languages are compiled for the same baseline processor. Position
/// independent, as Rust's programs are.
const FLAGS: [&str; 4] = ["-std=c++17", "-O3", "-DNDEBUG", "-fPIC"];

/// Peers that there is an adapter for.
const PEERS: [&str; 2] = ["rigtorp", "boost"];

fn main() {
    println!("cargo::rerun-if-changed=cxx");
    println!("cargo::rerun-if-changed=../include");
    println!("cargo::rerun-if-env-changed=GIMMAL_PEERS");

    let peers = peers();
    let mut build = cc::Build::new();
    build.cpp(true).no_default_flags(true);
    for flag in FLAGS
        .iter()
        .chain(&["-Wall", "-Wextra", "-Wconversion", "-Wpedantic"])
    {
        build.flag(flag);
    }
    build.include("../include");
    for adapter in ["floor", "block", "mutex", "c_api", "gimmal"] {
        build.file(format!("cxx/adapters/{adapter}.cpp"));
    }
    for peer in peers.as_array().into_iter().flatten() {
        let Some(id) = peer["id"].as_str().filter(|id| PEERS.contains(id)) else {
            continue;
        };
        if peer["found"] != true {
            continue;
        }
        build.file(format!("cxx/adapters/{id}.cpp"));
        build.define(&format!("GIMMAL_BENCH_{}", id.to_uppercase()), None);
        if let Some(directory) = peer["include"].as_str() {
            // As a system's directory, so that a peer's own warnings stay its own.
            build.flag("-isystem").flag(directory);
        }
    }
    build.file("cxx/registry.cpp");
    build.compile("gimmal_bench_kernels");

    let compiler = build.get_compiler();
    println!("cargo::rustc-env=GIMMAL_BENCH_PEERS={peers}");
    println!(
        "cargo::rustc-env=GIMMAL_BENCH_CXX={}",
        first_line(compiler.path())
    );
    println!("cargo::rustc-env=GIMMAL_BENCH_CXXFLAGS={}", FLAGS.join(" "));
    let rustc = std::env::var_os("RUSTC").expect("cargo sets RUSTC");
    println!(
        "cargo::rustc-env=GIMMAL_BENCH_RUSTC={}",
        first_line(Path::new(&rustc))
    );
    let level = std::env::var("OPT_LEVEL").expect("cargo sets OPT_LEVEL");
    println!("cargo::rustc-env=GIMMAL_BENCH_OPT_LEVEL={level}");
}

/// The list in `peers.json`; without one, every peer is absent.
fn peers() -> Value {
    let Some(path) = std::env::var_os("GIMMAL_PEERS") else {
        let absent = |id| serde_json::json!({"id": id, "found": false, "note": "not fetched before the build"});
        return PEERS.map(absent).into_iter().collect();
    };
    println!("cargo::rerun-if-changed={}", path.to_string_lossy());
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.to_string_lossy()));
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", path.to_string_lossy()))
}

/// What a compiler says it is.
fn first_line(compiler: &Path) -> String {
    let output = Command::new(compiler)
        .arg("--version")
        .output()
        .expect("the compiler that was just used runs");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
