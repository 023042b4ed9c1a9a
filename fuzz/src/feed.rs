//! The feed's messages, snapshots, recordings and the state of a book's sequence.

use crate::bytes::Bytes;
use gimmal_feed::book::{Book, Quantity, Side};
use gimmal_feed::handler::Handler;
use gimmal_feed::message::{Message, Snapshot};
use gimmal_feed::record::{Entry, Recording};
use gimmal_feed::sync::{Ids, Sync, Verdict};
use gimmal_feed::venue::Venue;

const VENUES: [Venue; 3] = [Venue::Spot, Venue::Us, Venue::Futures];

/// The first byte says what the others are.
pub fn feed(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let Some(first) = bytes.byte() else { return };
    let venue = VENUES[usize::from(first / 4) % 3];
    match first % 4 {
        0 => message(bytes.rest()),
        1 => snapshot(&String::from_utf8_lossy(bytes.rest())),
        2 => recording(venue, bytes.rest()),
        _ => sequence(venue, bytes),
    }
}

fn message(text: &[u8]) {
    let Ok(Message::Diff { diff, .. }) = Message::parse(text) else {
        return;
    };
    assert!(diff.ids.first <= diff.ids.last);
    let mut book = Book::new();
    diff.apply(&mut book);
    assert!(book.len() <= diff.bids.len() + diff.asks.len());
    is_sound(&book);
}

fn snapshot(body: &str) {
    if let Ok(snapshot) = Snapshot::parse(body) {
        is_sound(&snapshot.book);
    }
}

/// The best first, and no level of nothing.
fn is_sound(book: &Book) {
    let bids: Vec<_> = book.levels(Side::Bid).collect();
    let asks: Vec<_> = book.levels(Side::Ask).collect();
    assert!(bids.is_sorted_by(|better, worse| better.price > worse.price));
    assert!(asks.is_sorted_by(|better, worse| better.price < worse.price));
    assert!(bids
        .iter()
        .chain(&asks)
        .all(|level| level.quantity > Quantity::ZERO));
    let top = book.top();
    let _ = (top.spread(), top.mid(), top.imbalance());
}

/// Played to the handler, as far as it can be read.
fn recording(venue: Venue, text: &[u8]) {
    let mut recording = Recording::default();
    if recording.take(text).is_err() {
        return;
    }
    let mut handler = Handler::new(venue);
    let mut session = 0;
    for entry in &recording.entries {
        // What cannot be read is an error there, too, and no more.
        let _ = match entry {
            Entry::Message { text, .. } => handler.message(session, 0, text.as_bytes()),
            Entry::Snapshot { symbol, body, .. } => handler.snapshot(symbol, body),
            Entry::Connection { .. } => {
                session += 1;
                Ok(())
            }
        };
        let _ = handler.wanted().count();
    }
    for (_, instrument) in handler.instruments() {
        is_sound(instrument.book());
    }
}

/// Whatever comes, the updates in the book are all up to one of them: no hole, and nothing held back that would have fitted.
fn sequence(venue: Venue, mut bytes: Bytes<'_>) {
    let mut sync = Sync::new(venue);
    // The last update in the book, and whether a diff was applied since the snapshot.
    let mut book: Option<(u64, bool)> = None;
    while let Some(what) = bytes.byte() {
        let Some(number) = bytes.byte() else { return };
        let number = u64::from(number);
        match what {
            0 => {
                sync.restart();
                book = None;
            }
            1..32 => {
                sync.snapshot(number);
                book = Some((number, false));
            }
            _ => {
                let Some(length) = bytes.byte() else { return };
                let ids = Ids {
                    first: number,
                    last: number + u64::from(length % 8),
                    previous: (venue == Venue::Futures)
                        .then(|| number.saturating_sub(u64::from(what % 4))),
                };
                judged(venue, &mut book, ids, sync.diff(ids));
            }
        }
        assert_eq!(sync.last(), book.map(|(last, _)| last));
        assert_eq!(
            sync.is_following(),
            book.is_some_and(|(_, follows)| follows)
        );
    }
}

fn judged(venue: Venue, book: &mut Option<(u64, bool)>, ids: Ids, verdict: Verdict) {
    let Some((last, follows)) = *book else {
        assert_eq!(verdict, Verdict::Hold);
        return;
    };
    let is_by_previous = venue == Venue::Futures && follows;
    // A diff of futures may begin at the snapshot's last update, not after it.
    let next = last + u64::from(venue != Venue::Futures);
    match verdict {
        Verdict::Apply if is_by_previous => assert_eq!(ids.previous, Some(last)),
        Verdict::Apply => assert!(ids.first <= next && ids.last >= next, "{ids:?} at {last}"),
        Verdict::Stale => assert!(!is_by_previous && ids.last < next, "{ids:?} at {last}"),
        Verdict::Gap { .. } if is_by_previous => assert_ne!(ids.previous, Some(last)),
        Verdict::Gap { .. } => assert!(follows && ids.first > next, "{ids:?} at {last}"),
        Verdict::SnapshotTooOld => assert!(!follows && ids.first > next, "{ids:?} at {last}"),
        Verdict::Hold => panic!("held, though there is a book"),
    }
    match verdict {
        Verdict::Apply => *book = Some((ids.last, true)),
        Verdict::Gap { .. } | Verdict::SnapshotTooOld => *book = None,
        Verdict::Stale | Verdict::Hold => {}
    }
}
