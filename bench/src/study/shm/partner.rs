//! The second process of the study: this very program, with the other ends of the study's segments.

use super::ends::{Ends, Place};
use super::order::Order;
use super::process::READY;
use super::row::Kind;
use anyhow::{Context, Result};
use gimmal_shm::kinds::{Index, KindOf, Line};
use gimmal_shm::Segment;
use rustix::process::{getppid, set_parent_process_death_signal, Signal};
use std::fs::File;
use std::io::{stdin, stdout, Write};
use std::os::fd::RawFd;

/// The variable that makes the program a partner: the descriptors of its parent's segments.
pub const VARIABLE: &str = "GIMMAL_STUDY_PARTNER";

/// A pair of segments: the parent's descriptors, and what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// How they publish.
    pub kind: Kind,
    /// Bytes of a message.
    pub bytes: usize,
    /// To the partner.
    pub there: RawFd,
    /// From the partner.
    pub back: RawFd,
}

/// As the partner's variable says it.
pub fn describe(pairs: &[Pair]) -> String {
    let words = pairs.iter().map(|pair| {
        let Pair {
            kind,
            bytes,
            there,
            back,
        } = pair;
        format!("{} {bytes} {there} {back}", kind.name())
    });
    words.collect::<Vec<_>>().join(";")
}

fn read(text: &str) -> Result<Vec<Pair>> {
    let pairs = text.split(';').map(|pair| {
        let words: Vec<&str> = pair.split(' ').collect();
        let [kind, bytes, there, back] = words[..] else {
            return None;
        };
        Some(Pair {
            kind: Kind::of(kind)?,
            bytes: bytes.parse().ok()?,
            there: there.parse().ok()?,
            back: back.parse().ok()?,
        })
    });
    pairs
        .collect::<Option<_>>()
        .with_context(|| format!("no segments in: {text}"))
}

/// Serves the process that started this one, if it is a partner; whether it is.
///
/// # Errors
///
/// If the segments cannot be had, or the orders make no sense.
pub fn serve() -> Result<bool> {
    let Ok(text) = std::env::var(VARIABLE) else {
        return Ok(false);
    };
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let mut places = Vec::new();
    for pair in read(&text)? {
        places.push((format!("{} {}", pair.kind.name(), pair.bytes), place(pair)?));
    }
    say(READY)?;
    for line in stdin().lines() {
        let line = line?;
        let (name, place) = places
            .iter_mut()
            .find(|(name, _)| line.starts_with(&**name))
            .with_context(|| format!("no rings for: {line}"))?;
        let order: Order = line[name.len()..].parse()?;
        let times = place.run(&order);
        let words: Vec<String> = times.iter().map(u64::to_string).collect();
        say(&words.join(" "))?;
    }
    Ok(true)
}

fn say(line: &str) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

fn place(pair: Pair) -> Result<Box<dyn Place>> {
    match (pair.kind, pair.bytes) {
        (Kind::Line, 8) => attach::<Line, 1>(pair),
        (Kind::Line, _) => attach::<Line, 6>(pair),
        (Kind::Index, 8) => attach::<Index, 1>(pair),
        (Kind::Index, _) => attach::<Index, 6>(pair),
    }
}

fn attach<K: KindOf, const WORDS: usize>(pair: Pair) -> Result<Box<dyn Place>> {
    let tx = segment(pair.back)?.kind::<K>().producer()?;
    let rx = segment(pair.there)?.kind::<K>().consumer()?;
    Ok(Box::new(Ends::<_, _, WORDS>::new(tx, rx)))
}

/// The segment behind a descriptor of the parent's.
fn segment(descriptor: RawFd) -> Result<Segment> {
    let parent = getppid().context("the parent is gone")?;
    let path = format!("/proc/{}/fd/{descriptor}", parent.as_raw_nonzero());
    let file = File::options().read(true).write(true).open(&path);
    Ok(Segment::passed(file.with_context(|| path)?.into()).touch())
}

#[cfg(test)]
mod tests {
    use super::super::row::BYTES;
    use super::*;

    #[test]
    fn pairs_read_back_as_they_were_described() {
        let pair = |kind, bytes, there| Pair {
            kind,
            bytes,
            there,
            back: there + 1,
        };
        let pairs = [
            pair(Kind::Line, BYTES[0], 3),
            pair(Kind::Index, BYTES[1], 5),
        ];
        assert_eq!(read(&describe(&pairs)).unwrap(), pairs);
        for text in ["", "line 8 3", "circle 8 3 4", "line 8 3 x"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
