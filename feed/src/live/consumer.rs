//! The consumer's thread: takes messages from the queue, keeps the books, asks for snapshots, reports.

use super::{Options, Summary};
use crate::handler::{Handler, Wanted};
use crate::queue::{Head, Receiver, Ticks};
use crate::record::{self, Recorder};
use crate::report::{Report, RingCounts, Times};
use crate::snapshots::{Fetched, Told};
use crate::socket::Event;
use crate::{trouble, units};
use anyhow::Result;
use gimmal::WaitError;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Whom the consumer talks to.
pub struct Outside {
    /// Snapshots that are wanted.
    pub wants: mpsc::Sender<Wanted>,
    /// What becomes of them.
    pub fetched: mpsc::Receiver<Told>,
    /// What happened to the connection.
    pub told: mpsc::Receiver<Event>,
    /// Where reports go; that nobody listens any more is the sign to end.
    pub reports: mpsc::Sender<Report>,
}

/// A snapshot that has come is seen so soon.
const SOON: Duration = Duration::from_millis(5);
/// That it is to stop is seen so soon.
const LOOK: Duration = Duration::from_millis(50);
/// What waits in the ring at the end is taken for so long at most.
const DRAIN: Duration = Duration::from_secs(1);
/// A symbol of which nothing comes for so long, in nanoseconds, may be none.
const QUIET: u64 = 2_000_000_000;
/// Who waits so long for a snapshot should be told.
const SLOW: Duration = Duration::from_secs(2);

/// The consumer.
pub struct Consumer<'q> {
    options: Options,
    ticks: Ticks,
    receiver: Receiver<'q>,
    books: Books,
    /// Snapshots that are on their way.
    awaited: u32,
    /// Where one is asked for and since when, until that has been told as a trouble.
    asking: Option<(String, u64)>,
    /// The stream's address.
    address: String,
    connections: u64,
    is_connected: bool,
    /// When symbols of which nothing has come are asked for, after the first connection.
    probe: Option<u64>,
    /// When a report is due.
    due: u64,
    /// When it is to stop taking what is left, once it is to end.
    drained: Option<u64>,
}

/// What a message changes.
struct Books {
    handler: Handler,
    recorder: Option<Recorder>,
    /// Why the recording is not whole.
    unrecorded: Option<String>,
    /// The connection of the last message.
    session: Option<u32>,
    /// The time since 1970 at which the clock started.
    epoch: Duration,
    times: Times,
    troubles: Vec<String>,
}

/// More are not kept between two reports.
const MOST_TROUBLES: usize = 20;

impl Books {
    fn trouble(&mut self, text: String) {
        if self.troubles.len() < MOST_TROUBLES {
            self.troubles.push(text);
        }
    }

    fn message(&mut self, head: Head, missing: u64, text: &[u8], address: &str) {
        if let Err(error) = self.handler.message(head.session, missing, text) {
            self.trouble(trouble::text(&error));
        }
        let at = self.epoch + Duration::from_nanos(head.at);
        let session = self.session.replace(head.session);
        if session.is_some_and(|session| session != head.session) {
            self.record(|recorder| recorder.connection(at, address));
        }
        self.record(|recorder| recorder.message(at, &String::from_utf8_lossy(text)));
    }

    fn unrecorded(&mut self, error: &anyhow::Error) {
        let text = format!("the recording is not whole: {}", trouble::text(error));
        self.trouble(text.clone());
        self.unrecorded = Some(text);
    }

    /// If the disk is full, say, the recording ends, and the books go on.
    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> Result<()>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        if let Err(error) = write(recorder) {
            self.recorder = None;
            self.unrecorded(&error);
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
        address: String,
    ) -> Self {
        let mut handler = Handler::new(options.venue);
        for symbol in &options.symbols {
            handler.expect(symbol);
        }
        Self {
            options: options.clone(),
            ticks,
            receiver,
            books: Books {
                handler,
                recorder,
                unrecorded: None,
                session: None,
                epoch: record::now().saturating_sub(Duration::from_nanos(ticks.now())),
                times: Times::new(),
                troubles: Vec::new(),
            },
            awaited: 0,
            asking: None,
            address,
            connections: 0,
            is_connected: false,
            probe: None,
            due: ticks.now() + options.interval.as_nanos() as u64,
            drained: None,
        }
    }

    /// Consumes until it is enough, closes the queue then, and takes what is left for a while.
    pub fn run(&mut self, outside: &Outside) {
        let mut waiter = self.options.strategy.waiter(self.ticks);
        self.receiver.declare(&mut waiter);
        let time = self.options.time.map(|time| time.as_nanos() as u64);
        let end = time.unwrap_or(u64::MAX);
        let messages = self.options.messages.unwrap_or(u64::MAX);
        loop {
            let now = self.ticks.now();
            if !self.tell_if_due(outside) {
                break;
            }
            if now >= end || self.receiver.consumed() >= messages || self.options.stop.is_stopped()
            {
                break;
            }
            let mut left = Duration::from_nanos(self.due.min(end).saturating_sub(now)).min(LOOK);
            if self.awaited > 0 {
                self.take_snapshots(outside);
                left = left.min(SOON);
            }
            match self.take(&mut waiter, left) {
                Ok(()) => self.ask(outside),
                Err(WaitError::TimedOut) => {}
                Err(WaitError::Closed) => break,
            }
        }
        self.receiver.close();
        let mut is_heard = true;
        self.drain(&mut waiter, |consumer| {
            is_heard = is_heard && consumer.tell_if_due(outside);
        });
        self.listen(outside);
    }

