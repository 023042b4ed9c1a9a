//! What a fresh client is sent gives the exchange's book.

use crate::client::{both, snapshot, Client, Got};
use crate::options;
use gimmal_feed::simulate::{Exchange, Ladder, Options, Rung, Side, UNITS};
use gimmal_feed::venue::Venue;
use serde_json::Value;

fn units(value: &Value) -> i64 {
    let text = value.as_str().unwrap();
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let rest: i64 = format!("{rest:0<8}").parse().unwrap();
    whole.parse::<i64>().unwrap() * UNITS + rest
}

fn apply(book: &mut Ladder, bids: &Value, asks: &Value) {
    for (side, levels) in [(Side::Bid, bids), (Side::Ask, asks)] {
        for level in levels.as_array().unwrap() {
            book.set(side, (units(&level[0]), units(&level[1])));
        }
    }
}

/// What a client has of a symbol.
#[derive(Default)]
pub struct Followed {
    pub book: Ladder,
    pub diffs: u64,
    /// The number of the last change that the first diff told.
    pub first: u64,
    applied: u64,
    /// How many times the best prices were compared.
    compared: u64,
    /// How many snapshots lay within a diff.
    inside: u64,
}

/// Listens to one symbol, takes the snapshot after the first diff, and ends when the exchange stands still, to which it is told once so many
/// diffs are applied.
pub fn follow(exchange: &Exchange, venue: Venue, symbol: &str, enough: u64) -> Followed {
    let mut client = Client::connect(exchange, &both(symbol));
    let mut followed = Followed::default();
    let mut before = None;
    let mut best: Option<(u64, [Rung; 2])> = None;
    loop {
        let text = match client.next(exchange) {
            Got::Text(text) => text,
            Got::Nothing => return followed,
            other => panic!("{other:?}"),
        };
        let message: Value = serde_json::from_str(&text).unwrap();
        let data = &message["data"];
        assert_eq!(data["s"], symbol);
        if message["stream"].as_str().unwrap().ends_with("@bookTicker") {
            let rung = |price: &str, quantity: &str| (units(&data[price]), units(&data[quantity]));
            best = Some((
                data["u"].as_u64().unwrap(),
                [rung("b", "B"), rung("a", "A")],
            ));
            continue;
        }
        let [first, last] = ["U", "u"].map(|key| data[key].as_u64().unwrap());
        let book = &mut followed.book;
        if followed.diffs == 0 {
            followed.first = last;
            let snapshot = snapshot(exchange, venue, symbol);
            apply(book, &snapshot["bids"], &snapshot["asks"]);
            book.last = snapshot["lastUpdateId"].as_u64().unwrap();
            assert!(book.last >= last, "the snapshot is older than the diff");
        }
        if let Some(before) = before.replace(last) {
            match venue {
                Venue::Futures => assert_eq!(data["pu"].as_u64(), Some(before)),
                Venue::Spot | Venue::Us => assert_eq!(first, before + 1),
            }
        }
        followed.diffs += 1;
        if last <= book.last {
            continue;
        }
        followed.inside += u64::from(first <= book.last);
        apply(book, &data["b"], &data["a"]);
        book.last = last;
        followed.applied += 1;
        if followed.applied == enough {
            exchange.hold();
        }
        if let Some((number, best)) = best {
            assert!(number <= last);
            let top = [Side::Bid, Side::Ask].map(|side| book.best(side).unwrap());
            assert_eq!(top, best, "the best prices are not the book's");
            followed.compared += 1;
        }
    }
}

#[test]
fn a_fresh_client_has_the_book() {
    let mut inside = 0;
    for venue in [Venue::Spot, Venue::Us, Venue::Futures] {
        for seed in 0..4 {
            let exchange = Exchange::start(Options {
                seed,
                // So slow that little is under way when enough has come.
                rate: Some(5000.0),
                symbols: vec!["BTCUSDT".into()],
                ..options(venue, u64::MAX, &[])
            });
            let exchange = exchange.unwrap();
            let followed = follow(&exchange, venue, "BTCUSDT", 200);
            assert_eq!(followed.book, exchange.book("btcusdt").unwrap());
            assert!(followed.applied >= 200 && followed.compared > 50);
            inside += followed.inside;
        }
    }
    assert!(inside > 0, "no snapshot lay within a diff");
}

#[test]
fn who_comes_late_hears_of_each_symbol_once() {
    let exchange = Exchange::start(options(Venue::Spot, 500, &[])).unwrap();
    let first = follow(&exchange, Venue::Spot, "BTCUSDT", u64::MAX);
    let second = follow(&exchange, Venue::Spot, "ETHUSDT", u64::MAX);
    assert!(first.diffs > 1);
    assert_eq!(second.diffs, 1);
    assert_eq!(second.book, exchange.book("ETHUSDT").unwrap());
    assert_eq!(first.book, exchange.book("BTCUSDT").unwrap());
    assert_eq!(exchange.counts().connections, 2);
}
