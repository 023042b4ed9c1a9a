//! The rings and processes of the rows, which are kept from round to round, and how a row's cell is run on them.

use super::ends::{Ends, Place};
use super::order::{Duty, Order, BATCH};
use super::partner::{self, Pair};
use super::process::{Process, Remote};
use super::row::{Kind, Row, Subject, Way, BYTES, KINDS};
use crate::abi::Pace;
use crate::away::Away;
use crate::one_way;
use crate::queues::gimmal::boxed;
use crate::stats::{median, middle_half};
use crate::study::Setup;
use anyhow::{ensure, Context, Result};
use gimmal::{line_ring, LineRing, Ring};
use gimmal_shm::kinds::{Index, KindOf, Line};
use gimmal_shm::Segment;
use std::collections::HashMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;

/// Messages that a ring holds.
const CAPACITY: usize = 1024;
/// From one message of a schedule to the next, in nanoseconds: 100 kHz.
const PERIOD: f64 = 10_000.0;
/// By how much a message may be late without that being anybody's doing.
const GRAIN: f64 = 200.0;
/// The share of a cell for which a thread may be off its core.
const AWAY: f64 = 0.05;

/// The two places of a pair of rings in one process.
type Both = (Box<dyn Place>, Box<dyn Place>);

/// What one cell says, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The median of batches, or the mean of the middle half.
    pub typical: f64,
    /// Of the messages that were timed one by one.
    pub latencies: Vec<f32>,
    /// Whether the system kept a thread off its core for long.
    pub disturbed: bool,
}

/// Everything that passes messages.
pub struct Stands {
    local: HashMap<(Kind, usize), Both>,
    segments: HashMap<(Kind, usize), Both>,
    /// The ends here of the segments whose others the partner has.
    across: HashMap<(Kind, usize), Box<dyn Place>>,
    partner: Process,
    iceoryx2: Option<[Process; 2]>,
    /// What leads the partner to the segments.
    _shared: Vec<OwnedFd>,
}

