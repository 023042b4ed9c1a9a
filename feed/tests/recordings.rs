//! Recordings of the exchange's own streams, where the data folder is there, and the handler's own recording of a simulated exchange.

use gimmal_feed::instrument::Counters;
use gimmal_feed::live;
use gimmal_feed::record::{snapshots_beside, Recording};
use gimmal_feed::replay::{self, Options};
use gimmal_feed::simulate::{self, Exchange};
use gimmal_feed::venue::Venue;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of recordings, beside the workspace unless the environment names another.
fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("GIMMAL_FEED_DATA").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

fn replayed(stream: &Path) -> (Option<Venue>, replay::Summary) {
    let mut files = vec![stream.to_owned()];
    files.extend(snapshots_beside(stream));
    let recording = Recording::read(&files).unwrap();
    let venue = recording.venue();
    let options = Options::new(venue.unwrap_or(Venue::Spot));
    let summary = replay::run(&recording, &options, &mut |_| ControlFlow::Continue(()));
    (venue, summary.unwrap())
}

#[test]
fn the_exchanges_recordings_have_no_gap_and_agree_with_its_best_prices() {
    let Some(folder) = data() else {
        println!("no recordings here: set GIMMAL_FEED_DATA to their folder");
        return;
    };
    let mut sum = Counters::default();
    for (file, venue, diffs, applied, checked) in [
        ("BINANCE_US.ws.1.0.gz", Venue::Us, 336, 332, 316),
        ("BINANCE_FUTURES.ws.1.0.gz", Venue::Futures, 764, 752, 744),
    ] {
        let (found, summary) = replayed(&folder.join(file));
        assert_eq!(found, Some(venue), "{file}");
        let total = summary.report.total;
        let expected = Counters {
            diffs,
            applied,
            stale: diffs - applied,
            checked,
            ..Counters::default()
        };
        assert_eq!(total, expected, "{file}");
        assert_eq!(summary.report.malformed, 0);
        assert_eq!(summary.books.len(), 4);
        sum.add(&total);
    }
    println!("{} of {} diffs checked", sum.checked, sum.applied);
    assert_eq!((sum.checked, sum.applied), (1060, 1084));
}

#[test]
fn what_live_records_replays_to_the_same_books() {
    for venue in [Venue::Spot, Venue::Futures] {
        let exchange = Exchange::start(simulate::Options {
            venue,
            rate: Some(2000.0),
            messages: Some(1500),
            ..simulate::Options::default()
        })
        .unwrap();
        let name = format!("gimmal-feed-live-{}-{venue}.gz", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = live::Options::new(venue, exchange.symbols());
        options.stream = exchange.stream_address();
        options.rest = exchange.rest_address();
        options.record = Some(path.clone());
        options.interval = Duration::from_millis(20);
        let lived = live::run(&options, &mut |report| {
            let is_at_end = |one: &gimmal_feed::report::SymbolReport| {
                one.last == exchange.book(&one.symbol).map(|book| book.last)
            };
            let is_over = exchange.wait(Duration::ZERO)
                && report
                    .symbols
                    .iter()
                    .all(|one| one.is_following && is_at_end(one));
            if is_over {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
        let recording = Recording::read(&[&path]).unwrap();
        std::fs::remove_file(&path).unwrap();
        let options = Options::new(venue);
        let replayed =
            replay::run(&recording, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(replayed.books.len(), 2);
        assert_eq!(replayed.books, lived.books);
        let [lived, replayed] = [lived.report, replayed.report];
        assert!(lived.total.applied > 100, "{:?}", lived.total);
        for report in [&lived, &replayed] {
            assert_eq!((report.total.gaps, report.total.disagreed), (0, 0));
            assert_eq!(report.malformed, 0);
            assert_eq!(report.ring.produced, report.ring.consumed);
        }
        assert!(replayed.total.checked > 0, "{:?}", replayed.total);
    }
}

#[test]
fn speed_is_kept() {
    let text = |at: &str| format!("{at}: {{\"stream\":\"x@other\",\"data\":1}}\n");
    let path = std::env::temp_dir().join(format!("gimmal-feed-speed-{}", std::process::id()));
    let lines = ["ws://h/stream\n".to_owned(), text("5.0"), text("5.4")].concat();
    std::fs::write(&path, lines).unwrap();
    let recording = Recording::read(&[&path]).unwrap();
    std::fs::remove_file(&path).unwrap();
    let played = |speed| {
        let options = Options {
            speed,
            ..Options::new(Venue::Spot)
        };
        let summary = replay::run(&recording, &options, &mut |_| ControlFlow::Continue(()));
        summary.map(|summary| summary.report)
    };
    // No sooner than it was recorded; later is the machine's affair.
    assert!(played(Some(2.0)).unwrap().seconds >= 0.2);
    assert_eq!(played(None).unwrap().other, 2);
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(played(Some(speed)).is_err(), "{speed}");
    }
}
