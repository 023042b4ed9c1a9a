//! Recordings of streams and snapshots, as text, plain or gzipped.
//!
//! A recording of a stream names the stream's address in its first line, and again where it was connected to anew; each further line is
//! `RECEIVE_TIME: MESSAGE`, the time in seconds since 1970. A recording of snapshots has a line `URL -> TIME: BODY` for each.

use crate::venue::Venue;
use anyhow::{anyhow, bail, Context, Result};
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use flate2::Compression;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// One line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A message of the stream.
    Message {
        /// When it was received, since 1970.
        at: Duration,
        /// The message as it came.
        text: String,
    },
    /// An answer with a snapshot.
    Snapshot {
        /// When it was received, since 1970.
        at: Duration,
        /// The symbol asked for, in capitals.
        symbol: String,
        /// The answer's body.
        body: String,
    },
    /// The stream was connected to anew.
    Connection {
        /// When the first message came over the new connection, since 1970.
        at: Duration,
    },
}

impl Entry {
    /// When it was received, since 1970.
    pub const fn at(&self) -> Duration {
        match self {
            Self::Message { at, .. } | Self::Snapshot { at, .. } | Self::Connection { at } => *at,
        }
    }
}

/// What was recorded of one venue.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Recording {
    /// The addresses recorded from.
    pub addresses: Vec<String>,
    /// What came, in the order in which it was received.
    pub entries: Vec<Entry>,
}

impl Recording {
    /// Reads files, each of a stream, of snapshots or of both, and puts them in the order of time.
    ///
    /// # Errors
    /// If a file cannot be read, or a line is none of a recording: the error names file and line.
    pub fn read<P: AsRef<Path>>(files: &[P]) -> Result<Self> {
        let (recording, read) = Self::read_so_far(files);
        read.map(|()| recording)
    }

    /// Likewise, but what comes before an error is there beside it: of a recording that was cut short, say.
    pub fn read_so_far<P: AsRef<Path>>(files: &[P]) -> (Self, Result<()>) {
        let mut recording = Self::default();
        let read = files.iter().try_for_each(|file| {
            let file = file.as_ref();
            File::open(file)
                .map_err(Into::into)
                .and_then(|open| recording.take(BufReader::new(open)))
                .with_context(|| file.display().to_string())
        });
        // Stable: lines of one file with the same time keep their order.
        recording.entries.sort_by_key(Entry::at);
        (recording, read)
    }

    /// Takes in the lines of a recording, gzipped or not, behind what is there already.
    ///
    /// # Errors
    /// If it cannot be read, or a line is none of a recording: the error names the line.
    pub fn take(&mut self, mut recording: impl BufRead) -> Result<()> {
        let is_gzip = recording.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let lines: Box<dyn Read + '_> = if is_gzip {
            Box::new(MultiGzDecoder::new(recording))
        } else {
            Box::new(recording)
        };
        let mut connections = 0;
        for (number, line) in BufReader::new(lines).lines().enumerate() {
            let read = line
                .map_err(Into::into)
                .and_then(|line| read_line(&line, self, &mut connections));
            read.with_context(|| format!("line {}", number + 1))?;
        }
        Ok(())
    }

    /// The venue that the addresses name, if they name one.
    pub fn venue(&self) -> Option<Venue> {
        self.addresses
            .iter()
            .find_map(|address| Venue::of_address(address))
    }
}

/// Where the snapshots lie that belong to a recording of a stream: `a.ws.0.gz` and `a.http.0.gz` are such names.
pub fn snapshots_beside(stream: &Path) -> Option<PathBuf> {
    let name = stream.file_name()?.to_str()?;
    let (head, tail) = name.split_once(".ws.")?;
    let exact = stream.with_file_name(format!("{head}.http.{tail}"));
    if exact.exists() {
        return Some(exact);
    }
    let beside = format!("{head}.http.");
    let folder = stream.parent().filter(|path| !path.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&beside))
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

