//! What becomes of a panic where there is no standard library.

use core::arch::global_asm;
use core::panic::PanicInfo;

macro_rules! weak_trap {
    ($instruction:literal) => {
        weak_trap!("gimmal_panic", $instruction);
        // cargo-c builds an rlib too, which cannot be optimised whole: what the precompiled core refers to, and nothing calls, stays.
        #[cfg(cargo_c)]
        weak_trap!("rust_eh_personality", $instruction);
    };
    ($name:literal, $instruction:literal) => {
        global_asm!(
            concat!(".section .text.", $name, ",\"ax\""),
            concat!(".weak ", $name),
            concat!(".type ", $name, ", %function"),
            concat!($name, ":"),
            $instruction,
            concat!(".size ", $name, ", . - ", $name),
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
