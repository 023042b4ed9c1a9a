//! What the commands of this package do before they measure.

use crate::report::Machine;
use anyhow::{bail, Result};

/// An assertion in a kernel is measured with it: rigtorp's reads the index that the other thread writes.
///
/// # Errors
///
/// If either language's kernels have any.
pub fn refuse_assertions(cxx_without: bool, rust_with: bool) -> Result<()> {
    if !cxx_without {
        bail!(
            "the C++ kernels were compiled without NDEBUG, so their assertions would be measured"
        );
    }
    if rust_with {
        bail!("the Rust kernels were compiled with debug assertions, which would be measured: build with --release");
    }
    Ok(())
}

/// Says what the kernel does to real-time threads, if it does.
pub fn warn_of_throttling(machine: &Machine) {
    if let Some(throttling) = machine.throttling() {
        eprintln!("warning: {throttling} -1 turns that off");
    }
}

/// How to call this again: as `command`, which is what starts this program, with its options.
pub fn invocation(command: &str) -> String {
    std::iter::once(command.to_owned())
        .chain(std::env::args().skip(1))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_with_an_assertion_is_refused() {
        assert!(refuse_assertions(true, false).is_ok());
        assert!(refuse_assertions(false, false)
            .unwrap_err()
            .to_string()
            .contains("NDEBUG"));
        assert!(refuse_assertions(true, true)
            .unwrap_err()
            .to_string()
            .contains("--release"));
    }
}
