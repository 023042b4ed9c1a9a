//! A segment as one row: what `ls` and `top` show.

use crate::Place;
use anyhow::Result;
use gimmal_shm::{names, EndState, Inspection, Peer, RingState};
use serde::Serialize;
use std::thread;
use std::time::{Duration, Instant};

/// A segment's state.
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub kind: String,
    pub element_size: usize,
    /// Of each ring.
    pub capacity: usize,
    /// Elements in it.
    pub depth: usize,
    /// Elements refused since it was made.
    pub dropped: usize,
    /// Elements a second, over the time between two looks.
    pub rate: f64,
    pub producers: Vec<String>,
    pub consumer: String,
    pub epoch: u64,
}

/// A name that leads to no segment that can be read, and why.
#[derive(Debug, Serialize)]
pub struct Unreadable {
    pub name: String,
    pub error: String,
}

/// All segments, and what only has such a name.
#[derive(Debug, Serialize)]
pub struct Rows {
    pub segments: Vec<Row>,
    pub unreadable: Vec<Unreadable>,
}

impl Rows {
    /// Looks twice, so long apart.
    pub fn read(place: &Place, interval: Duration) -> Result<Self> {
        let mut rows = Self {
            segments: Vec::new(),
            unreadable: Vec::new(),
        };
        let mut found = Vec::new();
        for name in names(Some(&place.dir))? {
            match place.segment(&name).inspect() {
                Ok(segment) => {
                    let rings = segment.rings();
                    found.push((name, segment, rings, Instant::now()));
                }
                Err(error) => rows.unreadable.push(Unreadable {
                    name,
                    error: error.to_string(),
                }),
            }
        }
        if !found.is_empty() {
            thread::sleep(interval);
        }
        let read = |(name, segment, rings, at): (_, _, Vec<RingState>, Instant)| {
            Row::new(name, &segment, &rings, at.elapsed())
        };
        rows.segments = found.into_iter().map(read).collect();
        Ok(rows)
    }
}

impl Row {
    fn new(name: String, segment: &Inspection, before: &[RingState], time: Duration) -> Self {
        let now = segment.rings();
        let pushed = segment.pushed_between(before, &now);
        let sum = |of: fn(&RingState) -> usize| now.iter().map(of).fold(0, usize::wrapping_add);
        Self {
            name,
            kind: segment.kind().to_string(),
            element_size: segment.shape().element_size(),
            capacity: segment.shape().capacity(),
            depth: sum(|ring| ring.len),
            dropped: sum(|ring| ring.dropped),
            rate: pushed as f64 / time.as_secs_f64(),
            producers: segment.producers().iter().map(end).collect(),
            consumer: end(&segment.consumer()),
            epoch: segment.epoch(),
        }
    }

    /// The producers in a few words: of many, how many are how.
    pub fn producers_shown(&self) -> String {
        match self.producers.as_slice() {
            [one] => one.clone(),
            many => {
                let count = |how| many.iter().filter(|end| end.starts_with(how)).count();
                let counts = ["alive", "stopped", "dead"].map(|how| (count(how), how));
                let shown: Vec<_> = counts
                    .iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, how)| format!("{count} {how}"))
                    .collect();
                if shown.is_empty() {
                    "absent".into()
                } else {
                    shown.join(", ")
                }
            }
        }
    }

    /// What stands at the head of `cells`.
    pub const HEAD: [&str; 9] = [
        "NAME", "KIND", "ELEMENT", "DEPTH", "DROPPED", "RATE/S", "PRODUCER", "CONSUMER", "EPOCH",
    ];

    /// As text.
    pub fn cells(&self) -> [String; 9] {
        [
            self.name.clone(),
            self.kind.clone(),
            format!("{} B", self.element_size),
            format!("{}/{}", self.depth, self.capacity),
            self.dropped.to_string(),
            format!("{:.0}", self.rate),
            self.producers_shown(),
            self.consumer.clone(),
            self.epoch.to_string(),
        ]
    }
}

/// How an end fares, and whose it is.
fn end(state: &EndState) -> String {
    match (state.peer, state.holder) {
        (Peer::Absent, _) | (_, None) => state.peer.to_string(),
        (peer, Some(holder)) => format!("{peer} ({})", holder.pid),
    }
}
