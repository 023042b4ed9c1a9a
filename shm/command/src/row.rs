//! A segment as one row: what `ls` and `top` show.

use crate::end::End;
use crate::Place;
use anyhow::{Context, Result};
use gimmal_shm::{names, Inspection, RingState};
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
    /// Whether nothing more can be pushed, by anyone.
    pub is_closed: bool,
    pub producers: Vec<End>,
    pub consumer: End,
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
        let names = names(Some(&place.dir))
            .with_context(|| format!("cannot list {}", place.dir.display()))?;
        for name in names {
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
            is_closed: now.iter().all(|ring| ring.is_closed),
            producers: segment.producers().into_iter().map(End::from).collect(),
            consumer: segment.consumer().into(),
            epoch: segment.epoch(),
        }
    }

    /// The producers in a few words: of many, how many are how.
    pub fn producers_shown(&self) -> String {
        match self.producers.as_slice() {
            [one] => one.brief(),
            many => {
                let count = |how| many.iter().filter(|end| end.peer == how).count();
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
    pub const HEAD: [&str; 10] = [
        "NAME", "KIND", "ELEMENT", "STATE", "DEPTH", "DROPPED", "RATE/S", "PRODUCER", "CONSUMER",
        "EPOCH",
    ];

    /// The columns in the order in which a narrow screen loses them.
    pub const FIRST_TO_GO: [usize; 9] = [9, 2, 1, 5, 8, 7, 3, 6, 4];

    /// As text.
    pub fn cells(&self) -> [String; 10] {
        [
            self.name.clone(),
            self.kind.clone(),
            format!("{} B", self.element_size),
            if self.is_closed { "closed" } else { "open" }.into(),
            format!("{}/{}", self.depth, self.capacity),
            self.dropped.to_string(),
            format!("{:.0}", self.rate),
            self.producers_shown(),
            self.consumer.brief(),
            self.epoch.to_string(),
        ]
    }
}
