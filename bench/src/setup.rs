//! What the commands of this package do before they measure.

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
pub fn warn_of_throttling(runtime_us: Option<i64>) {
    if let Some(runtime) = runtime_us.filter(|&runtime| runtime >= 0) {
        eprintln!(
            "warning: sched_rt_runtime_us is {runtime}: the kernel stops both threads for the rest of every period, which \
             shows as maxima of tens of milliseconds; -1 turns that off"
        );
    }
}

/// How to call this again: by whatever started it if that says so, else as `program`.
pub fn invocation(program: &str) -> String {
    let program = std::env::var("GIMMAL_COMMAND").unwrap_or_else(|_| program.to_owned());
    std::iter::once(program)
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
