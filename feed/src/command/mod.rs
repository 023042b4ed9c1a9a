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

/// A time in microseconds, from a command line.
fn microseconds(text: &str) -> Result<Duration, String> {
    let number: u64 = text.parse().map_err(|_| "not a whole number")?;
    Ok(Duration::from_micros(number))
}
