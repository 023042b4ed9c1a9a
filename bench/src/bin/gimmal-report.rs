//! `gimmal-report`: draws results as one HTML page.

use anyhow::{ensure, Context, Result};
use clap::Parser;
use gimmal_bench::page::options::{Options, HTML};
use gimmal_bench::page::{page, Source};
use gimmal_bench::report;
use std::path::{absolute, Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    report::prepare(&options.html, Path::new(HTML))?;
    let files = if options.json.is_empty() {
        of_record_and_last()?
    } else {
        options.json.clone()
    };
    ensure!(
        !files.is_empty(),
        "no results in docs/results/ nor in target/"
    );
    let sources: Vec<Source> = files
        .iter()
        .map(|file| Source::read(file))
        .collect::<Result<_>>()?;
    let root = way_to(&std::env::current_dir()?, &options.html)?;
    report::write(&options.html, &page(&sources, root.as_deref()))?;
    println!("page: {}", options.html.display());
    Ok(())
}

/// The results to show if none are named, from the root of the work tree.
fn of_record_and_last() -> Result<Vec<PathBuf>> {
    let mut files = in_folder("docs/results")?;
    let last = PathBuf::from("target/compare/report.json");
    files.extend(Some(last).filter(|file| file.exists()));
    files.extend(in_folder("target/study")?);
    Ok(files)
}

/// The JSON files of a folder by name; none if it is not there.
fn in_folder(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = Path::new(folder);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    Ok(files)
}

/// From the folder of a page to `root`; none if the page is not below it.
fn way_to(root: &Path, page: &Path) -> Result<Option<String>> {
    let page = absolute(page)?;
    let below = page.strip_prefix(root).ok().filter(|path| {
        path.components()
            .all(|part| matches!(part, std::path::Component::Normal(_)))
    });
    Ok(below.map(|path| "../".repeat(path.components().count() - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_root_is_known_below_it() {
        let way = |page: &str| way_to(Path::new("/tree"), Path::new(page)).unwrap();
        assert_eq!(way("/tree/target/page.html").as_deref(), Some("../"));
        assert_eq!(way("/tree/page.html").as_deref(), Some(""));
        assert_eq!(way("/elsewhere/page.html"), None);
        assert_eq!(way("/tree/../page.html"), None);
    }
}
