//! Recordings played through the same ring into the same books.

use crate::book::Book;
use crate::handler::Handler;
use crate::queue::{Head, Queue, Sender, Size, Ticks};
use crate::record::{Entry, Recording};
use crate::report::{Report, RingCounts, Times};
use crate::stop::Stop;
use crate::strategy::Strategy;
use crate::trouble;
use crate::venue::Venue;
use anyhow::{ensure, Result};
use gimmal::WaitError;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

/// What [`run`] works by.
#[derive(Clone, Debug)]
pub struct Options {
    /// By whose rules.
    pub venue: Venue,
    /// So many times as fast as it was recorded; none for as fast as it can be.
    pub speed: Option<f64>,
    /// How many bytes the ring holds.
    pub ring: Size,
    /// How the consumer waits.
    pub strategy: Strategy,
    /// Between two reports.
    pub interval: Duration,
    /// Ends it early.
    pub stop: Stop,
}

impl Options {
    /// As fast as it can be.
    pub fn new(venue: Venue) -> Self {
        Self {
            venue,
            speed: None,
            ring: Size::M1,
            strategy: Strategy::Park,
            interval: Duration::from_secs(1),
            stop: Stop::default(),
        }
    }
}

/// How it ended.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The last report.
    pub report: Report,
    /// The book of each symbol.
    pub books: BTreeMap<String, Book>,
}

const PATIENCE: Duration = Duration::from_millis(100);

/// Plays a recording, to its end, or until `observe` breaks or somebody asks it to stop. Nothing is dropped: unlike a socket, a file can wait.
///
/// # Errors
/// If the speed is no number above zero, or a message is too long for the ring.
pub fn run(
    recording: &Recording,
    options: &Options,
    observe: &mut dyn FnMut(&Report) -> ControlFlow<()>,
) -> Result<Summary> {
    if let Some(speed) = options.speed {
        let is_speed = speed.is_finite() && speed > 0.0;
        ensure!(
            is_speed,
            "a speed of {speed}: it must be more than 0, and finite"
        );
    }
    let queue = Queue::new(options.ring);
    let (mut sender, mut receiver) = queue.split()?;
    let ticks = Ticks::start();
    let mut player = Player {
        handler: Handler::new(options.venue),
        entries: &recording.entries,
        troubles: Vec::new(),
    };
    let mut times = Times::new();
    thread::scope(|scope| -> Result<()> {
        let speed = options.speed;
        let playing = scope.spawn(move || {
            let played = play(recording, speed, &mut sender, ticks);
            sender.close();
            played
        });
        let mut waiter = options.strategy.waiter(ticks);
        receiver.declare(&mut waiter);
        let interval = options.interval.as_nanos() as u64;
        let mut due = ticks.now() + interval;
        loop {
            let mut deadline = ticks.after(PATIENCE);
            let taken = receiver.receive(&mut waiter, &mut deadline, |head, _, text| {
                times.record(ticks.now() - head.at);
                player.message(head, text);
            });
            if taken == Err(WaitError::Closed) || options.stop.is_stopped() {
                break;
            }
            if ticks.now() >= due {
                due = ticks.now() + interval;
                let ring = RingCounts::of(&receiver);
                if observe(&player.report(ticks, ring, &mut times)).is_break() {
                    break;
                }
            }
        }
        receiver.close();
        playing.join().expect("the player does not panic")
    })?;
    player.snapshots();
    let ring = RingCounts::at_end(&mut receiver);
    let report = player.report(ticks, ring, &mut times);
    let instruments = player.handler.instruments();
    let books = instruments.map(|(symbol, one)| (symbol.to_owned(), one.book().clone()));
    Ok(Summary {
        books: books.collect(),
        report,
    })
}

/// The messages into the ring, each at its time.
fn play(
    recording: &Recording,
    speed: Option<f64>,
    sender: &mut Sender<'_>,
    ticks: Ticks,
) -> Result<()> {
    let start = recording.entries.first().map(Entry::at).unwrap_or_default();
    let mut session = 1;
    for entry in &recording.entries {
        let (at, text) = match entry {
            Entry::Message { at, text } => (at, text),
            Entry::Connection { .. } => {
                session += 1;
                continue;
            }
            Entry::Snapshot { .. } => continue,
        };
        if let Some(speed) = speed {
            let due = (*at - start).div_f64(speed).as_nanos() as u64;
            while ticks.now() < due && !sender.is_closed() {
                let left = Duration::from_nanos(due.saturating_sub(ticks.now()));
                thread::sleep(left.min(PATIENCE));
            }
        }
        ensure!(
            sender.fits(text.len()),
            "a message of {} bytes is too long for the ring: {:.80}",
            text.len(),
            text
        );
        while !sender.has_room(text.len()) && !sender.is_closed() {
            thread::yield_now();
        }
        if sender.is_closed() {
            break;
        }
        sender.offer(session, ticks.now(), text.as_bytes());
    }
    Ok(())
}

/// The consumer's side. It has the snapshots from the recording itself, each before the message that it was received before.
struct Player<'r> {
    handler: Handler,
    entries: &'r [Entry],
    troubles: Vec<String>,
}

impl Player<'_> {
    fn message(&mut self, head: Head, text: &[u8]) {
        self.snapshots();
        // This message's own entry.
        self.entries = self.entries.get(1..).unwrap_or_default();
        let read = self.handler.message(head.session, 0, text);
        self.trouble(read);
    }

    /// The snapshots up to the next message.
    fn snapshots(&mut self) {
        loop {
            match self.entries {
                [Entry::Snapshot { symbol, body, .. }, rest @ ..] => {
                    self.entries = rest;
                    let read = self.handler.snapshot(symbol, body);
                    self.trouble(read);
                }
                // Messages tell of it by the number of their session.
                [Entry::Connection { .. }, rest @ ..] => self.entries = rest,
                [Entry::Message { .. }, ..] | [] => return,
            }
        }
    }

    fn trouble(&mut self, read: Result<()>) {
        if let Err(error) = read {
            self.troubles.push(trouble::text(&error));
        }
    }

    fn report(&mut self, ticks: Ticks, ring: RingCounts, times: &mut Times) -> Report {
        let seconds = ticks.now() as f64 / 1e9;
        Report {
            troubles: std::mem::take(&mut self.troubles),
            ..Report::new(seconds, ring, &self.handler, times)
        }
    }
}
