//! The headers in a project built by CMake.

use gimmal_c_tests::{package, succeed};
use std::path::Path;
use std::process::Command;

#[test]
fn an_interface_target_is_all_that_a_project_needs() {
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cmake");
    let there = Command::new("cmake").arg("--version").output().is_ok();
    assert!(there, "cmake is not there: install the package cmake");
    succeed(
        Command::new("cmake")
            .arg("-S")
            .arg(package("cmake"))
            .arg("-B")
            .arg(&build),
    );
    succeed(Command::new("cmake").arg("--build").arg(&build));
    succeed(
        Command::new("ctest")
            .arg("--output-on-failure")
            .current_dir(&build),
    );
}
