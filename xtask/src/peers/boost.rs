//! `boost::lockfree::spsc_queue`, from the system's package.

use super::Fetched;
use crate::{packages, shell};
use anyhow::{Context, Result};
use std::process::Command;

/// The version is boost's own, whatever package brought it.
pub fn fetch() -> Result<Fetched> {
    packages::ensure(&[packages::BOOST])?;
    let headers = [
        "-include",
        "boost/version.hpp",
        "-include",
        "boost/lockfree/spsc_queue.hpp",
    ];
    let mut compiler = Command::new("g++");
    let macros = shell::capture(
        compiler
            .args(["-E", "-dM", "-x", "c++"])
            .args(headers)
            .arg("/dev/null"),
    )?;
    let version = lib_version(&macros).context("boost/version.hpp states no BOOST_LIB_VERSION")?;
    Ok(Fetched {
        version,
        from: "the system's headers".into(),
        include: None,
    })
}

/// `1_74` in quotes is version 1.74.
fn lib_version(macros: &str) -> Option<String> {
    let value = macros
        .lines()
        .find_map(|line| line.strip_prefix("#define BOOST_LIB_VERSION "))?;
    Some(value.trim().trim_matches('"').replace('_', "."))
}

#[cfg(test)]
mod tests {
    use super::lib_version;

    #[test]
    fn the_version_is_read_from_the_macros() {
        let macros = "#define BOOST_VERSION 107400\n#define BOOST_LIB_VERSION \"1_74\"\n";
        assert_eq!(lib_version(macros).as_deref(), Some("1.74"));
        assert_eq!(lib_version("#define BOOST_VERSION 107400\n"), None);
    }
}