    /// Takes what is left, for a while since it was first asked to.
    fn drain(&mut self, waiter: &mut impl gimmal::wait::Wait, mut each: impl FnMut(&mut Self)) {
        let end = self.ticks.now() + DRAIN.as_nanos() as u64;
        let end = *self.drained.get_or_insert(end);
        while self.ticks.now() < end && self.take(waiter, Duration::ZERO).is_ok() {
            each(self);
        }
    }

    /// Reports at each interval; false once nobody listens any more.
    fn tell_if_due(&mut self, outside: &Outside) -> bool {
        let now = self.ticks.now();
        if now < self.due {
            return true;
        }
        self.due = now + self.options.interval.as_nanos() as u64;
        self.listen(outside);
        self.complain(now);
        if self.probe.take_if(|probe| *probe <= now).is_some() {
            self.books.handler.probe();
            self.ask(outside);
        }
        let report = self.report(RingCounts::of(&self.receiver));
        outside.reports.send(report).is_ok()
    }

    /// After the socket thread has ended: what is left, and the sum.
    pub fn finish(mut self) -> Summary {
        let mut waiter = self.options.strategy.waiter(self.ticks);
        self.drain(&mut waiter, |_| {});
        if let Some(Err(error)) = self.books.recorder.take().map(Recorder::finish) {
            self.books.unrecorded(&error);
        }
        let ring = RingCounts::at_end(&mut self.receiver);
        let report = self.report(ring);
        let instruments = self.books.handler.instruments();
        let books = instruments.map(|(symbol, one)| (symbol.to_owned(), one.book().clone()));
        Summary {
            books: books.collect(),
            report,
            unrecorded: self.books.unrecorded,
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
            address,
            ..
        } = self;
        let mut deadline = ticks.after(left);
        receiver.receive(waiter, &mut deadline, |head, missing, text| {
            books.times.record(ticks.now() - head.at);
            if !options.slow.is_zero() {
                thread::sleep(options.slow);
            }
            books.message(head, missing, text, address);
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
        while let Ok(told) = outside.fetched.try_recv() {
            match told {
                Told::Asks(address) => self.asking = Some((address, self.ticks.now())),
                Told::Has(fetched) => {
                    self.asking = None;
                    self.awaited -= 1;
                    self.take_snapshot(fetched);
                    self.ask(outside);
                }
            }
        }
    }

    fn take_snapshot(&mut self, fetched: Fetched) {
        let Fetched {
            symbol,
            address,
            body,
        } = fetched;
        let books = &mut self.books;
        let read = match body {
            Ok(body) => {
                let read = books.handler.snapshot(&symbol, &body);
                books.record(|recorder| recorder.snapshot(record::now(), &address, &body));
                read
            }
            Err(error) => {
                books.handler.no_snapshot(&symbol);
                Err(error)
            }
        };
        if let Err(error) = read {
            let cause = trouble::text(&error);
            let place = trouble::place(&address);
            books.trouble(format!("no snapshot of {symbol}: {cause} ({place})"));
        }
    }

    /// Tells of a snapshot that is long in coming.
    fn complain(&mut self, now: u64) {
        let is_slow = |(_, since): &mut (String, u64)| now - *since >= SLOW.as_nanos() as u64;
        if let Some((address, since)) = self.asking.take_if(is_slow) {
            let waited = units::time((now - since) as f64);
            let place = trouble::place(&address);
            let text = format!("no answer to a request for a snapshot, for {waited} now ({place})");
            self.books.trouble(text);
        }
    }

    fn listen(&mut self, outside: &Outside) {
        while let Ok(event) = outside.told.try_recv() {
            let place = trouble::place(&self.address);
            match event {
                Event::Connected => {
                    self.connections += 1;
                    if self.connections == 1 {
                        self.probe = Some(self.ticks.now() + QUIET);
                    }
                    self.is_connected = true;
                }
                Event::Slow(what) => {
                    self.books
                        .trouble(format!("no connection yet: {what} ({place})"));
                }
                Event::Down(error, pause) => {
                    self.is_connected = false;
                    let cause = trouble::text(&error);
                    let pause = units::time(pause.as_nanos() as f64);
                    let text = format!("no connection: {cause} ({place}, again in {pause})");
                    self.books.trouble(text);
                }
            }
        }
    }

    fn report(&mut self, ring: RingCounts) -> Report {
        let books = &mut self.books;
        let seconds = self.ticks.now() as f64 / 1e9;
        let mut report = Report {
            connections: self.connections,
            troubles: std::mem::take(&mut books.troubles),
            ..Report::new(seconds, ring, &books.handler, &mut books.times)
        };
        if !self.is_connected {
            report.disconnected();
        }
        report
    }
}
