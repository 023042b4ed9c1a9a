//! `gimmal tap`.

use crate::fields::{Fields, Read};
use crate::Place;
use anyhow::{ensure, Result};
use gimmal_shm::{Inspection, Seen};
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
    ///
    /// Fields have spaces between them, and each is a type, with a name before it ("id:u64"), a count ("[8]char"), or both ("side:[2]u8"). The types are u8 u16
    /// u32 u64, i8 i16 i32 i64, f32 f64, char (text, up to its zeros), and pad for bytes that are not shown.
    ///
    /// Fields are packed: no gap is added to align one, as compilers do, so a struct's gaps are to be said, as [n]pad. Together they must be as long as the element.
    /// With --json a field without a name is called by its number among them, from 0.
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
/// How often to look whether more can come.
const LOOK: Duration = Duration::from_millis(200);

/// Prints the elements as they pass, until interrupted or no more can come.
pub fn run(place: &Place, args: &Args) -> Result<()> {
    let segment = place.inspect(&args.name)?;
    if let Some(fields) = &args.fields {
        let size = segment.shape().element_size();
        let described = fields
            .size()
            .map_or("more".to_owned(), |size| size.to_string());
        ensure!(
            fields.size() == Some(size),
            "the elements of {} have {size} bytes, and the fields {described}: fields lie side by side, so add [n]pad for what is left out and for gaps",
            args.name
        );
    }
    let mut tap = segment
        .tap()
        .map_err(|error| place.explained(&args.name, &error))?;
    let mut out = io::stdout().lock();
    let mut bytes = Vec::new();
    let mut left = args.count;
    let mut idle = Instant::now();
    let mut looked = Instant::now();
    let mut over = None;
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
                // It was over before this look, which found nothing: all was seen.
                if let Some(why) = over {
                    eprintln!("gimmal: {} {why}", args.name);
                    return Ok(());
                }
                if args
                    .idle
                    .is_some_and(|limit| idle.elapsed().as_secs_f64() >= limit)
                {
                    return Ok(());
                }
                if looked.elapsed() >= LOOK {
                    looked = Instant::now();
                    over = why_over(&segment);
                }
                thread::sleep(PAUSE);
            }
        }
    }
    Ok(())
}

/// Why no more will come, if that is so.
fn why_over(segment: &Inspection) -> Option<&'static str> {
    if !segment.is_current() {
        Some("was replaced or removed")
    } else if segment.rings().iter().all(|ring| ring.is_closed) {
        Some("is closed: no more will come")
    } else {
        None
    }
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
