//! A recording of one exchange makes another.

use crate::client::{snapshot, Client, Got};
use crate::follow::follow;
use crate::options;
use gimmal_feed::record::{now, Recorder};
use gimmal_feed::simulate::{Exchange, Options, Source};
use gimmal_feed::venue::Venue;
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn what_was_recorded_happens_again() {
    for venue in [Venue::Us, Venue::Futures] {
        let name = format!("gimmal-exchange-{}-{venue}.gz", std::process::id());
        let path = std::env::temp_dir().join(name);
        let exchange = Exchange::start(options(venue, u64::MAX, &[])).unwrap();
        let mut recorder = Recorder::create(&path, venue.stream_address()).unwrap();
        let mut client = Client::of_all(&exchange);
        let mut lasts = BTreeMap::new();
        let mut after = 0;
        while let Got::Text(text) = client.next(&exchange) {
            recorder.message(now(), &text).unwrap();
            if lasts.is_empty() {
                for symbol in exchange.symbols() {
                    let address = venue.snapshot_of(&exchange.rest_address(), &symbol);
                    let snapshot = snapshot(&exchange, venue, &symbol);
                    recorder
                        .snapshot(now(), &address, &snapshot.to_string())
                        .unwrap();
                    lasts.insert(symbol, snapshot["lastUpdateId"].as_u64().unwrap());
                }
            }
            let message: Value = serde_json::from_str(&text).unwrap();
            let data = &message["data"];
            let last = lasts[data["s"].as_str().unwrap()];
            after += u64::from(data["u"].as_u64().unwrap() > last);
            if after == 500 {
                exchange.hold();
            }
        }
        recorder.finish().unwrap();
        for symbol in exchange.symbols() {
            let again = Exchange::start(Options {
                source: Source::Recording(path.clone()),
                symbols: vec![symbol.to_lowercase()],
                ..options(venue, u64::MAX, &[])
            });
            let again = again.unwrap();
            assert_ne!(again.book(&symbol), exchange.book(&symbol));
            let followed = follow(&again, venue, &symbol, u64::MAX);
            assert_eq!(followed.book, again.book(&symbol).unwrap());
            assert_eq!(followed.book, exchange.book(&symbol).unwrap());
            assert!(followed.diffs > 20);
            assert!(followed.first > lasts[&symbol], "older than the snapshot");
        }
        let all = Exchange::start(Options {
            source: Source::Recording(path.clone()),
            symbols: vec![],
            ..options(venue, u64::MAX, &[])
        });
        let mut symbols = all.unwrap().symbols();
        symbols.sort();
        assert_eq!(symbols, exchange.symbols());
        let other = Exchange::start(Options {
            source: Source::Recording(path.clone()),
            symbols: vec!["DOGEUSDT".into()],
            ..options(venue, u64::MAX, &[])
        });
        let error = format!("{:#}", other.err().unwrap());
        assert!(error.contains("no snapshot of DOGEUSDT"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
