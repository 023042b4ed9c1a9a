//! libgimmal: the C API of `gimmal-ffi` as a library, with the panic handler it needs.
//!
//! The handler calls `gimmal_panic`, which traps. It is weak: a program may define its own, which must not return.

#![no_std]

pub use gimmal_ffi::*;

use core::arch::global_asm;
use core::panic::PanicInfo;

#[cfg(not(panic = "abort"))]
compile_error!("libgimmal must be built with panic = \"abort\": it has nothing to unwind with");

macro_rules! weak_trap {
    ($instruction:literal) => {
        global_asm!(
            ".section .text.gimmal_panic,\"ax\"",
            ".weak gimmal_panic",
            ".type gimmal_panic, %function",
            "gimmal_panic:",
            $instruction,
            ".size gimmal_panic, . - gimmal_panic",
            ".text",
        );
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
weak_trap!("ud2");
#[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
weak_trap!("udf #0");
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
weak_trap!("unimp");

extern "C" {
    fn gimmal_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    // SAFETY: the symbol is defined above, or by the program in its place; it takes nothing.
    unsafe { gimmal_panic() }
}
