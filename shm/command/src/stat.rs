//! `gimmal stat`.

use crate::end::End;
use crate::list::print_json;
use crate::Place;
use anyhow::Result;
use gimmal_shm::{Inspection, RingState};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

/// Options of `stat`.
#[derive(clap::Args)]
pub struct Args {
    /// The segment
    name: String,

    /// Again and again, every so many seconds, until interrupted or the segment is replaced or removed
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "1", value_parser = interval)]
    watch: Option<Duration>,

    /// Print JSON, with --watch a line each time
    #[arg(long)]
    json: bool,
}

fn interval(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number")?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(interval) if !interval.is_zero() => Ok(interval),
        _ => Err("must be more than 0".into()),
    }
}

/// All that is known of a segment.
#[derive(Serialize)]
struct State {
    name: String,
    kind: String,
    element_size: usize,
    element_align: usize,
    capacity: usize,
    size: usize,
    epoch: u64,
    type_tag: u64,
    is_current: bool,
    skipped: usize,
    creator_pid: u32,
    /// Elements a second since the last look.
    rate: f64,
    rings: Vec<Ring>,
    consumer: End,
    producers: Vec<End>,
}

#[derive(Serialize)]
struct Ring {
    depth: usize,
    dropped: usize,
    is_closed: bool,
}

impl State {
    fn new(name: &str, segment: &Inspection, rings: &[RingState], rate: f64) -> Self {
        let shape = segment.shape();
        Self {
            name: name.into(),
            kind: segment.kind().to_string(),
            element_size: shape.element_size(),
            element_align: shape.element_align(),
            capacity: shape.capacity(),
            size: segment.size(),
            epoch: segment.epoch(),
            type_tag: segment.type_tag(),
            is_current: segment.is_current(),
            skipped: segment.skipped(),
            creator_pid: segment.creator().pid,
            rate,
            rings: rings
                .iter()
                .map(|ring| Ring {
                    depth: ring.len,
                    dropped: ring.dropped,
                    is_closed: ring.is_closed,
                })
                .collect(),
            consumer: segment.consumer().into(),
            producers: segment.producers().into_iter().map(End::from).collect(),
        }
    }

    fn shown(&self) -> String {
        let capacity = match self.rings.len() {
            1 => self.capacity.to_string(),
            lanes => format!("{} in each of {lanes} lanes", self.capacity),
        };
        let mut lines = vec![
            ("name", self.name.clone()),
            ("kind", self.kind.clone()),
            (
                "element",
                format!(
                    "{} bytes, aligned to {}",
                    self.element_size, self.element_align
                ),
            ),
            ("capacity", capacity),
            ("size", format!("{} bytes", self.size)),
            ("epoch", self.epoch.to_string()),
            ("type tag", self.type_tag.to_string()),
            ("creator", format!("pid {}", self.creator_pid)),
            ("skipped", self.skipped.to_string()),
            ("rate", format!("{:.0} a second", self.rate)),
        ];
        for ring in &self.rings {
            let closed = if ring.is_closed { ", closed" } else { "" };
            lines.push((
                "ring",
                format!("{} in it, {} dropped{closed}", ring.depth, ring.dropped),
            ));
        }
        lines.push(("consumer", self.consumer.long()));
        for producer in &self.producers {
            lines.push(("producer", producer.long()));
        }
        let mut text = String::new();
        for (name, value) in lines {
            let _ = writeln!(text, "{name:10} {value}");
        }
        text
    }
}

/// How long the rate is of, unless the state is shown again and again.
const FIRST: Duration = Duration::from_millis(200);

/// Prints the state, once or again and again.
pub fn run(place: &Place, args: &Args) -> Result<()> {
    let segment = place.inspect(&args.name)?;
    let mut last = segment.rings();
    let mut at = Instant::now();
    let mut pause = FIRST;
    loop {
        thread::sleep(pause);
        let now = segment.rings();
        let rate = segment.pushed_between(&last, &now) as f64 / at.elapsed().as_secs_f64();
        at = Instant::now();
        last = now;
        let state = State::new(&args.name, &segment, &last, rate);
        print(args, &state)?;
        let Some(interval) = args.watch else {
            return Ok(());
        };
        if !state.is_current {
            eprintln!("gimmal: {} was replaced or removed", args.name);
            return Ok(());
        }
        pause = interval;
    }
}

fn print(args: &Args, state: &State) -> Result<()> {
    match (args.json, args.watch) {
        (true, None) => print_json(state),
        (true, Some(_)) => Ok(writeln!(io::stdout(), "{}", serde_json::to_string(state)?)?),
        (false, _) => Ok(writeln!(io::stdout(), "{}", state.shown())?),
    }
}
