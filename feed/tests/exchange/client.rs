//! A client that takes what it gets.

use gimmal_feed::simulate::Exchange;
use gimmal_feed::venue::Venue;
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Error, Message, WebSocket};

/// How long a client waits before it asks the exchange whether there is more.
const GLANCE: Duration = Duration::from_millis(20);
/// So that a test which would never end says why.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection with streams.
pub struct Client {
    pub socket: WebSocket<MaybeTlsStream<TcpStream>>,
    pub pings: u64,
}

/// What a client gets.
#[derive(Debug)]
pub enum Got {
    Text(String),
    /// The exchange stands still, and has nothing more.
    Nothing,
    /// The connection was closed, with this code.
    Closed(u16),
    /// The connection is gone without a close.
    Lost,
}

impl Client {
    pub fn connect(exchange: &Exchange, streams: &str) -> Self {
        let address = format!("{}/stream?streams={streams}", exchange.stream_address());
        let (socket, _) = tungstenite::connect(address).unwrap();
        let client = Self { socket, pings: 0 };
        client.tcp().set_read_timeout(Some(GLANCE)).unwrap();
        client
    }

    /// Listens to all of the symbols.
    pub fn of_all(exchange: &Exchange) -> Self {
        let streams: Vec<String> = exchange
            .symbols()
            .iter()
            .map(|symbol| both(symbol))
            .collect();
        Self::connect(exchange, &streams.join("/"))
    }

    pub fn tcp(&self) -> &TcpStream {
        match self.socket.get_ref() {
            MaybeTlsStream::Plain(socket) => socket,
            _ => panic!("the connection is plain"),
        }
    }

    /// The next message, or why there is none.
    pub fn next(&mut self, exchange: &Exchange) -> Got {
        let started = Instant::now();
        loop {
            // Asked first: finished, then nothing, means all was seen.
            let is_finished = exchange.wait(Duration::ZERO);
            match self.socket.read() {
                Ok(Message::Text(text)) => return Got::Text(text.to_string()),
                Ok(Message::Close(frame)) => {
                    return Got::Closed(frame.map_or(0, |frame| frame.code.into()))
                }
                Ok(Message::Ping(_)) => self.pings += 1,
                Ok(_) => {}
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    if is_finished {
                        return Got::Nothing;
                    }
                    assert!(started.elapsed() < PATIENCE, "nothing comes");
                }
                Err(_) => return Got::Lost,
            }
        }
    }
}

/// The streams of a symbol.
pub fn both(symbol: &str) -> String {
    let lower = symbol.to_lowercase();
    format!("{lower}@depth@100ms/{lower}@bookTicker")
}

/// An answer; its status is 0 if the connection ended in its middle.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// The answer to a request for this path.
pub fn get(exchange: &Exchange, path: &str) -> Answer {
    let address = exchange.rest_address();
    let mut socket = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
    write!(socket, "GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").unwrap();
    let mut text = String::new();
    let mut bytes = [0; 4096];
    loop {
        let count = socket.read(&mut bytes).unwrap();
        text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let after = |name: &str| {
            head.split(name)
                .nth(1)
                .unwrap()
                .split([' ', '\r'])
                .next()
                .unwrap()
        };
        let length: usize = after("Content-Length: ").parse().unwrap();
        if count == 0 || body.len() == length {
            let status = after("HTTP/1.1 ").parse().unwrap();
            return Answer {
                status: if body.len() == length { status } else { 0 },
                head: head.to_owned(),
                body: body.to_owned(),
            };
        }
    }
}

/// The snapshot of a symbol.
pub fn snapshot(exchange: &Exchange, venue: Venue, symbol: &str) -> Value {
    let path = venue.depth_path();
    let answer = get(exchange, &format!("{path}?symbol={symbol}&limit=1000"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}
