//! gimmal as its users take it: installed by CMake and by cargo-c, and built into the projects of `consumers/`.

use super::steps::Outcome;
use crate::{project, shell};
use anyhow::{bail, ensure, Context, Result};
use indicatif::ProgressBar;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What of the work tree cargo-c needs.
const SOURCE: [&str; 11] = [
    "Cargo.toml",
    "README.md",
    "src",
    "docs/WAITING.md",
    "examples",
    "include",
    "packaging/cmake",
    "ffi",
    "shm",
    "engine",
    "LICENSE-MIT",
];

/// A program that is linked with the shared library, and one with the static one, in the folder of a project that was built.
const PROGRAMS: [(&str, bool); 2] = [("in_c_shared", true), ("in_c_static", false)];

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    let installs = [
        (
            "cmake",
            install_by_cmake as fn(&ProgressBar) -> Result<PathBuf>,
        ),
        ("cargo-c", install_by_cargo_c),
    ];
    for (name, install) in installs {
        let prefix = install(bar).with_context(|| format!("installing by {name}"))?;
        check_installed(&prefix)?;
        for (project, build) in [
            (
                "cmake-find",
                cmake_find as fn(&ProgressBar, &Path, &Path) -> Result<()>,
            ),
            ("pkgconfig-make", pkgconfig_make),
            ("meson", meson),
        ] {
            let built = fresh(&format!("{name}-{project}"))?;
            build(bar, &prefix, &built)
                .with_context(|| format!("{project}, installed by {name}"))?;
            check_linked(&built)?;
        }
    }
    let built = fresh("cmake-subdirectory")?;
    cmake(bar, "cmake-subdirectory", &built, &[])?;
    check_linked(&built)?;
    headers_alone(bar)?;
    Ok(Outcome::Passed)
}

