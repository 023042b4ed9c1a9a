//! The socket thread: connects, stamps each message, moves it into the queue, and connects again when the connection ends.

mod connect;

use crate::backoff::Backoff;
use crate::queue::{Offered, Sender, Ticks};
use crate::tls::Stream;
use crate::units;
use anyhow::{bail, Result};
use connect::Step;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use tungstenite::{Error, Message, WebSocket};

/// What the socket thread works by.
#[derive(Clone)]
pub struct Options {
    /// The stream's whole address.
    pub address: String,
    /// The file of the authorities to trust, read for each connection: they may be others after an exchange has started anew.
    pub authorities: Option<PathBuf>,
    /// Longer messages are refused, in bytes.
    pub largest: usize,
    /// After so long without anything it sends a ping, and after as long again without an answer it connects anew.
    pub silence: Duration,
    /// The pauses between attempts to connect.
    pub backoff: Backoff,
}

/// What happened to the connection.
#[derive(Debug)]
pub enum Event {
    /// There is a new one.
    Connected,
    /// There is none yet, for a while now: what is waited for.
    Slow(&'static str),
    /// There is none: why, and for how long it will not try again.
    Down(anyhow::Error, Duration),
}

/// A look at whether anybody still wants messages is due after so long at the latest.
const LOOK: Duration = Duration::from_millis(100);
/// Who waits so long for a connection should be told.
const SLOW: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Receives until the queue's receiver closes it.
pub fn run(
    mut sender: Sender<'_>,
    mut options: Options,
    ticks: Ticks,
    events: &mpsc::Sender<Event>,
) {
    let mut session = 0;
    while !sender.is_closed() {
        session += 1;
        let began = ticks.now();
        let ended = connected(&sender, &options, ticks, events).and_then(|socket| {
            let Some(mut socket) = socket else {
                return Ok(());
            };
            // Nobody listens any more only when all is over.
            let _ = events.send(Event::Connected);
            receive(&mut socket, &mut sender, session, &options, ticks)
        });
        let Err(error) = ended else { break };
        // One that is accepted and ended at once has failed like any other.
        if ticks.now() - began >= options.silence.as_nanos() as u64 {
            options.backoff.succeeded();
        }
        let pause = options.backoff.failed();
        let _ = events.send(Event::Down(error, pause));
        let end = ticks.now() + pause.as_nanos() as u64;
        while !sender.is_closed() && ticks.now() < end {
            thread::sleep(LOOK.min(Duration::from_nanos(end - ticks.now().min(end))));
        }
    }
}

/// Waits for a connection; none if the queue is closed meanwhile.
fn connected(
    sender: &Sender<'_>,
    options: &Options,
    ticks: Ticks,
    events: &mpsc::Sender<Event>,
) -> Result<Option<Box<WebSocket<Stream>>>> {
    let timeout = CONNECT_TIMEOUT.min(options.silence * 2);
    let steps = connect::start(options, timeout)?;
    let began = ticks.now();
    let mut what = "the exchange does not take the connection";
    let mut is_told = false;
    loop {
        match steps.recv_timeout(LOOK) {
            Ok(Step::Reached) => {
                what = "the exchange takes the connection and does not answer : is it ws:// or wss:// there?";
            }
            Ok(Step::Made(made)) => return made.map(Some),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => bail!("connecting ended without a result"),
        }
        if sender.is_closed() {
            return Ok(None);
        }
        let waited = ticks.now() - began;
        if waited >= timeout.as_nanos() as u64 {
            bail!("{what}, given up after {}", units::time(waited as f64));
        }
        if waited >= SLOW.as_nanos() as u64 && !is_told {
            is_told = true;
            let _ = events.send(Event::Slow(what));
        }
    }
}

/// Receives until the queue is closed, or the connection ends, which is the error.
fn receive(
    socket: &mut WebSocket<Stream>,
    sender: &mut Sender<'_>,
    session: u32,
    options: &Options,
    ticks: Ticks,
) -> Result<()> {
    let silence = options.silence.as_nanos() as u64;
    let mut heard = ticks.now();
    let mut has_asked = false;
    let mut farewell = None;
    loop {
        match socket.read() {
            Ok(message) => {
                heard = ticks.now();
                has_asked = false;
                let offered = match &message {
                    Message::Text(text) => sender.offer(session, heard, text.as_bytes()),
                    Message::Binary(bytes) => sender.offer(session, heard, bytes),
                    Message::Close(frame) => {
                        farewell = Some(frame.as_ref().map(ToString::to_string));
                        continue;
                    }
                    Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => continue,
                };
                if offered == Offered::Closed {
                    return Ok(());
                }
            }
            Err(Error::Io(error)) if is_timeout(error.kind()) => {
                if sender.is_closed() {
                    // The peer may be gone; nobody needs its answer, or waits for it to take the farewell.
                    let _ = socket.get_ref().socket().set_write_timeout(Some(LOOK));
                    let _ = socket.close(None);
                    return Ok(());
                }
                let quiet = ticks.now() - heard;
                if quiet >= 2 * silence {
                    bail!(
                        "nothing came in {}, not even an answer to a ping",
                        units::time(quiet as f64)
                    );
                }
                if quiet >= silence && !has_asked {
                    has_asked = true;
                    socket.send(Message::Ping(Default::default()))?;
                }
            }
            Err(Error::ConnectionClosed) => match farewell {
                Some(Some(reason)) => bail!("closed by the exchange: {reason}"),
                _ => bail!("closed by the exchange"),
            },
            Err(error) => return Err(error.into()),
        }
    }
}

const fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
