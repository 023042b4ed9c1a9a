//! The thread that fetches snapshots, so that no book waits for another's.

use crate::backoff::Backoff;
use crate::handler::Wanted;
use crate::venue::Venue;
use anyhow::{bail, Result};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use ureq::http::Response;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

/// What the thread works by.
pub struct Options {
    /// Whose paths and limits.
    pub venue: Venue,
    /// Where the snapshots are, without their path.
    pub address: String,
    /// The file of the authorities to trust, read again after each failure.
    pub authorities: Option<PathBuf>,
    /// The pauses before those that are asked for again.
    pub backoff: Backoff,
}

/// What the thread tells.
pub enum Told {
    /// It asks at this address now.
    Asks(String),
    /// It has an answer, or will get none.
    Has(Fetched),
}

/// An answer.
pub struct Fetched {
    /// Of which symbol.
    pub symbol: String,
    /// What was asked.
    pub address: String,
    /// The body, or why there is none.
    pub body: Result<String>,
}

const TIMEOUT: Duration = Duration::from_secs(10);
/// A thousand levels of both sides take a tenth of it.
const LARGEST: u64 = 4 << 20;

/// An agent that trusts the authorities in a file, or else those that browsers trust.
fn agent(authorities: Option<&Path>) -> Result<Agent> {
    let roots = match authorities {
        Some(path) => {
            let certificates = crate::tls::certificates(path)?;
            let certificates: Vec<_> = certificates
                .iter()
                .map(|certificate| Certificate::from_der(certificate).to_owned())
                .collect();
            RootCerts::new_with_certs(&certificates)
        }
        None => RootCerts::WebPki,
    };
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .build();
    Ok(config.into())
}

/// Fetches what is asked for, each in its turn and those asked for again after a pause, until nobody asks any more. While the exchange wants no
/// requests it sends none.
pub fn run(options: &Options, wanted: &Receiver<Wanted>, told: &Sender<Told>) {
    let mut waiting: Vec<(Instant, String)> = Vec::new();
    let mut closed_until = Instant::now();
    let mut known = None;
    loop {
        let now = Instant::now();
        let next = waiting.iter().map(|(due, _)| *due).min();
        let time = next.map_or(Duration::from_secs(3600), |due| {
            due.max(closed_until).saturating_duration_since(now)
        });
        match wanted.recv_timeout(time) {
            Ok(Wanted { symbol, attempt }) => {
                let pause = match attempt.checked_sub(1) {
                    None => Duration::ZERO,
                    Some(failures) => options.backoff.pause(failures),
                };
                waiting.push((Instant::now() + pause, symbol));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        let due = waiting
            .iter()
            .position(|(due, _)| (*due).max(closed_until) <= now);
        if let Some(at) = due {
            let (_, symbol) = waiting.remove(at);
            let address = options.venue.snapshot_of(&options.address, &symbol);
            if told.send(Told::Asks(address.clone())).is_err() {
                return;
            }
            let (body, closed) = match known
                .take()
                .map_or_else(|| agent(options.authorities.as_deref()), Ok)
            {
                Ok(agent) => {
                    let fetched = fetch(&agent, &address);
                    known = fetched.0.is_ok().then_some(agent);
                    fetched
                }
                Err(error) => (Err(error), None),
            };
            if let Some(time) = closed {
                closed_until = Instant::now() + time;
            }
            let answer = Fetched {
                symbol,
                address,
                body,
            };
            if told.send(Told::Has(answer)).is_err() {
                return;
            }
        }
    }
}

/// The body, and for how long the exchange wants no more requests, if it says so.
fn fetch(agent: &Agent, address: &str) -> (Result<String>, Option<Duration>) {
    let mut answer = match agent.get(address).call() {
        Ok(answer) => answer,
        Err(error) => return (Err(error.into()), None),
    };
    let seconds = answer.headers().get("retry-after");
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse::<u32>().ok());
    let closed = seconds.map(|seconds| Duration::from_secs(seconds.into()));
    (read(&mut answer), closed)
}

fn read(answer: &mut Response<Body>) -> Result<String> {
    let status = answer.status();
    let body = answer
        .body_mut()
        .with_config()
        .limit(LARGEST)
        .read_to_string()?;
    if !status.is_success() {
        let start: String = body.chars().take(200).collect();
        bail!("answered {status}: {start:?}");
    }
    Ok(body)
}
