//! The page of results in a browser: at the width of a phone and of a desk, light and dark.

use super::steps::Outcome;
use crate::{project, report, shell};
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What the browser does with the page.
const LOOK: &str = include_str!("page.js");

/// Every fault that must be seen, and the word that it is reported by.
const FAULTY: &str = r##"<!DOCTYPE html><html lang="en"><head><title>t</title></head><body>
<p style="width: 2000px">too wide</p><p style="color: #ccc; background: #fff">too faint</p>
<svg viewBox="0 0 400 40" width="300" aria-labelledby="a"><text x="10" y="20" font-size="8">one</text>
<text x="12" y="20">on another</text><text x="390" y="20">beyond</text></svg>
<script>console.error("complaint")</script></body></html>"##;
const FAULTS: [&str; 6] = [
    "overflow:",
    "contrast:",
    "overlap:",
    "cut:",
    "size:",
    "console:",
];

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    let folder = project::target_dir().join("page");
    std::fs::create_dir_all(&folder)?;

    let seen = look(&folder, FAULTY, false)?;
    for fault in FAULTS {
        ensure!(
            seen.iter().any(|line| line.starts_with(fault)),
            "the check does not see `{fault}` in a page that has it, but {seen:?}"
        );
    }

    let html = folder.join("report.html");
    let mut draw = Command::new(report::build()?);
    draw.args(results()?).arg("--html").arg(&html);
    shell::run(bar, draw)?;
    let page = std::fs::read_to_string(&html)?;
    for dark in [false, true] {
        let seen = look(&folder, &page, dark)?;
        let theme = if dark { "dark" } else { "light" };
        ensure!(seen.is_empty(), "in {theme}:\n{}", seen.join("\n"));
    }
    Ok(Outcome::Passed)
}

/// The results of record, and one with every form of figure.
fn results() -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(project::root().join("docs/results"))?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files.push(project::root().join("bench/tests/data/study-forms.json"));
    Ok(files)
}

/// What a browser finds wrong with a page.
fn look(folder: &Path, page: &str, dark: bool) -> Result<Vec<String>> {
    // `<` would end the script or begin a comment in it.
    let page = serde_json::to_string(page)?.replace('<', "\\u003c");
    let frame = folder.join("frame.html");
    let text = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>page</title></head><body>\
         <script>const dark = {dark}; const page = {page};\n{LOOK}</script></body></html>"
    );
    std::fs::write(&frame, text)?;
    let mut browser = Command::new("chromium");
    browser
        // The sandbox cannot be set up by root, and the page is our own.
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!(
            "--blink-settings=preferredColorScheme={}",
            if dark { 0 } else { 1 }
        ))
        .arg(format!("file://{}", frame.display()));
    let output = shell::output_within(Duration::from_secs(120), &mut browser)?;
    let document = String::from_utf8_lossy(&output.stdout);
    let list = document
        .split_once("<pre id=\"found\">looked")
        .and_then(|(_, rest)| rest.split_once("</pre>"))
        .with_context(|| format!("chromium has not looked at the page: {}", output.status))?
        .0;
    let found = list
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned);
    let log = String::from_utf8_lossy(&output.stderr);
    let console = log.lines().filter(|line| line.contains(":CONSOLE"));
    Ok(found
        .chain(console.map(|line| format!("console: {line}")))
        .collect())
}
