//! Every crate that can be published, as cargo would upload it: built from its archive alone, with the others from theirs.

use super::record::Record;
use super::Part;
use crate::{project, shell};
use anyhow::{ensure, Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const PART: Part = Part {
    name: "package",
    purpose: "each crate that can be published builds from its archive, which holds what it must and nothing more",
    needs: &[],
    run,
};

/// How long building all of them may take, on a busy machine.
const LIMIT: Duration = Duration::from_secs(7200);

/// What each archive must hold.
const FILES: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// What none may hold.
const FOREIGN: [&str; 4] = ["target/", ".git/", "docs/results/", "tests/"];

/// What each manifest must say, beside what cargo asks for by itself.
const SAID: [&str; 6] = [
    "description",
    "license",
    "repository",
    "rust_version",
    "keywords",
    "categories",
];

/// The greatest archive that the registry takes, in bytes.
const MOST: u64 = 10 << 20;

fn run(record: &mut Record) -> Result<()> {
    let crates = publishable()?;
    let folder = record.folder()?;
    let archives = folder.join("package");
    if archives.exists() {
        fs::remove_dir_all(&archives)?;
    }
    // All at once, since those that are not published yet need each other.
    let mut package = project::cargo("package --quiet --allow-dirty --target-dir");
    package.arg(&folder);
    for one in &crates {
        package.args(["--package", name(one)]);
    }
    let output = shell::output_within(LIMIT, &mut package)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let result = match output.status.success() && said.trim().is_empty() {
        true => Ok(format!("{} crates, without a warning", crates.len())),
        false => Err(anyhow::anyhow!("{}\n{}", output.status, said.trim())),
    };
    record.check("cargo package", result);
    for one in &crates {
        let result = manifest(one).and_then(|()| archive(one, &archives));
        record.check(name(one), result);
    }
    Ok(())
}

/// The crates of the workspace that do not say they are not to be published.
fn publishable() -> Result<Vec<Value>> {
    let said = shell::capture(&mut project::cargo("metadata --no-deps --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&said)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let crates: Vec<Value> = packages
        .iter()
        .filter(|package| package["publish"].is_null())
        .cloned()
        .collect();
    ensure!(!crates.is_empty(), "no crate can be published");
    Ok(crates)
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap_or_default()
}

fn manifest(package: &Value) -> Result<()> {
    for key in SAID {
        let value = &package[key];
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        ensure!(!empty, "its manifest has no {key}");
    }
    let docs = &package["metadata"]["docs"]["rs"]["targets"];
    let library = package["targets"]
        .as_array()
        .is_some_and(|targets| targets.iter().any(|target| target["kind"][0] == "lib"));
    ensure!(
        !library || !docs.is_null(),
        "its manifest does not say for which targets docs.rs is to build"
    );
    Ok(())
}

/// Looks into an archive; what is to be said of it.
fn archive(package: &Value, folder: &Path) -> Result<String> {
    let version = package["version"].as_str().unwrap_or_default();
    let stem = format!("{}-{version}", name(package));
    let file: PathBuf = folder.join(format!("{stem}.crate"));
    let size = fs::metadata(&file)
        .with_context(|| format!("there is no {stem}.crate"))?
        .len();
    ensure!(
        size <= MOST,
        "{size} bytes are more than the registry takes"
    );
    let list = shell::capture(Command::new("tar").arg("-tzf").arg(&file))?;
    check(&stem, &list)?;
    Ok(format!(
        "{} files in {} KiB",
        list.lines().count(),
        size.div_ceil(1024)
    ))
}

fn check(stem: &str, list: &str) -> Result<()> {
    let inside = |line: &str| {
        line.strip_prefix(stem)
            .map(|rest| rest.trim_start_matches('/').to_owned())
    };
    let files: Vec<String> = list.lines().filter_map(inside).collect();
    for file in FILES {
        ensure!(files.iter().any(|one| one == file), "{file} is not in it");
    }
    let foreign = |file: &&String| FOREIGN.iter().any(|part| file.starts_with(part));
    if let Some(file) = files.iter().find(foreign) {
        anyhow::bail!("{file} is in it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_archive_lacks_and_what_it_holds_too_much_is_named() {
        let whole =
            "a-1/Cargo.toml\na-1/LICENSE-APACHE\na-1/LICENSE-MIT\na-1/README.md\na-1/src/lib.rs\n";
        assert!(check("a-1", whole).is_ok());
        let lacking = whole.replace("a-1/LICENSE-MIT\n", "");
        let error = check("a-1", &lacking).unwrap_err().to_string();
        assert_eq!(error, "LICENSE-MIT is not in it");
        let more = format!("{whole}a-1/tests/data.bin\n");
        let error = check("a-1", &more).unwrap_err().to_string();
        assert_eq!(error, "tests/data.bin is in it");
    }

    #[test]
    fn the_core_can_be_published_and_the_automation_cannot() {
        let crates = publishable().unwrap();
        assert!(crates.iter().any(|one| name(one) == "gimmal"));
        assert!(crates.iter().all(|one| name(one) != "xtask"));
    }
}
