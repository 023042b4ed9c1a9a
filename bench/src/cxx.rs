//! The C++ side's table of kernels.

use crate::abi::{Kernel, Kernels};

extern "C" {
    fn gimmal_bench_kernels() -> Kernels;
    fn gimmal_bench_ndebug() -> bool;
}

/// Every kernel compiled in C++.
pub fn kernels() -> &'static [Kernel] {
    // SAFETY: the function has no preconditions, and its list lives as long as the process.
    unsafe {
        let Kernels { first, count } = gimmal_bench_kernels();
        std::slice::from_raw_parts(first, count)
    }
}

/// Whether assertions were compiled out of them.
pub fn ndebug() -> bool {
    // SAFETY: the function has no preconditions.
    unsafe { gimmal_bench_ndebug() }
}
