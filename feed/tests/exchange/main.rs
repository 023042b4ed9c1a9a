//! The simulated exchange by itself: a client as simple as can be applies what it is sent, and has the exchange's book.

mod client;
mod follow;
mod recording;
mod rest;
mod stream;

use gimmal_feed::simulate::{Exchange, Options, Scheduled};
use gimmal_feed::venue::Venue;

/// An exchange that sends so many messages, as fast as they are taken.
fn options(venue: Venue, messages: u64, faults: &[&str]) -> Options {
    let scheduled = |text: &&str| text.parse::<Scheduled>().unwrap();
    Options {
        venue,
        rate: None,
        messages: Some(messages),
        faults: faults.iter().map(scheduled).collect(),
        ..Options::default()
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let usual = Options::default;
    for (options, reason) in [
        (
            Options {
                symbols: vec![],
                ..usual()
            },
            "needs a symbol",
        ),
        (
            Options {
                symbols: vec!["A/B".into()],
                ..usual()
            },
            "\"A/B\" is no symbol",
        ),
        (
            Options {
                symbols: vec!["A".into(), "a".into()],
                ..usual()
            },
            "named twice",
        ),
        (
            Options {
                rate: Some(0.0),
                ..usual()
            },
            "the rate must be",
        ),
        (
            Options {
                rate: Some(f64::NAN),
                ..usual()
            },
            "the rate must be",
        ),
        (
            Options {
                certificate: Some("/nowhere/x.pem".into()),
                ..usual()
            },
            "/nowhere/x.pem",
        ),
    ] {
        let error = format!("{:#}", Exchange::start(options).err().unwrap());
        assert!(error.contains(reason), "{error}");
    }
    let first = Exchange::start(usual()).unwrap();
    let address = first.rest_address();
    let port = address.rsplit(':').next().unwrap().parse().unwrap();
    let error = format!(
        "{:#}",
        Exchange::start(Options { port, ..usual() }).err().unwrap()
    );
    assert!(
        error.contains(&format!("cannot listen at 127.0.0.1:{port}")),
        "{error}"
    );
}
