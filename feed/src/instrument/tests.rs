use super::*;
use crate::book::{Level, Side, Top};
use crate::sync::Ids;

fn level(price: &str, quantity: u32) -> Level {
    Level {
        price: price.parse().unwrap(),
        quantity: quantity.to_string().parse().unwrap(),
    }
}

/// A diff of one update that sets the quantity of the bid at 10 to the update's number.
fn diff(update: u64) -> Diff {
    Diff {
        ids: Ids {
            first: update,
            last: update,
            previous: None,
        },
        bids: vec![level("10", update as u32)],
        asks: vec![],
    }
}

fn snapshot(last: u64) -> Snapshot {
    let mut book = Book::new();
    book.set(Side::Bid, level("10", last as u32));
    book.set(Side::Ask, level("11", 1));
    Snapshot { last, book }
}

fn following(last: u64) -> Instrument {
    let mut instrument = Instrument::new(Venue::Spot);
    instrument.diff(diff(last));
    assert_eq!(instrument.wants_snapshot(), Some(0));
    instrument.snapshot(snapshot(last - 1));
    assert!(instrument.is_following());
    instrument
}

fn bid(instrument: &Instrument) -> String {
    instrument.book().top().bid.unwrap().quantity.to_string()
}

#[test]
fn held_diffs_are_applied_to_the_snapshot() {
    let mut instrument = Instrument::new(Venue::Spot);
    assert_eq!(instrument.wants_snapshot(), None, "before the first diff");
    for update in 5..10 {
        instrument.diff(diff(update));
    }
    assert_eq!(instrument.wants_snapshot(), Some(0));
    assert_eq!(instrument.wants_snapshot(), None, "asked for once");
    instrument.snapshot(snapshot(7));
    assert_eq!(instrument.last(), Some(9));
    assert_eq!(bid(&instrument), "9.00000000");
    let counters = instrument.counters();
    assert_eq!(
        (counters.diffs, counters.stale, counters.applied),
        (5, 3, 2)
    );
    assert_eq!((counters.gaps, counters.resyncs), (0, 0));
}

#[test]
fn a_snapshot_older_than_the_held_diffs_is_asked_for_again() {
    let mut instrument = Instrument::new(Venue::Spot);
    instrument.diff(diff(5));
    assert_eq!(instrument.wants_snapshot(), Some(0));
    instrument.snapshot(snapshot(3));
    assert!(!instrument.is_following());
    assert_eq!(instrument.counters().too_old, 1);
    assert_eq!(instrument.wants_snapshot(), Some(1));
    instrument.no_snapshot();
    assert_eq!(instrument.wants_snapshot(), Some(2));
    instrument.snapshot(snapshot(4));
    assert_eq!(instrument.last(), Some(5));
    assert_eq!(
        (instrument.counters().gaps, instrument.counters().resyncs),
        (0, 0)
    );
}

#[test]
fn a_gap_is_closed_by_a_snapshot_and_loses_nothing_after_it() {
    let mut instrument = following(5);
    instrument.diff(diff(8));
    instrument.diff(diff(9));
    assert!(!instrument.is_following());
    assert_eq!(instrument.counters().gaps, 1);
    assert_eq!(instrument.wants_snapshot(), Some(0));
    instrument.snapshot(snapshot(7));
    assert_eq!(instrument.last(), Some(9));
    assert_eq!(bid(&instrument), "9.00000000");
    assert_eq!(
        (instrument.counters().resyncs, instrument.counters().applied),
        (1, 3)
    );
}

#[test]
fn a_new_connection_starts_over() {
    let mut instrument = following(5);
    instrument.restart();
    assert_eq!(instrument.last(), None);
    // It follows, but what lay between the connections is not known to be nothing.
    instrument.diff(diff(6));
    assert!(!instrument.is_following());
    assert_eq!(instrument.wants_snapshot(), Some(0));
    instrument.snapshot(snapshot(6));
    instrument.diff(diff(7));
    assert!(instrument.is_following());
    assert_eq!(
        (instrument.counters().gaps, instrument.counters().resyncs),
        (0, 1)
    );
}

#[test]
fn a_snapshot_that_comes_too_late_changes_nothing() {
    let mut instrument = following(5);
    instrument.snapshot(snapshot(2));
    assert_eq!(instrument.last(), Some(5));
    assert_eq!(bid(&instrument), "5.00000000");
}

#[test]
fn the_best_prices_are_compared_after_every_diff_that_a_ticker_reaches() {
    let ticker = |id, quantity| Ticker {
        id,
        top: Top {
            bid: Some(level("10", quantity)),
            ask: Some(level("11", 1)),
        },
    };
    let mut instrument = following(5);
    instrument.diff(diff(6));
    assert_eq!(instrument.counters().checked, 0);
    instrument.ticker(ticker(7, 7));
    instrument.ticker(ticker(9, 1));
    instrument.diff(diff(7));
    assert_eq!(
        (
            instrument.counters().checked,
            instrument.counters().disagreed
        ),
        (1, 0)
    );
    instrument.diff(diff(8));
    assert_eq!(
        (
            instrument.counters().checked,
            instrument.counters().disagreed
        ),
        (2, 1),
        "7 bid, 8 in the book"
    );
    instrument.lost();
    instrument.diff(diff(9));
    assert_eq!(instrument.counters().checked, 2);
    instrument.ticker(ticker(9, 9));
    instrument.restart();
    instrument.diff(diff(12));
    instrument.snapshot(snapshot(11));
    assert!(instrument.is_following());
    assert_eq!(instrument.counters().checked, 2, "of the last connection");
}

#[test]
fn the_oldest_of_too_many_held_diffs_are_given_up() {
    let mut instrument = Instrument::new(Venue::Spot);
    let most = MOST_HELD as u64;
    for update in 1..=most + 3 {
        instrument.diff(diff(update));
    }
    assert_eq!(instrument.counters().given_up, 3);
    instrument.snapshot(snapshot(2));
    assert_eq!(instrument.counters().too_old, 1, "3 was given up");
    instrument.snapshot(snapshot(3));
    assert_eq!(instrument.last(), Some(most + 3));
}

#[test]
fn every_diff_is_accounted_for() {
    let mut instrument = Instrument::new(Venue::Spot);
    let counted = |instrument: &Instrument| {
        let counters = instrument.counters();
        let named = counters.applied + counters.stale + counters.given_up + counters.held;
        assert_eq!(counters.diffs, named);
        (counters.held, counters.given_up)
    };
    assert_eq!(instrument.state(), State::NoData);
    instrument.diff(diff(5));
    instrument.diff(diff(6));
    assert_eq!(counted(&instrument), (2, 0));
    assert_eq!(instrument.state(), State::NotInStep);
    // Beyond all that has come.
    instrument.snapshot(snapshot(6));
    assert_eq!(counted(&instrument), (0, 0));
    assert!(!instrument.is_following());
    assert_eq!(instrument.state(), State::InStep);
    instrument.diff(diff(8));
    assert_eq!(counted(&instrument), (1, 0));
    assert_eq!(instrument.state(), State::NotInStep);
    instrument.restart();
    assert_eq!(counted(&instrument), (0, 1));
    assert_eq!(instrument.state(), State::NotInStep);
}
