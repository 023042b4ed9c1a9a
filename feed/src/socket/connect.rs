//! Connections are made by a thread of their own: so whoever waits for one can give up at any time, whatever it hangs in.

use super::{Options, LOOK};
use crate::tls::{self, Stream};
use anyhow::{anyhow, Context, Result};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tungstenite::client::{client_with_config, uri_mode, IntoClientRequest};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::stream::Mode;
use tungstenite::{HandshakeError, WebSocket};

/// How far it has come.
pub enum Step {
    /// The exchange takes the connection; hands are still to be shaken.
    Reached,
    /// The end of it.
    Made(Result<Box<WebSocket<Stream>>>),
}

/// Starts to connect. Each wait of it lasts for `timeout` at most.
pub fn start(options: &Options, timeout: Duration) -> Result<mpsc::Receiver<Step>> {
    let (sender, steps) = mpsc::channel();
    let options = options.clone();
    thread::Builder::new()
        .name("connecting".into())
        .spawn(move || {
            // Nobody may listen any more.
            let _ = sender.send(Step::Made(connect(&options, timeout, &sender)));
        })?;
    Ok(steps)
}

fn connect(
    options: &Options,
    timeout: Duration,
    steps: &mpsc::Sender<Step>,
) -> Result<Box<WebSocket<Stream>>> {
    let request = options.address.as_str().into_client_request()?;
    let uri = request.uri();
    let tls = match uri_mode(uri)? {
        Mode::Plain => None,
        Mode::Tls => Some(tls::config(options.authorities.as_deref())?),
    };
    let host = uri.host().context("the address names no host")?;
    // An address of version 6 is written in brackets.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri
        .port_u16()
        .unwrap_or(if tls.is_some() { 443 } else { 80 });
    let stream = Stream::connect(host, port, tls.as_ref(), timeout)?;
    let _ = steps.send(Step::Reached);
    let config = WebSocketConfig::default()
        .max_message_size(Some(options.largest))
        .max_frame_size(Some(options.largest));
    let (socket, _) =
        client_with_config(request, stream, Some(config)).map_err(|error| match error {
            HandshakeError::Failure(error) => anyhow!(error),
            HandshakeError::Interrupted(_) => anyhow!("no answer to the handshake"),
        })?;
    socket.get_ref().socket().set_read_timeout(Some(LOOK))?;
    Ok(Box::new(socket))
}