impl Stands {
    /// Makes the rings and starts the processes; iceoryx2's is the program at this path.
    ///
    /// # Errors
    ///
    /// If there is no memory, or a process does not start.
    pub fn new(setup: &Setup, iceoryx2: Option<&Path>) -> Result<Self> {
        let (mut local, mut segments) = (HashMap::new(), HashMap::new());
        for kind in KINDS {
            for bytes in BYTES {
                local.insert((kind, bytes), rings(kind, bytes)?);
                segments.insert((kind, bytes), segments_here(kind, bytes)?);
            }
        }
        let (mut across, mut pairs, mut shared) = (HashMap::new(), Vec::new(), Vec::new());
        for kind in KINDS {
            for bytes in BYTES {
                let (place, [there, back]) = half(kind, bytes)?;
                across.insert((kind, bytes), place);
                pairs.push(Pair {
                    kind,
                    bytes,
                    there: there.as_raw_fd(),
                    back: back.as_raw_fd(),
                });
                shared.extend([there, back]);
            }
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.env(partner::VARIABLE, partner::describe(&pairs));
        let partner = Process::start("the second process", &mut command, setup.cores)?;
        let iceoryx2 = iceoryx2.map(|path| -> Result<[Process; 2]> {
            let start = |side: &str, core| {
                let mut command = Command::new(path);
                command.args([side, &format!("gimmal-study-{}", std::process::id())]);
                Process::start("iceoryx2", &mut command, [setup.cores[0], core])
            };
            Ok([
                start("lead", setup.cores[0])?,
                start("answer", setup.cores[1])?,
            ])
        });
        Ok(Self {
            local,
            segments,
            across,
            partner,
            iceoryx2: iceoryx2.transpose()?,
            _shared: shared,
        })
    }

    /// Runs a row's cell, in one direction or the other.
    ///
    /// # Errors
    ///
    /// If time ran back.
    pub fn cell(&mut self, row: Row, setup: &mut Setup, reversed: bool) -> Result<Sample> {
        let few = setup.options.smoke;
        let pace = Pace {
            period: setup.clock.ticks(PERIOD),
            grain: setup.clock.ticks(GRAIN),
            reversed: 0,
        };
        let order = |duty, batches, singles, warming| Order {
            duty,
            warming,
            batches: if few { 3 } else { batches },
            singles: if few { 20 } else { singles },
            pace,
        };
        let (lead, follow) = match (row.way, reversed) {
            (Way::RoundTrip, _) => {
                let order = order(Duty::Lead, 150, 2000, CAPACITY);
                (order, order.with(Duty::Answer))
            }
            (Way::OneWay, false) => {
                let order = order(Duty::Pace, 0, 2000, one_way::WARMING);
                (order, order.with(Duty::Take))
            }
            (Way::OneWay, true) => {
                let order = order(Duty::Take, 0, 2000, one_way::WARMING);
                (order, order.with(Duty::Pace))
            }
        };
        let key = |kind| (kind, row.bytes);
        let mut remote;
        let mut remote_lead;
        let (leader, follower): (&mut dyn Place, &mut dyn Place) = match row.subject {
            Subject::Local(kind) | Subject::Again(kind) => both(&mut self.local, key(kind)),
            Subject::Segment(kind) => both(&mut self.segments, key(kind)),
            Subject::Across(kind) => {
                let rings = format!("{} {}", kind.name(), row.bytes);
                remote = Remote::new(&mut self.partner, rings, None);
                let here = self
                    .across
                    .get_mut(&key(kind))
                    .expect("every kind and size");
                (here.as_mut(), &mut remote)
            }
            Subject::Iceoryx2 => {
                let processes = self.iceoryx2.as_mut().context("iceoryx2 was not started")?;
                let [leads, answers] = processes;
                let rings = row.bytes.to_string();
                remote_lead = Remote::new(leads, rings.clone(), Some(1.0));
                remote = Remote::new(answers, rings, Some(1.0));
                (&mut remote_lead, &mut remote)
            }
        };
        let unit = leader.ns_per_unit().unwrap_or(setup.clock.ns_per_tick);
        let begun = crate::clock::now();
        let ((mut led, mut gone), (mut followed, mut their)) = Default::default();
        setup.crew.both(
            || (led, gone) = timed(leader, &lead),
            || (followed, their) = timed(follower, &follow),
        );
        let lasted = setup.clock.ns(crate::clock::now() - begun);
        let disturbed = [gone, their]
            .iter()
            .any(|away: &Away| away.disturbs(lasted, AWAY));
        let times = if reversed || row.way == Way::RoundTrip {
            led
        } else {
            followed
        };
        sample(row.way, &times, lead.batches, unit, disturbed)
    }
}

fn timed(place: &mut dyn Place, order: &Order) -> (Vec<u64>, Away) {
    let before = place.away();
    let times = place.run(order);
    (times, place.away().since(before))
}

fn both(
    places: &mut HashMap<(Kind, usize), Both>,
    key: (Kind, usize),
) -> (&mut dyn Place, &mut dyn Place) {
    let (lead, follow) = places.get_mut(&key).expect("every kind and size");
    (lead.as_mut(), follow.as_mut())
}

/// The batches of round trips come first.
fn sample(way: Way, times: &[u64], batches: usize, unit: f64, disturbed: bool) -> Result<Sample> {
    let (batches, singles) = times.split_at(match way {
        Way::RoundTrip => batches,
        Way::OneWay => 0,
    });
    ensure!(
        singles.iter().all(|&time| (time as i64) >= 0),
        "a message arrived before it was sent: the counters of the two cores are not synchronised"
    );
    let ns = |&time: &u64| time as f64 * unit;
    let typical = match way {
        Way::RoundTrip => median(batches.iter().map(|time| ns(time) / BATCH as f64)),
        Way::OneWay => middle_half(singles.iter().map(ns).collect()),
    };
    Ok(Sample {
        typical: typical.context("nothing was timed")?,
        latencies: singles.iter().map(|time| ns(time) as f32).collect(),
        disturbed,
    })
}

/// Two rings of this process, and what its two threads have of them.
fn rings(kind: Kind, bytes: usize) -> Result<Both> {
    match (kind, bytes) {
        (Kind::Line, 8) => by_line::<1, { line_ring::cells::<[u64; 1]>(CAPACITY) }>(),
        (Kind::Line, _) => by_line::<6, { line_ring::cells::<[u64; 6]>(CAPACITY) }>(),
        (Kind::Index, 8) => by_index::<1>(),
        (Kind::Index, _) => by_index::<6>(),
    }
}

fn by_line<const WORDS: usize, const CELLS: usize>() -> Result<Both> {
    let ring = || &*Box::leak(boxed(LineRing::<[u64; WORDS], CELLS>::init));
    let ((there, arrives), (back, returns)) = (ring().split()?, ring().split()?);
    Ok((
        Box::new(Ends::<_, _, WORDS>::new(there, returns)),
        Box::new(Ends::<_, _, WORDS>::new(back, arrives)),
    ))
}

fn by_index<const WORDS: usize>() -> Result<Both> {
    let ring = || &*Box::leak(boxed(Ring::<[u64; WORDS], CAPACITY>::init));
    let ((there, arrives), (back, returns)) = (ring().split()?, ring().split()?);
    Ok((
        Box::new(Ends::<_, _, WORDS>::new(there, returns)),
        Box::new(Ends::<_, _, WORDS>::new(back, arrives)),
    ))
}

/// Two segments without names, and what this process' two threads have of them.
fn segments_here(kind: Kind, bytes: usize) -> Result<Both> {
    fn of<K: KindOf, const WORDS: usize>(segment: fn() -> Segment<K>) -> Result<Both> {
        let there = segment().producer()?;
        let back = segment().consumer()?;
        let arrives = Segment::passed(there.share()?).touch().kind::<K>();
        let returns = Segment::passed(back.share()?).touch().kind::<K>();
        let answers = Ends::<_, _, WORDS>::new(returns.producer()?, arrives.consumer()?);
        Ok((
            Box::new(Ends::<_, _, WORDS>::new(there, back)),
            Box::new(answers),
        ))
    }
    match (kind, bytes) {
        (Kind::Line, 8) => of::<Line, 1>(line),
        (Kind::Line, _) => of::<Line, 6>(line),
        (Kind::Index, 8) => of::<Index, 1>(index),
        (Kind::Index, _) => of::<Index, 6>(index),
    }
}

/// The ends here of two segments, and what leads another process to the other ends.
fn half(kind: Kind, bytes: usize) -> Result<(Box<dyn Place>, [OwnedFd; 2])> {
    fn of<K: KindOf, const WORDS: usize>(
        segment: fn() -> Segment<K>,
    ) -> Result<(Box<dyn Place>, [OwnedFd; 2])> {
        let there = segment().producer()?;
        let back = segment().consumer()?;
        let shared = [there.share()?, back.share()?];
        Ok((Box::new(Ends::<_, _, WORDS>::new(there, back)), shared))
    }
    match (kind, bytes) {
        (Kind::Line, 8) => of::<Line, 1>(line),
        (Kind::Line, _) => of::<Line, 6>(line),
        (Kind::Index, 8) => of::<Index, 1>(index),
        (Kind::Index, _) => of::<Index, 6>(index),
    }
}

fn line() -> Segment<Line> {
    Segment::anonymous().line(CAPACITY).touch()
}

fn index() -> Segment<Index> {
    Segment::anonymous().index(CAPACITY).touch()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_told_from_single_messages() {
        let times = [3200, 6400, 9600, 10, 20];
        let trip = sample(Way::RoundTrip, &times, 3, 0.5, false).unwrap();
        assert_eq!(trip.typical, 100.0);
        assert_eq!(trip.latencies, [5.0, 10.0]);
        let way = sample(Way::OneWay, &[10, 20, 30, 40], 0, 2.0, true).unwrap();
        assert_eq!((way.typical, way.disturbed), (50.0, true));
        assert!(sample(Way::OneWay, &[5_u64.wrapping_sub(6)], 0, 1.0, false).is_err());
        assert!(sample(Way::OneWay, &[], 0, 1.0, false).is_err());
    }
}
