//! The socket thread: connects, stamps each message, moves it into the queue, and connects again when the connection ends.

use crate::backoff::Backoff;
use crate::queue::{Offered, Sender, Ticks};
use crate::tls::Stream;
use anyhow::{anyhow, bail, Context, Result};
use rustls::ClientConfig;
use std::io::ErrorKind;
use std::sync::mpsc;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tungstenite::client::{client_with_config, uri_mode, IntoClientRequest};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::stream::Mode;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

/// What the socket thread works by.
pub struct Options {
    /// The stream's whole address.
    pub address: String,
    /// For addresses that begin with `wss:`.
    pub tls: Arc<ClientConfig>,
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
    /// There is none: why, and for how long it will not try again.
    Down(anyhow::Error, Duration),
}

/// A look at whether anybody still wants messages is due after so long at the latest.
const LOOK: Duration = Duration::from_millis(100);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Messages offered, and those of them dropped.
pub struct Counts {
    /// Messages offered, dropped ones included.
    pub produced: u64,
    /// Messages dropped.
    pub dropped: u64,
}

/// Receives until the queue's receiver closes it.
pub fn run(
    mut sender: Sender<'_>,
    mut options: Options,
    ticks: Ticks,
    events: &mpsc::Sender<Event>,
) -> Counts {
    let mut session = 0;
    while !sender.is_closed() {
        session += 1;
        let began = ticks.now();
        let ended = connect(&options).and_then(|mut socket| {
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
        let error = error.context(options.address.clone());
        let _ = events.send(Event::Down(error, pause));
        let end = ticks.now() + pause.as_nanos() as u64;
        while !sender.is_closed() && ticks.now() < end {
            thread::sleep(LOOK.min(Duration::from_nanos(end - ticks.now().min(end))));
        }
    }
    Counts {
        produced: sender.produced(),
        dropped: sender.dropped(),
    }
}

fn connect(options: &Options) -> Result<WebSocket<Stream>> {
    let request = options.address.as_str().into_client_request()?;
    let uri = request.uri();
    let tls = match uri_mode(uri)? {
        Mode::Plain => None,
        Mode::Tls => Some(&options.tls),
    };
    let host = uri.host().context("the address names no host")?;
    // An address of version 6 is written in brackets.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri
        .port_u16()
        .unwrap_or(if tls.is_some() { 443 } else { 80 });
    let stream = Stream::connect(host, port, tls, CONNECT_TIMEOUT)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(options.largest))
        .max_frame_size(Some(options.largest));
    let (socket, _) =
        client_with_config(request, stream, Some(config)).map_err(|error| match error {
            HandshakeError::Failure(error) => anyhow!(error),
            HandshakeError::Interrupted(_) => {
                anyhow!("no answer to the handshake in {CONNECT_TIMEOUT:?}")
            }
        })?;
    socket.get_ref().socket().set_read_timeout(Some(LOOK))?;
    Ok(socket)
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
                    // The peer may be gone; nobody needs its answer.
                    let _ = socket.close(None);
                    return Ok(());
                }
                let quiet = ticks.now() - heard;
                if quiet >= 2 * silence {
                    bail!(
                        "nothing came in {:.1?}, not even an answer to a ping",
                        Duration::from_nanos(quiet)
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
