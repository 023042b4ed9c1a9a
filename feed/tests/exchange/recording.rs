//! A recording of one exchange makes another.

use crate::client::{snapshot, Client, Got};
use crate::follow::follow;
use crate::options;
use gimmal_feed::record::{now, Recorder};
use gimmal_feed::simulate::{Exchange, Options, Source};
use gimmal_feed::venue::Venue;

#[test]
fn what_was_recorded_happens_again() {
    for venue in [Venue::Us, Venue::Futures] {
        let name = format!("gimmal-exchange-{}-{venue}.gz", std::process::id());
        let path = std::env::temp_dir().join(name);
        let exchange = Exchange::start(options(venue, 1500, &[])).unwrap();
        let mut recorder = Recorder::create(&path, venue.stream_address()).unwrap();
        let mut client = Client::of_all(&exchange);
        let mut count = 0;
        while let Got::Text(text) = client.next(&exchange) {
            recorder.message(now(), &text).unwrap();
            count += 1;
            if count == 300 {
                for symbol in exchange.symbols() {
                    let address = venue.snapshot_of(&exchange.rest_address(), &symbol);
                    let body = snapshot(&exchange, venue, &symbol).to_string();
                    recorder.snapshot(now(), &address, &body).unwrap();
                }
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
            let followed = follow(&again, venue, &symbol);
            assert_eq!(followed.book, again.book(&symbol).unwrap());
            assert_eq!(followed.book, exchange.book(&symbol).unwrap());
            assert!(followed.diffs > 20);
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
