//! Ctrl-C and the signal to terminate: the first lets a command end in order, the second ends it at once.

use anyhow::{Context, Result};
use gimmal_feed::stop::Stop;
use ratatui::crossterm::terminal::is_raw_mode_enabled;
use std::process;

/// As shells have it for who is ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// What the first of these signals asks to stop.
pub fn stop() -> Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        if asked.stop() {
            if is_raw_mode_enabled().unwrap_or_default() {
                ratatui::restore();
            }
            process::exit(INTERRUPTED);
        }
    })
    .context("cannot heed Ctrl-C")?;
    Ok(stop)
}
