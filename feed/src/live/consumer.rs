//! The consumer's thread: takes messages from the queue, keeps the books, asks for snapshots, reports.

use super::{Options, Summary};
use crate::handler::{Handler, Wanted};
use crate::queue::{Receiver, Ticks};
use crate::record::{self, Recorder};
use crate::report::{Report, RingCounts, Times};
use crate::snapshots::Fetched;
use crate::socket::{Counts, Event};
use anyhow::Result;
use gimmal::WaitError;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Whom the consumer talks to.
pub struct Outside {
    /// Snapshots that are wanted.
    pub wants: mpsc::Sender<Wanted>,
    /// Those that came.
    pub fetched: mpsc::Receiver<Fetched>,
    /// What happened to the connection.
    pub told: mpsc::Receiver<Event>,
    /// Where reports go; that nobody listens any more is the sign to end.
    pub reports: mpsc::Sender<Report>,
}

/// A snapshot that has come is seen so soon.
const SOON: Duration = Duration::from_millis(5);

/// The consumer.
pub struct Consumer<'q> {
    options: Options,
    ticks: Ticks,
    receiver: Receiver<'q>,
    books: Books,
    /// Snapshots that are on their way.
    awaited: u32,
    connections: u64,
}

/// What a message changes.
struct Books {
    handler: Handler,
    recorder: Option<Recorder>,
    /// The time since 1970 at which the clock started.
    epoch: Duration,
    times: Times,
    troubles: Vec<String>,
}

/// More are not kept between two reports.
const MOST_TROUBLES: usize = 20;

impl Books {
    fn trouble(&mut self, error: &anyhow::Error) {
        if self.troubles.len() < MOST_TROUBLES {
            self.troubles.push(format!("{error:#}"));
        }
    }

    /// If the disk is full, say, the recording ends, and the books go on.
    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> Result<()>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        if let Err(error) = write(recorder) {
            self.recorder = None;
            self.trouble(&error.context("the recording ends"));
        }
    }
}

impl<'q> Consumer<'q> {
    /// Makes it, before its thread starts.
    pub fn new(
        options: &Options,
        ticks: Ticks,
        receiver: Receiver<'q>,
        recorder: Option<Recorder>,
    ) -> Self {
        Self {
            options: options.clone(),
            ticks,
            receiver,
            books: Books {
                handler: Handler::new(options.venue),
                recorder,
                epoch: record::now().saturating_sub(Duration::from_nanos(ticks.now())),
                times: Times::new(),
                troubles: Vec::new(),
            },
            awaited: 0,
            connections: 0,
        }
    }

    /// Consumes until it is enough, and closes the queue then.
    pub fn run(&mut self, outside: &Outside) {
        let mut waiter = self.options.strategy.waiter(self.ticks);
        self.receiver.declare(&mut waiter);
        let interval = self.options.interval.as_nanos() as u64;
        let end = self
            .options
            .time
            .map_or(u64::MAX, |time| time.as_nanos() as u64);
        let messages = self.options.messages.unwrap_or(u64::MAX);
        let mut due = self.ticks.now() + interval;
        loop {
            let now = self.ticks.now();
            if now >= due {
                due = now + interval;
                self.listen(outside);
                let report = self.report(RingCounts {
                    produced: self.receiver.consumed() + self.receiver.dropped(),
                    ..self.counts()
                });
                if outside.reports.send(report).is_err() {
                    break;
                }
            }
            if now >= end || self.receiver.consumed() >= messages {
                break;
            }
            if self.awaited > 0 {
                self.take_snapshots(outside);
            }
            let mut left = Duration::from_nanos(due.min(end) - now);
            if self.awaited > 0 {
                left = left.min(SOON);
            }
            match self.take(&mut waiter, left) {
                Ok(()) => self.ask(outside),
                Err(WaitError::TimedOut) => {}
                Err(WaitError::Closed) => break,
            }
        }
        self.listen(outside);
        self.receiver.close();
    }

    /// After the socket thread has ended: what is left, and the sum.
    pub fn finish(mut self, counts: &Counts) -> Result<Summary> {
        let mut waiter = self.options.strategy.waiter(self.ticks);
        while self.take(&mut waiter, Duration::ZERO).is_ok() {}
        if let Some(recorder) = self.books.recorder.take() {
            recorder.finish()?;
        }
        let report = self.report(RingCounts {
            produced: counts.produced,
            dropped: counts.dropped,
            ..self.counts()
        });
        let instruments = self.books.handler.instruments();
        let books = instruments.map(|(symbol, one)| (symbol.to_owned(), one.book().clone()));
        Ok(Summary {
            books: books.collect(),
            report,
        })
    }

    fn counts(&self) -> RingCounts {
        let (depth, capacity) = self.receiver.depth();
        RingCounts {
            produced: 0,
            consumed: self.receiver.consumed(),
            dropped: self.receiver.dropped(),
            depth,
            capacity,
        }
    }

    fn take(
        &mut self,
        waiter: &mut impl gimmal::wait::Wait,
        left: Duration,
    ) -> Result<(), WaitError> {
        let Self {
            ticks,
            receiver,
            books,
            options,
            ..
        } = self;
        let mut deadline = ticks.after(left);
        receiver.receive(waiter, &mut deadline, |head, missing, text| {
            books.times.record(ticks.now() - head.at);
            if !options.slow.is_zero() {
                thread::sleep(options.slow);
            }
            if let Err(error) = books.handler.message(head.session, missing, text) {
                books.trouble(&error);
            }
            if books.recorder.is_some() {
                let at = books.epoch + Duration::from_nanos(head.at);
                let text = String::from_utf8_lossy(text);
                books.record(|recorder| recorder.message(at, &text));
            }
        })
    }

    fn ask(&mut self, outside: &Outside) {
        for wanted in self.books.handler.wanted() {
            self.awaited += 1;
            // The thread ends only after this one.
            let _ = outside.wants.send(wanted);
        }
    }

    fn take_snapshots(&mut self, outside: &Outside) {
        while let Ok(fetched) = outside.fetched.try_recv() {
            self.awaited -= 1;
            let Fetched {
                symbol,
                address,
                body,
            } = fetched;
            match body {
                Ok(body) => {
                    if let Err(error) = self.books.handler.snapshot(&symbol, &body) {
                        self.books.trouble(&error);
                    }
                    self.books
                        .record(|recorder| recorder.snapshot(record::now(), &address, &body));
                }
                Err(error) => {
                    self.books.handler.no_snapshot(&symbol);
                    self.books.trouble(&error);
                }
            }
            self.ask(outside);
        }
    }

    fn listen(&mut self, outside: &Outside) {
        while let Ok(event) = outside.told.try_recv() {
            match event {
                Event::Connected => self.connections += 1,
                Event::Down(error, pause) => {
                    let error = error.context(format!("no connection, again in {pause:.1?}"));
                    self.books.trouble(&error);
                }
            }
        }
    }

    fn report(&mut self, ring: RingCounts) -> Report {
        let books = &mut self.books;
        let seconds = self.ticks.now() as f64 / 1e9;
        Report {
            connections: self.connections,
            troubles: std::mem::take(&mut books.troubles),
            ..Report::new(seconds, ring, &books.handler, &mut books.times)
        }
    }
}
