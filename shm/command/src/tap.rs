//! `gimmal tap`.

use crate::fields::{Fields, Read};
use crate::Place;
use anyhow::{ensure, Result};
use gimmal_shm::Seen;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

/// Options of `tap`.
#[derive(clap::Args)]
pub struct Args {
    /// The segment
    name: String,

    /// What the elements consist of, such as "id:u64 price:f64 [8]char"; hexadecimal without
    #[arg(long, value_name = "DESCRIPTION")]
    fields: Option<Fields>,

    /// Stop after so many elements
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    count: u64,

    /// Stop when nothing has come for so many seconds
    #[arg(long, value_name = "SECONDS")]
    idle: Option<f64>,

    /// Print a line of JSON for each element
    #[arg(long)]
    json: bool,
}

/// Between two looks at a ring that had nothing new.
const PAUSE: Duration = Duration::from_millis(1);
/// How often to look whether the segment is still the one of its name.
const LOOK: Duration = Duration::from_millis(200);

/// Prints the elements as they pass, until interrupted or the segment is replaced.
pub fn run(place: &Place, args: &Args) -> Result<()> {
    let segment = place.inspect(&args.name)?;
    if let Some(fields) = &args.fields {
        let size = segment.shape().element_size();
        ensure!(
            fields.size() == Some(size),
            "the elements have {size} bytes, not as many as the fields: add [n]pad for what is left out"
        );
    }
    let mut tap = segment.tap()?;
    let mut out = io::stdout().lock();
    let mut bytes = Vec::new();
    let mut left = args.count;
    let mut idle = Instant::now();
    let mut looked = Instant::now();
    while left > 0 {
        match tap.next(&mut bytes) {
            Seen::Element { ring } => {
                left -= 1;
                idle = Instant::now();
                writeln!(out, "{}", shown(args, ring, &bytes))?;
            }
            Seen::Missed { ring, count } => {
                idle = Instant::now();
                if args.json {
                    writeln!(out, "{}", json!({ "ring": ring, "missed": count }))?;
                } else {
                    writeln!(out, "... {count} missed")?;
                }
            }
            Seen::Nothing => {
                out.flush()?;
                if args
                    .idle
                    .is_some_and(|limit| idle.elapsed().as_secs_f64() >= limit)
                {
                    return Ok(());
                }
                if looked.elapsed() >= LOOK {
                    looked = Instant::now();
                    if !segment.is_current() {
                        return Ok(());
                    }
                }
                thread::sleep(PAUSE);
            }
        }
    }
    Ok(())
}

/// A line of JSON whose element keeps the order of its fields.
#[derive(Serialize)]
struct Line {
    ring: usize,
    element: Read,
}

fn shown(args: &Args, ring: usize, bytes: &[u8]) -> String {
    match (&args.fields, args.json) {
        (Some(fields), true) => {
            let element = fields.read(bytes);
            serde_json::to_string(&Line { ring, element }).unwrap_or_default()
        }
        (Some(fields), false) => {
            let Read(read) = fields.read(bytes);
            let shown = read.iter().map(|(name, value)| match name {
                Ok(name) => format!("{name}={value}"),
                Err(_) => value.to_string(),
            });
            shown.collect::<Vec<_>>().join(" ")
        }
        (None, true) => json!({ "ring": ring, "element": hex(bytes) }).to_string(),
        (None, false) => hex(bytes),
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for (index, byte) in bytes.iter().enumerate() {
        let space = if index > 0 && index % 8 == 0 { " " } else { "" };
        let _ = write!(text, "{space}{byte:02x}");
    }
    text
}
