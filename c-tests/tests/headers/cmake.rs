//! The headers in a project built by CMake.

use gimmal_c_tests::{package, said, succeed};
use std::path::Path;
use std::process::Command;

/// Builds and tests the project in these languages, a list of CMake's.
fn build_in(languages: &str, tests: usize) {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("cmake")
        .join(languages.replace(';', "-"));
    let there = Command::new("cmake").arg("--version").output().is_ok();
    assert!(there, "cmake is not there: install the package cmake");
    succeed(
        Command::new("cmake")
            .arg("-S")
            .arg(package("cmake"))
            .arg("-B")
            .arg(&build)
            .arg(format!("-DLANGUAGES={languages}")),
    );
    succeed(Command::new("cmake").arg("--build").arg(&build));
    let tested = succeed(
        Command::new("ctest")
            .arg("--output-on-failure")
            .current_dir(&build),
    );
    assert!(
        said(&tested).contains(&format!("0 tests failed out of {tests}")),
        "{}",
        said(&tested)
    );
}

#[test]
fn an_interface_target_is_all_that_a_project_needs() {
    build_in("C;CXX", 2);
}

#[test]
fn a_project_in_c_needs_no_cpp() {
    build_in("C", 1);
}

#[test]
fn a_project_in_cpp_needs_no_c() {
    build_in("CXX", 1);
}
