//! Compiles the C++ kernels, with an adapter for each peer that `GIMMAL_PEERS` (the path of `peers.json`) says was found.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// All that decides about the code. No `-march`: both languages are compiled for the same baseline processor. Position
/// independent, as Rust's programs are.
const FLAGS: [&str; 4] = ["-std=c++17", "-O3", "-DNDEBUG", "-fPIC"];

/// The same for folly, whose headers need a later standard.
const LATER_FLAGS: [&str; 4] = ["-std=c++20", "-O3", "-DNDEBUG", "-fPIC"];
const LATER: &str = "folly";

/// Peers that there is an adapter for in C++: compiled in if they were found.
const PEERS: [&str; 6] = [
    "rigtorp",
    "boost",
    "moodycamel",
    "atomic_queue",
    "folly",
    "concurrentqueue",
];

/// Those of them with an adapter for many producers in a file of its own.
const MANY: [&str; 2] = ["boost", "atomic_queue"];

/// Those in Rust, which cargo brings, and their crates.
const CRATES: [(&str, &str); 4] = [
    ("heapless", "heapless"),
    ("rtrb", "rtrb"),
    ("crossbeam", "crossbeam-queue"),
    ("ringbuf", "ringbuf"),
];
/// The rest of the adapters.
const OWN: [&str; 9] = [
    "floor",
    "block",
    "mutex",
    "mutex_condvar",
    "c_api",
    "gimmal",
    "notify",
    "mpsc",
    "lanes",
];

const LOCK: &str = "../Cargo.lock";

fn main() {
    println!("cargo::rerun-if-changed=cxx");
    println!("cargo::rerun-if-changed=../include");
    println!("cargo::rerun-if-env-changed=GIMMAL_PEERS");
    println!("cargo::rerun-if-changed={LOCK}");

    let mut peers = peers();
    let mut build = compiler(&FLAGS);
    for adapter in OWN {
        build.file(format!("cxx/adapters/{adapter}.cpp"));
    }
    build.file("cxx/study/pool.cpp");
    for peer in &peers {
        let Some(id) = peer["id"].as_str().filter(|id| PEERS.contains(id)) else {
            continue;
        };
        if peer["found"] != true {
            continue;
        }
        build.define(&format!("GIMMAL_BENCH_{}", id.to_uppercase()), None);
        let mut later = compiler(&LATER_FLAGS);
        let of_peer = if id == LATER { &mut later } else { &mut build };
        of_peer.file(format!("cxx/adapters/{id}.cpp"));
        if MANY.contains(&id) {
            of_peer.file(format!("cxx/adapters/{id}_many.cpp"));
        }
        if let Some(directory) = peer["include"].as_str() {
            // As a system's directory, so that a peer's own warnings stay its own.
            of_peer.flag("-isystem").flag(directory);
        }
        if id == LATER {
            later.compile("gimmal_bench_later_kernels");
        }
    }
    build.file("cxx/registry.cpp");
    build.compile("gimmal_bench_kernels");

    let compiler = build.get_compiler();
    peers.extend(crates());
    println!(
        "cargo::rustc-env=GIMMAL_BENCH_PEERS={}",
        Value::Array(peers)
    );
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

/// A compiler of kernels.
fn compiler(flags: &[&str]) -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).no_default_flags(true).include("../include");
    for flag in flags
        .iter()
        .chain(&["-Wall", "-Wextra", "-Wconversion", "-Wpedantic"])
    {
        build.flag(flag);
    }
    build
}

/// The list in `peers.json`; without one, every peer is absent.
fn peers() -> Vec<Value> {
    let Some(path) = std::env::var_os("GIMMAL_PEERS") else {
        let absent = |id| serde_json::json!({"id": id, "found": false, "note": "not fetched before the build"});
        return PEERS.map(absent).to_vec();
    };
    println!("cargo::rerun-if-changed={}", path.to_string_lossy());
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.to_string_lossy()));
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", path.to_string_lossy()))
}

/// The peers in Rust, at the versions that are built.
fn crates() -> impl Iterator<Item = Value> {
    let lock = std::fs::read_to_string(LOCK).unwrap_or_else(|error| panic!("{LOCK}: {error}"));
    CRATES.into_iter().map(move |(id, name)| {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let versions: Vec<&str> = lock
            .split(&entry)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        let [version] = versions[..] else {
            panic!("{LOCK} has {} versions of {name}", versions.len())
        };
        serde_json::json!({"id": id, "found": true, "version": version, "from": format!("the crate {name}")})
    })
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
