//! System packages: what a command needs of the machine, and getting what is missing.

use crate::shell;
use anyhow::{bail, Context, Result};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Something a command needs, and the Debian package that brings it.
#[derive(Clone, Copy)]
pub struct Need {
    package: &'static str,
    probe: Probe,
}

/// How to tell that it is there, on any distribution.
#[derive(Clone, Copy)]
enum Probe {
    /// This program starts.
    Program(&'static str),
    /// A C++ program that includes this header preprocesses.
    Header(&'static str),
    /// This file or folder exists.
    Path(&'static str),
    /// A C++ program links with this library.
    Library(&'static str),
    /// clang links a program with this sanitizer.
    Sanitizer(&'static str),
}

impl Need {
    /// A program.
    pub const fn program(package: &'static str, name: &'static str) -> Self {
        Self {
            package,
            probe: Probe::Program(name),
        }
    }

    /// A file or a folder.
    pub const fn path(package: &'static str, path: &'static str) -> Self {
        Self {
            package,
            probe: Probe::Path(path),
        }
    }

    /// A C++ header.
    pub const fn header(package: &'static str, name: &'static str) -> Self {
        Self {
            package,
            probe: Probe::Header(name),
        }
    }

    /// The Debian package.
    pub const fn package(&self) -> &'static str {
        self.package
    }
}

/// For `cargo xtask symbols`.
pub const BINUTILS: &[Need] = &[Need::program("binutils", "objdump")];

/// A compiler that builds its own library, for targets that the toolchain in use has none for.
pub const RUSTC_WEB: Need = Need {
    package: "rustc-web",
    probe: Probe::Path("/usr/bin/rustc"),
};
/// The source of that library.
pub const RUST_WEB_SRC: Need = Need {
    package: "rust-web-src",
    probe: Probe::Path("/usr/lib/rustlib/src/rust/library/core"),
};

/// For `cargo xtask verify coverage`.
pub const LLVM: &[Need] = &[Need::program("llvm-22", "llvm-cov-22")];

/// For `cargo xtask verify sanitizers`.
pub const VALGRIND: &[Need] = &[Need::program("valgrind", "valgrind")];

/// For `cargo xtask test`.
pub const TEST: &[Need] = &[
    Need::program("gcc", "gcc"),
    Need::program("g++", "g++"),
    Need::program("clang-22", "clang++-22"),
    Need {
        package: "libclang-rt-22-dev",
        probe: Probe::Sanitizer("thread"),
    },
    Need::program("lld-22", "ld.lld-22"),
    Need::program("cmake", "cmake"),
    Need::program("make", "make"),
    Need::program("meson", "meson"),
    Need::program("pkgconf", "pkg-config"),
    Need {
        package: "cargo-c",
        probe: Probe::Path("/usr/bin/cargo-cinstall"),
    },
    RUSTC_WEB,
    RUST_WEB_SRC,
    Need::program("binutils", "objdump"),
    Need::program("doxygen", "doxygen"),
    Need::program("chromium", "chromium"),
    Need::program("gcc-arm-none-eabi", "arm-none-eabi-gcc"),
    Need {
        package: "libnewlib-arm-none-eabi",
        probe: Probe::Path("/usr/lib/arm-none-eabi/newlib"),
    },
    Need::program("gcc-riscv64-unknown-elf", "riscv64-unknown-elf-gcc"),
    Need {
        package: "picolibc-riscv64-unknown-elf",
        probe: Probe::Path("/usr/lib/picolibc/riscv64-unknown-elf"),
    },
    Need::program("gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc"),
    Need::program("qemu-system-arm", "qemu-system-arm"),
    Need::program("qemu-system-misc", "qemu-system-riscv32"),
];

/// For the programs of `cargo xtask study ordering`.
pub const ORDERINGS: &[Need] = &[
    Need::program("gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc"),
    Need::program("binutils-aarch64-linux-gnu", "aarch64-linux-gnu-objdump"),
    Need::program("qemu-user", "qemu-aarch64"),
    RUSTC_WEB,
    RUST_WEB_SRC,
    Need::program("binutils", "objdump"),
];

/// For the loops of `cargo xtask study code`.
pub const CODE: &[Need] = &[
    Need::program("g++", "g++"),
    Need::program("clang-22", "clang++-22"),
    Need::program("binutils", "objdump"),
];

/// For `cargo xtask report`.
pub const REPORT: &[Need] = &[Need::program("g++", "g++")];

/// For `cargo xtask compare`.
pub const COMPARE: &[Need] = &[Need::program("g++", "g++")];

/// Queues that `cargo xtask compare` measures against, as far as they can be had.
pub const BOOST: Need = Need::header("libboost-dev", "boost/lockfree/spsc_queue.hpp");
pub const MOODYCAMEL: Need = Need::header(
    "libreaderwriterqueue-dev",
    "readerwriterqueue/readerwriterqueue.h",
);
pub const CONCURRENTQUEUE: Need = Need::header(
    "libconcurrentqueue-dev",
    "concurrentqueue/concurrentqueue.h",
);
pub const ATOMIC_QUEUE: Need = Need::header("libatomic-queue-dev", "atomic_queue/atomic_queue.h");

/// For the part `migration` of `cargo xtask verify`: what the tests of those queues need beside their own source.
pub const MIGRATION: &[Need] = &[
    Need::program("g++", "g++"),
    Need::program("clang-22", "clang++-22"),
    BOOST,
    Need {
        package: "libboost-thread-dev",
        probe: Probe::Library("boost_thread"),
    },
    MOODYCAMEL,
];

/// Makes sure that all of `needs` is there: installs what is missing where it may, or says what to install.
pub fn ensure(needs: &[Need]) -> Result<()> {
    let missing = missing(needs);
    if missing.is_empty() {
        return Ok(());
    }
    let advice = advice(&missing);
    if !may_install() {
        bail!("{advice}");
    }
    eprintln!("installing {}", missing.join(" "));
    install(&missing).context(advice)?;
    let still = self::missing(needs);
    if !still.is_empty() {
        bail!("installed, and still not usable: {}", still.join(" "));
    }
    Ok(())
}

fn missing(needs: &[Need]) -> Vec<&'static str> {
    needs
        .iter()
        .filter(|need| !is_there(&need.probe))
        .map(|need| need.package)
        .collect()
}

fn is_there(probe: &Probe) -> bool {
    let (program, arguments): (&str, &[&str]) = match probe {
        Probe::Program(name) => (name, &["--version"]),
        Probe::Header(name) => (
            "g++",
            &[
                "-E",
                "-x",
                "c++",
                "-include",
                name,
                "/dev/null",
                "-o",
                "/dev/null",
            ],
        ),
        Probe::Path(path) => return Path::new(path).exists(),
        Probe::Library(name) => {
            let program = "echo 'int main() {}' | g++ -x c++ - -l\"$0\" -o /dev/null";
            return shell::succeeds(Command::new("sh").args(["-c", program, name]));
        }
        Probe::Sanitizer(name) => {
            let flag = format!("-fsanitize={name}");
            let program =
                "echo 'int main(void) { return 0; }' | clang-22 \"$0\" -x c - -o /dev/null";
            return shell::succeeds(Command::new("sh").args(["-c", program, &flag]));
        }
    };
    shell::succeeds(Command::new(program).args(arguments))
}

fn advice(missing: &[&str]) -> String {
    let packages = missing.join(" ");
    format!("missing on this machine: {packages}\non Debian, install with: sudo apt-get install {packages}")
}

/// Debian's apt, and the right to use it.
fn may_install() -> bool {
    rustix::process::geteuid().is_root()
        && shell::succeeds(Command::new("apt-get").arg("--version"))
}

/// Installs from the package lists as they are; if that fails, as with lists that are old or not there, renews them
/// and tries again.
fn install(packages: &[&str]) -> Result<()> {
    let install = || {
        let mut command = apt_get(&["install", "--yes", "--no-install-recommends"]);
        shell::capture(command.args(packages))
    };
    if install().is_err() {
        update()?;
        install()?;
    }
    Ok(())
}

/// Renews the package lists. apt waits for the lock on dpkg by itself, but not for the one on the lists.
fn update() -> Result<()> {
    const ATTEMPTS: u32 = 60;
    for _ in 1..ATTEMPTS {
        match shell::capture(&mut apt_get(&["update"])) {
            Err(error) if error.to_string().contains("Could not get lock") => {
                std::thread::sleep(Duration::from_secs(2));
            }
            result => return result.map(drop),
        }
    }
    shell::capture(&mut apt_get(&["update"])).map(drop)
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("LC_ALL", "C");
    command
        .args(["-o", "DPkg::Lock::Timeout=600"])
        .args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERE: Need = Need::program("coreutils", "true");
    const NOT_THERE: Need = Need::program("no-such-package", "no-such-program-anywhere");

    #[test]
    fn only_what_is_not_there_is_missing() {
        assert_eq!(missing(&[THERE, NOT_THERE]), ["no-such-package"]);
        let header = Need::header("no-such-dev", "no/such/header.hpp");
        assert_eq!(missing(&[header]), ["no-such-dev"]);
        let sanitizer = Need {
            package: "no-such-rt",
            probe: Probe::Sanitizer("no-such-sanitizer"),
        };
        assert_eq!(missing(&[sanitizer]), ["no-such-rt"]);
        let library = |name| Need {
            package: "no-such-lib",
            probe: Probe::Library(name),
        };
        assert_eq!(missing(&[library("no-such-library")]), ["no-such-lib"]);
        assert!(missing(&[library("m")]).is_empty());
    }

    #[test]
    fn the_advice_can_be_pasted() {
        let advice = advice(&["g++", "libboost-dev"]);
        assert!(
            advice.ends_with("\non Debian, install with: sudo apt-get install g++ libboost-dev"),
            "{advice}"
        );
    }
}
