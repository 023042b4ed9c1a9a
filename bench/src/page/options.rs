//! The command line of `report`.

use clap::Parser;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
The page needs neither network nor script. Without files it shows the results of record, docs/results/*.json, and the last ones
of this machine: target/compare/report.json and target/study/*.json, where they are there.";

/// Where the page goes, if nothing else is said.
pub const HTML: &str = "target/report.html";

/// Draws results as one HTML page.
#[derive(Parser, Debug)]
#[command(name = "gimmal-report", version, after_help = AFTER_HELP)]
pub struct Options {
    /// Results of comparisons and studies, in the order of the page
    #[arg(value_name = "JSON")]
    pub json: Vec<PathBuf>,

    /// Where to put the page
    #[arg(long, value_name = "PATH", default_value = HTML)]
    pub html: PathBuf,
}
