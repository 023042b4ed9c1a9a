//! The version of the library and of its binary interface.

use core::ffi::c_char;

/// The major version of the library.
pub const GIMMAL_VERSION_MAJOR: u32 = 0;
/// The minor version of the library.
pub const GIMMAL_VERSION_MINOR: u32 = 1;
/// The patch version of the library.
pub const GIMMAL_VERSION_PATCH: u32 = 0;
/// The version of the binary interface: it changes when a function or the layout does.
pub const GIMMAL_ABI_VERSION: u32 = 1;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The version of the library that is linked, such as "1.2.3".
#[no_mangle]
pub extern "C" fn gimmal_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// The GIMMAL_ABI_VERSION of the library that is linked. A program may compare it with its own.
#[no_mangle]
pub extern "C" fn gimmal_abi_version() -> u32 {
    GIMMAL_ABI_VERSION
}
