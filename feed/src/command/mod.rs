//! The subcommands.

pub mod demo;
pub mod flood;
pub mod interrupt;
pub mod live;
mod output;
pub mod replay;
mod text;
mod view;
pub mod waits;

use std::time::Duration;

/// A time in seconds, from a command line.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number")?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("must be more than 0".into()),
    }
}

/// Ends with an error of usage if a name is there twice.
fn distinct(names: impl Iterator<Item = String>) {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        let text = format!("{name} is named twice\n");
        if !seen.insert(name) {
            clap::Error::raw(clap::error::ErrorKind::ValueValidation, text).exit();
        }
    }
}

/// A whole number above zero, from a command line.
fn above_zero(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("must be a whole number above 0".into()),
    }
}

/// A time in microseconds, from a command line.
fn microseconds(text: &str) -> Result<Duration, String> {
    let number: u64 = text.parse().map_err(|_| "not a whole number")?;
    Ok(Duration::from_micros(number))
}
