//! libgimmal, built from `ffi/lib` as its users build it.

use gimmal_c_tests::{package, succeed};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// How libgimmal is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// With assertions, and with checks of the arithmetic.
    Debug,
    /// As it is installed.
    Release,
    /// In release, for a linker that inlines across languages.
    Lto,
    /// In release, with the risk pipeline.
    Engine,
    /// In release, with the feature `shm`.
    Shm,
}

/// The static library, built on the first call.
pub fn archive(profile: Profile) -> String {
    in_folder(profile, "libgimmal.a")
}

/// The shared library, built on the first call.
pub fn shared(profile: Profile) -> String {
    in_folder(profile, "libgimmal.so")
}

fn in_folder(profile: Profile, file: &str) -> String {
    static BUILT: [OnceLock<PathBuf>; 5] = [const { OnceLock::new() }; 5];
    let folder = BUILT[profile as usize].get_or_init(|| build(profile));
    folder
        .join(file)
        .into_os_string()
        .into_string()
        .expect("a path in UTF-8")
}

fn build(profile: Profile) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (target, option, folder) = match profile {
        Profile::Debug => (target.with_file_name("lib"), None, "debug"),
        Profile::Release => (target.with_file_name("lib"), Some("--release"), "release"),
        Profile::Lto => (
            target.with_file_name("lib-lto"),
            Some("--release"),
            "release",
        ),
        Profile::Engine => (
            target.with_file_name("lib-engine"),
            Some("--release"),
            "release",
        ),
        Profile::Shm => (
            target.with_file_name("lib-shm"),
            Some("--release"),
            "release",
        ),
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--quiet", "--manifest-path"]);
    cargo
        .arg(package("../ffi/lib/Cargo.toml"))
        .args(option)
        .arg("--target-dir")
        .arg(&target);
    if profile == Profile::Engine {
        cargo.args(["--features", "engine"]);
    }
    if profile == Profile::Shm {
        cargo.args(["--features", "shm"]);
    }
    if profile == Profile::Lto {
        cargo.env("RUSTFLAGS", "-Clinker-plugin-lto");
    }
    succeed(&mut cargo);
    target.join(folder)
}
