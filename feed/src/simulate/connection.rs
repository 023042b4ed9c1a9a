//! One client's connection: requests, and then, if one of them asks for it, streams.

use super::http::{self, Answer};
use super::rest;
use super::state::{Delivery, Shared};
use super::transport::Transport;
use crate::venue::Venue;
use anyhow::{bail, Result};
use std::collections::HashSet;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tungstenite::handshake::server::{create_response, write_response};
use tungstenite::http::Request;
use tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tungstenite::protocol::frame::{CloseFrame, Frame};
use tungstenite::protocol::Role;
use tungstenite::{Error, Message, Utf8Bytes, WebSocket};

/// How long a connection looks at nothing but its stream.
const GLANCE: Duration = Duration::from_millis(20);
/// How many messages are sent at most before it is looked at what the client has to say.
const AT_ONCE: usize = 64;
/// How long a client may take to answer a close.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves a connection until its end.
pub(super) fn serve(shared: &Shared, mut stream: Transport) -> Result<()> {
    let mut buffer = Vec::new();
    while let Some(request) = http::read(&mut stream, &mut buffer)? {
        if request.headers().contains_key("upgrade") {
            return upgrade(shared, stream, buffer, &request);
        }
        let answer = rest::answer(shared, &request);
        answer.write(&mut stream)?;
        if answer.is_truncated {
            break;
        }
    }
    Ok(stream.socket().shutdown(Shutdown::Both)?)
}

/// Makes a stream of the connection.
fn upgrade(
    shared: &Shared,
    mut stream: Transport,
    read: Vec<u8>,
    request: &Request<()>,
) -> Result<()> {
    let path = request.uri().path();
    let is_stream =
        path == "/stream" || (shared.options.venue == Venue::Futures && path == "/public/stream");
    let streams = http::parameter(request, "streams").filter(|streams| !streams.is_empty());
    let (true, Some(streams)) = (is_stream, streams) else {
        return Answer::new(404, String::new()).write(&mut stream);
    };
    let streams: HashSet<String> = streams.split('/').map(str::to_owned).collect();
    match create_response(request) {
        Ok(response) => write_response(&mut stream, &response)?,
        Err(error) => {
            let reason = error.to_string();
            return Answer::new(400, reason).write(&mut stream);
        }
    }
    stream.flush()?;
    stream
        .socket()
        .set_write_timeout(Some(shared.options.pong))?;
    let (number, deliveries) = shared.listen(streams);
    let socket = WebSocket::from_partially_read(stream, read, Role::Server, None);
    let ended = Talk {
        socket,
        pinged: Instant::now(),
        unanswered: None,
    }
    .run(shared, &deliveries);
    shared.forget(number);
    ended
}

/// A connection with streams.
struct Talk {
    socket: WebSocket<Transport>,
    /// When a ping was sent last.
    pinged: Instant,
    /// Since when a pong is missing.
    unanswered: Option<Instant>,
}

impl Talk {
    fn run(mut self, shared: &Shared, deliveries: &Receiver<Delivery>) -> Result<()> {
        loop {
            match deliveries.recv_timeout(GLANCE) {
                Ok(first) => {
                    let more = deliveries.try_iter().take(AT_ONCE);
                    for delivery in std::iter::once(first).chain(more) {
                        match delivery {
                            Delivery::Text { text, .. } => {
                                self.socket.write(Message::Text(text))?
                            }
                            Delivery::Half(text) => return self.cut(text),
                            Delivery::Close => return self.close(),
                            Delivery::Silence => return self.fall_silent(),
                        }
                    }
                    self.socket.flush()?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if !self.hear()? || shared.is_stopped() {
                return Ok(());
            }
            self.ping(shared)?;
        }
    }

    /// Reads what the client has sent, without waiting; false if that was the end.
    fn hear(&mut self) -> Result<bool> {
        self.socket.get_ref().socket().set_nonblocking(true)?;
        let goes_on = loop {
            match self.socket.read() {
                Ok(Message::Pong(_)) => self.unanswered = None,
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break true,
                Err(Error::ConnectionClosed) => break false,
                Err(error) => return Err(error.into()),
            }
        };
        self.socket.get_ref().socket().set_nonblocking(false)?;
        Ok(goes_on)
    }

    /// Sends a ping when one is due, and gives up a client that has not answered one in time.
    fn ping(&mut self, shared: &Shared) -> Result<()> {
        if self
            .unanswered
            .is_some_and(|since| since.elapsed() > shared.options.pong)
        {
            self.socket.get_ref().socket().shutdown(Shutdown::Both)?;
            bail!("no pong in time");
        }
        if self.pinged.elapsed() > shared.options.ping {
            let text = super::wire::now().to_string();
            self.socket.send(Message::Ping(text.into_bytes().into()))?;
            self.pinged = Instant::now();
            self.unanswered.get_or_insert(self.pinged);
        }
        Ok(())
    }

    /// Sends half of a message's frame, and no more.
    fn cut(mut self, text: Utf8Bytes) -> Result<()> {
        self.socket.flush()?;
        let mut frame = Vec::new();
        Frame::message(text, OpCode::Data(Data::Text), true).format(&mut frame)?;
        let stream = self.socket.get_mut();
        stream.write_all(&frame[..frame.len() / 2])?;
        stream.flush()?;
        Ok(stream.socket().shutdown(Shutdown::Both)?)
    }

    /// Closes as the protocol wants it.
    fn close(mut self) -> Result<()> {
        let farewell = CloseFrame {
            code: CloseCode::Away,
            reason: "the exchange restarts".into(),
        };
        self.socket.close(Some(farewell))?;
        self.socket.flush()?;
        self.socket
            .get_ref()
            .socket()
            .set_read_timeout(Some(FAREWELL))?;
        while self.socket.read().is_ok() {}
        Ok(self.socket.get_ref().socket().shutdown(Shutdown::Both)?)
    }

    /// Keeps the connection, and answers nothing, until the client gives it up.
    fn fall_silent(mut self) -> Result<()> {
        self.socket.flush()?;
        let mut socket = self.socket.get_ref().socket();
        let mut ignored = [0; 1024];
        while socket.read(&mut ignored)? > 0 {}
        Ok(())
    }
}
