//! Names the target's form of the control block, which docs/LAYOUT.md fixes, for `control.rs`.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(gimmal_packed)");
    println!("cargo:rustc-check-cfg=cfg(gimmal_line, values(\"64\", \"128\"))");

    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let arch = target("ARCH");
    let small_arm = arch == "arm" && !target("HAS_ATOMIC").split(',').any(|width| width == "64");
    if target("OS") == "none" && (small_arm || arch == "riscv32") {
        println!("cargo:rustc-cfg=gimmal_packed");
    } else if arch == "x86_64" || arch == "aarch64" {
        println!("cargo:rustc-cfg=gimmal_line=\"128\"");
    } else {
        println!("cargo:rustc-cfg=gimmal_line=\"64\"");
    }
}
