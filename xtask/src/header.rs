//! The C header, generated from the C API's source and committed.

use crate::project;
use anyhow::{bail, Context, Result};
use std::fs;

/// Options of `cargo xtask header`.
#[derive(clap::Args)]
pub struct Args {
    /// Change nothing; fail if the committed header is not what the source gives
    #[arg(long)]
    check: bool,
}

/// A header, and where it comes from.
struct Header {
    /// Below the root.
    path: &'static str,
    /// In `ffi`: how it is made.
    config: &'static str,
    /// In `ffi`: the files that it declares, in order; the whole crate if there are none.
    sources: &'static [&'static str],
}

const HEADERS: [Header; 2] = [
    Header {
        path: "include/gimmal.h",
        config: "cbindgen.toml",
        sources: &[],
    },
    Header {
        path: "include/gimmal_shm.h",
        config: "cbindgen_shm.toml",
        sources: &[
            "src/shm/options.rs",
            "src/shm/mod.rs",
            "src/shm/producer.rs",
            "src/shm/consumer.rs",
            "src/shm/tap.rs",
            "src/shm/inspect.rs",
            "src/shm/error.rs",
        ],
    },
];

/// `cargo xtask header`
pub fn run(args: &Args) -> Result<()> {
    if args.check {
        return check();
    }
    for header in &HEADERS {
        let path = project::root().join(header.path);
        fs::write(&path, header.generate()?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Fails if a committed header is not current, naming the first line that differs.
pub fn check() -> Result<()> {
    for header in &HEADERS {
        let path = project::root().join(header.path);
        let committed =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if let Some(line) = first_difference(&committed, &header.generate()?) {
            let path = header.path;
            bail!("{path} is not current from line {line} on; `cargo xtask header` writes it");
        }
    }
    Ok(())
}

impl Header {
    fn generate(&self) -> Result<String> {
        let api = project::root().join("ffi");
        let config =
            cbindgen::Config::from_file(api.join(self.config)).map_err(anyhow::Error::msg)?;
        let mut builder = cbindgen::Builder::new().with_config(config);
        if self.sources.is_empty() {
            builder = builder.with_crate(&api);
        }
        for source in self.sources {
            builder = builder.with_src(api.join(source));
        }
        let mut header = Vec::new();
        builder.generate()?.write(&mut header);
        Ok(String::from_utf8(header)?)
    }
}

/// The number of the first line in which two texts differ.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    if one == other {
        return None;
    }
    let same = one
        .split('\n')
        .zip(other.split('\n'))
        .take_while(|(one, other)| one == other);
    Some(same.count() + 1)
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
        assert_eq!(first_difference("a", "a\n"), Some(2));
    }
}
