//! Where reports go: lines of text, JSON, or a live view.

use super::{text, view::View};
use anyhow::{ensure, Result};
use gimmal_feed::report::Report;
use std::io::{self, stdout, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::Duration;

/// How to show reports.
#[derive(clap::Args, Clone, Debug)]
pub struct Show {
    /// Print a line of JSON for each report
    #[arg(long, conflicts_with = "tui")]
    json: bool,

    /// Show books, latency and ring live, until q is pressed
    #[arg(long)]
    tui: bool,
}

impl Show {
    /// Between two reports: a view changes more often than one can read lines.
    pub const fn interval(&self) -> Duration {
        Duration::from_millis(if self.tui { 200 } else { 1000 })
    }

    /// Begins.
    pub fn open(&self) -> Result<Output> {
        if self.json {
            return Ok(Output::Json);
        }
        if !self.tui {
            return Ok(Output::Text);
        }
        ensure!(
            stdout().is_terminal(),
            "--tui needs a terminal: without it lines are printed"
        );
        Ok(Output::View(Box::new(View::open()?)))
    }
}

/// Where reports go.
pub enum Output {
    /// Lines.
    Text,
    /// JSON.
    Json,
    /// The screen.
    View(Box<View>),
}

impl Output {
    /// Shows a report; breaks if whoever looks has seen enough, or it cannot be shown.
    pub fn show(&mut self, report: &Report) -> Result<ControlFlow<()>> {
        match self {
            Self::Text => write(&text::moment(report))?,
            Self::Json => json(report)?,
            Self::View(view) => return Ok(view.show(report)?),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Shows the last report, and gives the screen back.
    pub fn end(self, report: &Report) -> Result<()> {
        match self {
            Self::Json => json(report),
            Self::Text => write(&text::end(report)),
            Self::View(view) => {
                view.close()?;
                write(&text::end(report))
            }
        }
    }

    /// Says something at the end, where people read.
    pub fn is_json(&self) -> bool {
        matches!(self, Self::Json)
    }
}

/// Keeps the first error of an observer that can only break.
pub fn observer<'o>(
    output: &'o mut Output,
    failed: &'o mut Result<()>,
) -> impl FnMut(&Report) -> ControlFlow<()> + 'o {
    move |report| match output.show(report) {
        Ok(flow) => flow,
        Err(error) => {
            *failed = Err(error);
            ControlFlow::Break(())
        }
    }
}

/// Prints a value as a line of JSON.
pub fn json(value: &impl serde::Serialize) -> Result<()> {
    Ok(writeln!(io::stdout(), "{}", serde_json::to_string(value)?)?)
}

/// Prints lines.
pub fn write(lines: &str) -> Result<()> {
    Ok(write!(io::stdout(), "{lines}")?)
}
