//! What faults of the stream look like to a client, and pings.

use crate::client::{both, Client, Got};
use crate::options;
use gimmal_feed::simulate::{Exchange, Options};
use gimmal_feed::venue::Venue;
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const MESSAGES: u64 = 400;
const OVERSIZE: usize = 100_000;

/// A message as far as chance alone makes it: its stream, and the number of its last change; or that it is broken.
fn mark(text: &str) -> (String, u64) {
    let Ok(message) = serde_json::from_str::<Value>(text) else {
        return ("broken".to_owned(), 0);
    };
    let stream = message["stream"].as_str().unwrap().to_owned();
    (stream, message["data"]["u"].as_u64().unwrap())
}

/// All that a client gets of an exchange with this fault.
fn texts(fault: &[&str]) -> (Vec<String>, Got, Client, Exchange) {
    let exchange = Exchange::start(Options {
        oversize: OVERSIZE,
        ..options(Venue::Futures, MESSAGES, fault)
    });
    let exchange = exchange.unwrap();
    let mut client = Client::of_all(&exchange);
    let mut texts = Vec::new();
    loop {
        match client.next(&exchange) {
            Got::Text(text) => texts.push(text),
            end => return (texts, end, client, exchange),
        }
    }
}

fn marks(texts: &[String]) -> Vec<(String, u64)> {
    texts.iter().map(|text| mark(text)).collect()
}

/// The marks without any fault, and the place of the diff that a fault at the 100th message strikes.
fn faultless() -> (Vec<(String, u64)>, usize) {
    let (texts, _, _, exchange) = texts(&[]);
    assert_eq!(texts.len() as u64, exchange.counts().messages);
    let marks = marks(&texts);
    let is_diff = |place: &usize| marks[*place].0.ends_with("@depth@100ms");
    let struck = (99..marks.len()).find(is_diff).unwrap();
    (marks, struck)
}

#[test]
fn faults_of_diffs_do_what_they_say() {
    let (mut expected, struck) = faultless();
    let got = |fault: &str| {
        let (texts, end, _, exchange) = texts(&[fault]);
        assert!(matches!(end, Got::Nothing), "{end:?}");
        assert_eq!(exchange.counts().faults, [fault.parse().unwrap()]);
        texts
    };
    let same = |texts: &[String], expected: &[(String, u64)]| {
        // Beyond the end each may have a diff more of who has missed one.
        let end = expected.len() - 5;
        assert_eq!(marks(texts)[..end], expected[..end]);
    };
    same(&got("duplicate@100"), &{
        let mut doubled = expected.clone();
        doubled.insert(struck, expected[struck].clone());
        doubled
    });
    let oversized = got("oversized@100");
    same(&oversized, &expected);
    assert!(oversized[struck].len() > OVERSIZE);
    assert!(
        oversized
            .iter()
            .filter(|text| text.len() > OVERSIZE)
            .count()
            == 1
    );
    same(&got("malformed@100"), &{
        let mut broken = expected.clone();
        broken[struck] = ("broken".to_owned(), 0);
        broken
    });
    let late = expected.remove(struck);
    same(&got("gap@100"), &expected);
    let next = (struck..)
        .find(|place| expected[*place].0 == late.0)
        .unwrap();
    expected.insert(next + 1, late);
    same(&got("reorder@100"), &expected);
}

#[test]
fn faults_of_connections_do_what_they_say() {
    let (expected, struck) = faultless();
    for fault in ["disconnect@100", "cut@100", "ping-timeout@100"] {
        let exchange = Exchange::start(options(Venue::Futures, MESSAGES, &[fault])).unwrap();
        let mut client = Client::of_all(&exchange);
        for (place, expected) in expected[..struck].iter().enumerate() {
            match client.next(&exchange) {
                Got::Text(text) => assert_eq!(mark(&text), *expected, "{place}"),
                other => panic!("{other:?}"),
            }
        }
        match fault {
            "disconnect@100" => assert!(matches!(client.next(&exchange), Got::Closed(1001))),
            "cut@100" => assert!(matches!(client.next(&exchange), Got::Lost)),
            _ => {
                let error = client.socket.read().unwrap_err();
                let tungstenite::Error::Io(error) = error else {
                    panic!("{error}");
                };
                assert!(matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut
                ));
            }
        }
        // The market has moved on meanwhile, by three diffs of each symbol.
        let mut client = Client::of_all(&exchange);
        let (stream, number) = loop {
            let Got::Text(text) = client.next(&exchange) else {
                panic!("nothing is sent to a new connection");
            };
            let (stream, number) = mark(&text);
            if stream.ends_with("@depth@100ms") {
                break (stream, number);
            }
        };
        let mut of_stream = expected
            .iter()
            .enumerate()
            .filter(|(_, mark)| mark.0 == stream);
        let (_, third) = of_stream
            .by_ref()
            .filter(|(place, _)| *place >= struck)
            .nth(2)
            .unwrap();
        assert!(number > third.1, "{fault}");
    }
}

#[test]
fn half_of_a_message_is_sent_before_the_cut() {
    let (texts, end, _, _) = texts(&["cut@1"]);
    assert!(matches!(end, Got::Lost), "{end:?}");
    assert!(marks(&texts)
        .iter()
        .all(|(stream, _)| stream.ends_with("@bookTicker")));
    let exchange = Exchange::start(options(Venue::Futures, MESSAGES, &["cut@1"])).unwrap();
    let address = exchange.stream_address();
    let mut socket = TcpStream::connect(address.strip_prefix("ws://").unwrap()).unwrap();
    // The key and its answer are the example of RFC 6455.
    write!(
        socket,
        "GET /stream?streams={} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        exchange.symbols().iter().map(|symbol| both(symbol)).collect::<Vec<_>>().join("/")
    )
    .unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("HTTP/1.1 101 "), "{text}");
    assert!(text.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{text}");
    let (_, half) = text.split_once("@depth@100ms").unwrap();
    assert!(
        half.contains("depthUpdate") && !half.contains("}}"),
        "{half}"
    );
}

#[test]
fn pings_want_their_pongs() {
    let exchange = Exchange::start(Options {
        messages: None,
        rate: Some(100.0),
        ping: Duration::from_millis(50),
        pong: Duration::from_secs(1),
        ..options(Venue::Spot, 0, &[])
    });
    let exchange = exchange.unwrap();
    let mut deaf = Client::of_all(&exchange);
    let mut client = Client::of_all(&exchange);
    // For twice as long as the exchange waits for a pong.
    for _ in 0..200 {
        match client.next(&exchange) {
            Got::Text(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(client.pings > 1);
    // One that answers nothing is given up, long before so much has come.
    let most = 1 << 20;
    deaf.tcp().set_read_timeout(None).unwrap();
    let mut bytes = Vec::new();
    let _ = deaf.socket.get_mut().take(most).read_to_end(&mut bytes);
    assert!(!bytes.is_empty() && (bytes.len() as u64) < most);
}