/// A folder of this step's, empty.
fn fresh(name: &str) -> Result<PathBuf> {
    let folder = folder(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn folder(name: &str) -> PathBuf {
    project::target_dir().join("consumers").join(name)
}

fn install_by_cmake(bar: &ProgressBar) -> Result<PathBuf> {
    let prefix = fresh("cmake-prefix")?;
    // Not fresh: cargo builds what has changed.
    let build = folder("cmake-build");
    let mut configure = Command::new("cmake");
    configure
        .args(["-S".as_ref(), project::root().as_os_str()])
        .args(["-B".as_ref(), build.as_os_str()])
        .arg("-DCMAKE_INSTALL_LIBDIR=lib");
    shell::run(bar, configure)?;
    let mut make = Command::new("cmake");
    shell::run(bar, {
        make.arg("--build").arg(&build);
        make
    })?;
    let mut install = Command::new("cmake");
    install
        .arg("--install")
        .arg(&build)
        .arg("--prefix")
        .arg(&prefix);
    shell::run(bar, install)?;
    Ok(prefix)
}

/// By Debian's cargo-c, which is older than the lockfile's version, the sparse registry and one value in the manifest: it gets a copy of
/// the source without these.
fn install_by_cargo_c(bar: &ProgressBar) -> Result<PathBuf> {
    let prefix = fresh("cargo-c-prefix")?;
    let source = fresh("cargo-c-source")?;
    for part in SOURCE {
        copy(&project::root().join(part), &source.join(part))?;
    }
    edit(&source.join("Cargo.toml"), |line| match line {
        line if line.starts_with("members = [") => r#"members = ["ffi", "shm", "engine"]"#,
        r#"debug = "line-tables-only""# => "debug = 1",
        line => line,
    })?;
    let library = source.join("ffi/lib");
    edit(&library.join("Cargo.lock"), |line| match line {
        "version = 4" => "version = 3",
        line => line,
    })?;
    let vendored = fresh("cargo-c-vendored")?;
    let mut vendor = project::cargo("vendor --locked --versioned-dirs --manifest-path");
    let config = shell::capture(vendor.arg(project::lib_manifest()).arg(&vendored))?;
    let home = fresh("cargo-c-home")?;
    fs::write(home.join("config.toml"), config)?;

    let mut install = Command::new("cargo-cinstall");
    install
        .args([
            "cinstall",
            "--release",
            "--locked",
            "--offline",
            "--manifest-path",
        ])
        .arg(library.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(folder("cargo-c-build"))
        .arg(format!("--prefix={}", prefix.display()))
        .arg(format!("--libdir={}", prefix.join("lib").display()))
        .env("CARGO_HOME", home);
    shell::run(bar, install)?;
    Ok(prefix)
}

/// A file or a folder, without what cargo built there.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::create_dir_all(to.parent().context("a file in a folder")?)?;
        fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name() != "target" {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Replaces lines of a file.
fn edit(file: &Path, change: impl Fn(&str) -> &str) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().map(change).collect();
    ensure!(
        lines != text.lines().collect::<Vec<_>>(),
        "{} needs no change",
        file.display()
    );
    Ok(fs::write(file, lines.join("\n") + "\n")?)
}

/// That an installation has every header as it is here, both libraries, the name that programs will ask for, and what finds it.
fn check_installed(prefix: &Path) -> Result<()> {
    for header in headers(&project::root().join("include"))? {
        let path = header.strip_prefix(project::root())?;
        let installed = fs::read(prefix.join(path))
            .with_context(|| format!("{} is not installed", path.display()))?;
        ensure!(
            installed == fs::read(&header)?,
            "{} is installed in another form",
            path.display()
        );
    }
    for file in [
        "lib/libgimmal.a",
        "lib/pkgconfig/gimmal.pc",
        "share/gimmal/cmake/gimmalConfig.cmake",
    ] {
        ensure!(prefix.join(file).is_file(), "{file} is not installed");
    }
    let soname = soname()?;
    let library = prefix.join("lib").join(&soname);
    ensure!(
        dynamic(&library)?
            .lines()
            .any(|line| line.trim().starts_with("SONAME") && line.ends_with(&soname)),
        "{} does not bear its name",
        library.display()
    );
    ensure!(
        fs::canonicalize(prefix.join("lib/libgimmal.so"))? == fs::canonicalize(&library)?,
        "libgimmal.so is not {soname}"
    );
    let version = shell::capture(pkg_config(prefix).args(["--modversion", "gimmal"]))?;
    ensure!(
        version.trim() == env!("CARGO_PKG_VERSION"),
        "pkg-config knows version {version}"
    );
    Ok(())
}

/// The headers below a folder.
fn headers(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(headers(&path)?);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "h" || ending == "hpp")
        {
            found.push(path);
        }
    }
    Ok(found)
}

/// The shared library's name, after the binary interface.
fn soname() -> Result<String> {
    let header = fs::read_to_string(project::root().join("include/gimmal.h"))?;
    let version = header
        .lines()
        .find_map(|line| line.strip_prefix("#define GIMMAL_ABI_VERSION "))
        .context("gimmal.h states no GIMMAL_ABI_VERSION")?;
    Ok(format!("libgimmal.so.{version}"))
}

/// What a program or a library says to the loader.
fn dynamic(file: &Path) -> Result<String> {
    shell::capture(Command::new("objdump").arg("-p").arg(file))
}

/// That the programs ask for the shared library, or for none.
fn check_linked(built: &Path) -> Result<()> {
    let soname = soname()?;
    for (program, shared) in PROGRAMS {
        let said = dynamic(&built.join(program))?;
        let needed: Vec<&str> = said
            .lines()
            .filter_map(|line| line.trim().strip_prefix("NEEDED"))
            .map(str::trim)
            .filter(|name| name.contains("gimmal"))
            .collect();
        let right = if shared {
            needed == [soname.as_str()]
        } else {
            needed.is_empty()
        };
        ensure!(right, "{} needs {needed:?}", built.join(program).display());
    }
    Ok(())
}

fn consumer(name: &str) -> PathBuf {
    project::root().join("consumers").join(name)
}

fn cmake_find(bar: &ProgressBar, prefix: &Path, built: &Path) -> Result<()> {
    cmake(
        bar,
        "cmake-find",
        built,
        &[format!("-DCMAKE_PREFIX_PATH={}", prefix.display())],
    )
}

fn configure(name: &str, built: &Path) -> Command {
    let mut configure = Command::new("cmake");
    configure
        .arg("-S")
        .arg(consumer(name))
        .arg("-B")
        .arg(built)
        .arg("-DBUILD_SHARED_LIBS=ON");
    configure
}

fn cmake(bar: &ProgressBar, name: &str, built: &Path, options: &[String]) -> Result<()> {
    let mut configure = configure(name, built);
    configure.args(options);
    shell::run(bar, configure)?;
    let mut build = Command::new("cmake");
    build.arg("--build").arg(built);
    shell::run(bar, build)?;
    let mut test = Command::new("ctest");
    test.args(["--output-on-failure", "--no-tests=error", "--test-dir"])
        .arg(built);
    shell::run(bar, test)
}

fn pkg_config(prefix: &Path) -> Command {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    command
}

fn pkgconfig_make(bar: &ProgressBar, prefix: &Path, built: &Path) -> Result<()> {
    let mut make = Command::new("make");
    make.arg("-C")
        .arg(consumer("pkgconfig-make"))
        .arg(format!("OUT={}", built.display()))
        .arg("check")
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    shell::run(bar, make)
}

fn meson(bar: &ProgressBar, prefix: &Path, built: &Path) -> Result<()> {
    let mut setup = Command::new("meson");
    setup
        .arg("setup")
        .arg(format!(
            "-Dpkg_config_path={}",
            prefix.join("lib/pkgconfig").display()
        ))
        .arg(built)
        .arg(consumer("meson"));
    shell::run(bar, setup)?;
    let mut test = Command::new("meson");
    test.args(["test", "--print-errorlogs", "-C"]).arg(built);
    shell::run(bar, test)
}

/// Without cargo there are the headers, and a project that asks for a library is told what is missing.
fn headers_alone(bar: &ProgressBar) -> Result<()> {
    let prefix = fresh("headers-prefix")?;
    let build = fresh("headers-build")?;
    let mut configure_headers = Command::new("cmake");
    configure_headers
        .args(["-S".as_ref(), project::root().as_os_str()])
        .args(["-B".as_ref(), build.as_os_str()])
        .arg("-DGIMMAL_LIBRARY=OFF");
    shell::run(bar, configure_headers)?;
    let mut install = Command::new("cmake");
    install
        .arg("--install")
        .arg(&build)
        .arg("--prefix")
        .arg(&prefix);
    shell::run(bar, install)?;
    let mut asking = configure("cmake-find", &fresh("headers-cmake-find")?);
    asking.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    let Err(error) = shell::capture(&mut asking) else {
        bail!("a library was found where the headers alone are installed")
    };
    let said = error
        .to_string()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    ensure!(said.contains("without its component shared"), "{said}");
    Ok(())
}
