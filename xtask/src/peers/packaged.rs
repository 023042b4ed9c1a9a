//! Peers that are headers in a package of the system.

use super::Fetched;
use crate::packages::{self, Need};
use crate::shell;
use anyhow::Result;
use std::process::Command;

/// A peer whose header is in a Debian package, installed first if it may be.
pub fn fetch(need: Need) -> Result<Fetched> {
    let package = need.package();
    packages::ensure(&[need])?;
    Ok(fetched(package, version(package)))
}

/// The headers are there; the package that brought them may be another, or none.
fn fetched(package: &str, version: Option<String>) -> Fetched {
    let from = match version {
        Some(_) => format!("Debian's package {package}"),
        None => "the system's headers".into(),
    };
    Fetched {
        version: version.unwrap_or_else(|| "unknown".into()),
        from,
        include: None,
    }
}

fn version(package: &str) -> Option<String> {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${Version}", package]);
    shell::capture(&mut query)
        .ok()
        .filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_packages() {
        assert_eq!(version("no-such-package"), None);
        let unknown = fetched("no-such-package", None);
        assert_eq!(
            (unknown.version.as_str(), unknown.from.as_str()),
            ("unknown", "the system's headers")
        );
        let known = fetched("libsome-dev", Some("1.0-1".into()));
        assert_eq!(
            (known.version.as_str(), known.from.as_str()),
            ("1.0-1", "Debian's package libsome-dev")
        );
    }

    #[test]
    fn headers_that_no_package_brought_will_do() {
        let found = fetch(Need::header("no-such-package", "vector"));
        let found = found.unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(found.version, "unknown");
        assert_eq!(found.include, None, "the compiler finds it by itself");
    }
}
