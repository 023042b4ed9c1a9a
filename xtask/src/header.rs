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

/// `cargo xtask header`
pub fn run(args: &Args) -> Result<()> {
    if args.check {
        return check();
    }
    let path = project::root().join("include/gimmal.h");
    fs::write(&path, generate()?).with_context(|| format!("cannot write {}", path.display()))
}

/// Fails if the committed header is not current, naming the first line that differs.
pub fn check() -> Result<()> {
    let path = project::root().join("include/gimmal.h");
    let committed =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let current = generate()?;
    if let Some(line) = first_difference(&committed, &current) {
        bail!(
            "include/gimmal.h is not current from line {line} on; `cargo xtask header` writes it"
        );
    }
    Ok(())
}

fn generate() -> Result<String> {
    let api = project::root().join("ffi");
    let config =
        cbindgen::Config::from_file(api.join("cbindgen.toml")).map_err(anyhow::Error::msg)?;
    let bindings = cbindgen::Builder::new()
        .with_crate(&api)
        .with_config(config)
        .generate()?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    Ok(String::from_utf8(header)?)
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