fn read_line(line: &str, recording: &mut Recording, connections: &mut u64) -> Result<()> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(());
    }
    if line.starts_with("ws://") || line.starts_with("wss://") {
        // What follows the address says when it was connected to.
        let (address, time) = line.split_once(" <-> ").unwrap_or((line, ""));
        recording.addresses.push(address.to_owned());
        *connections += 1;
        if *connections > 1 {
            let at = time_of(time).ok_or_else(|| anyhow!("{time:.40?} is no time in seconds"))?;
            recording.entries.push(Entry::Connection { at });
        }
        return Ok(());
    }
    if line.starts_with("http://") || line.starts_with("https://") {
        let (address, rest) = line
            .split_once(" -> ")
            .ok_or_else(|| anyhow!("no ` -> ` after an address"))?;
        let (at, body) = timed(rest)?;
        // Other requests than those for snapshots are none of ours.
        let symbol = address.split_once("/depth?").and_then(|(_, query)| {
            query
                .split('&')
                .find_map(|pair| pair.strip_prefix("symbol="))
        });
        if let Some(symbol) = symbol {
            recording.addresses.push(address.to_owned());
            recording.entries.push(Entry::Snapshot {
                at,
                symbol: symbol.to_uppercase(),
                body: body.to_owned(),
            });
        }
        return Ok(());
    }
    let (at, text) = timed(line)?;
    recording.entries.push(Entry::Message {
        at,
        text: text.to_owned(),
    });
    Ok(())
}

/// `SECONDS: TEXT`.
fn timed(line: &str) -> Result<(Duration, &str)> {
    let Some((time, text)) = line.split_once(": ") else {
        bail!("no `TIME: ` at its start: {:.40}", line);
    };
    let at = time_of(time).ok_or_else(|| anyhow!("{time:.40?} is no time in seconds"))?;
    Ok((at, text))
}

/// Exact, which a floating point number is not.
fn time_of(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction = fraction.get(..fraction.len().min(9))?;
    let digits = u32::try_from(fraction.len()).ok()?;
    let nanoseconds = fraction.parse::<u32>().ok()? * 10_u32.pow(9 - digits);
    Some(Duration::new(whole.parse().ok()?, nanoseconds))
}

/// Writes a recording: one file, of both the stream and the snapshots; gzipped if its name ends in `.gz`.
pub struct Recorder {
    out: Out,
}

enum Out {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
}

impl Out {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(out) => out,
        }
    }
}

impl Recorder {
    /// Begins the recording of the stream at `address` in a new file, or one that is overwritten.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, address: &str) -> Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot record into {}", path.display()))?;
        let file = BufWriter::new(file);
        let is_gzip = path.extension().is_some_and(|extension| extension == "gz");
        let out = if is_gzip {
            Out::Gzip(GzEncoder::new(file, Compression::default()))
        } else {
            Out::Plain(file)
        };
        let mut recorder = Self { out };
        recorder.connection(now(), address)?;
        Ok(recorder)
    }

    /// Records that the stream at `address` was connected to.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn connection(&mut self, at: Duration, address: &str) -> Result<()> {
        let out = self.out.writer();
        Ok(writeln!(out, "{address} <-> {}", seconds(at))?)
    }

    /// Records a message.
    ///
    /// # Errors
    /// If it cannot be written, or has several lines.
    pub fn message(&mut self, at: Duration, text: &str) -> Result<()> {
        let out = self.out.writer();
        Ok(writeln!(out, "{}: {}", seconds(at), one_line(text))?)
    }

    /// Records an answer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn snapshot(&mut self, at: Duration, address: &str, body: &str) -> Result<()> {
        let out = self.out.writer();
        Ok(writeln!(
            out,
            "{address} -> {}: {}",
            seconds(at),
            one_line(body)
        )?)
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(self) -> Result<()> {
        match self.out {
            Out::Plain(mut out) => out.flush()?,
            Out::Gzip(out) => out.finish()?.flush()?,
        }
        Ok(())
    }
}

/// Line ends mean nothing between the tokens of JSON, and have no place within them.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn seconds(at: Duration) -> String {
    format!("{}.{:06}", at.as_secs(), at.subsec_micros())
}

/// The time since 1970.
pub fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
