//! How runs end: in time, with all that they had, and with the truth about it.

use gimmal_feed::backoff::Backoff;
use gimmal_feed::instrument::State;
use gimmal_feed::live::{self, Options};
use gimmal_feed::queue::Size;
use gimmal_feed::record::{Entry, Recording};
use gimmal_feed::replay;
use gimmal_feed::simulate::{self, Exchange};
use gimmal_feed::venue::Venue;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

const ON: ControlFlow<()> = ControlFlow::Continue(());

fn exchange(faults: &[&str]) -> Exchange {
    Exchange::start(simulate::Options {
        rate: Some(1000.0),
        faults: faults.iter().map(|text| text.parse().unwrap()).collect(),
        ..simulate::Options::default()
    })
    .unwrap()
}

/// So that a test which would never end says why.
const PATIENCE: Duration = Duration::from_secs(60);

fn options(exchange: &Exchange) -> Options {
    let mut options = Options::new(Venue::Spot, exchange.symbols());
    options.stream = exchange.stream_address();
    options.rest = exchange.rest_address();
    options.backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(20));
    options.interval = Duration::from_millis(20);
    options.time = Some(PATIENCE);
    options
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gimmal-endings-{}-{name}", std::process::id()))
}

#[test]
fn whoever_stops_a_run_has_all_that_was_received() {
    let exchange = exchange(&[]);
    let path = scratch("stopped.gz");
    let mut options = options(&exchange);
    options.record = Some(path.clone());
    // Nobody looks at the reports but to ask for the end.
    options.interval = Duration::from_millis(10);
    let stop = options.stop.clone();
    let summary = live::run(&options, &mut |report| {
        if report.total.applied > 50 {
            stop.stop();
        }
        ON
    })
    .unwrap();
    let recording = Recording::read(&[&path]).unwrap();
    std::fs::remove_file(&path).unwrap();
    let is_message = |entry: &&Entry| matches!(entry, Entry::Message { .. });
    let recorded = recording.entries.iter().filter(is_message).count() as u64;
    let ring = summary.report.ring;
    assert_eq!((ring.consumed, ring.waiting), (recorded, 0));
    assert!(ring.is_exact() && recorded > 50, "{ring:?}");
    assert_eq!(summary.unrecorded, None);
    assert!(recorded < 20_000, "it went on for {PATIENCE:?}");
}

#[test]
fn what_was_recorded_over_several_connections_has_no_gap() {
    let exchange = exchange(&["disconnect@150", "cut@400"]);
    let path = scratch("reconnected.txt");
    let mut options = options(&exchange);
    options.record = Some(path.clone());
    let lived = live::run(&options, &mut |report| {
        // Both symbols have been put in step twice more, and have gone on.
        if report.total.resyncs >= 4 && report.ring.consumed > 700 {
            ControlFlow::Break(())
        } else {
            ON
        }
    })
    .unwrap();
    let recording = Recording::read(&[&path]).unwrap();
    std::fs::remove_file(&path).unwrap();
    let is_connection = |entry: &&Entry| matches!(entry, Entry::Connection { .. });
    assert_eq!(recording.entries.iter().filter(is_connection).count(), 2);
    let options = replay::Options::new(Venue::Spot);
    let replayed = replay::run(&recording, &options, &mut |_| ON).unwrap();
    let [lived_total, total] = [lived.report.total, replayed.report.total];
    assert_eq!((lived_total.gaps, total.gaps, total.disagreed), (0, 0, 0));
    assert_eq!(total.resyncs, lived_total.resyncs);
    assert_eq!(replayed.books, lived.books);
}

#[test]
fn a_full_ring_is_left_in_time_and_accounted_for() {
    let exchange = exchange(&[]);
    let mut options = options(&exchange);
    options.slow = Duration::from_millis(50);
    options.ring = Size::K64;
    let mut reports = 0;
    let mut waiting = 0;
    let stop = options.stop.clone();
    let summary = live::run(&options, &mut |report| {
        // The socket thread's own count is ahead of the consumer's.
        waiting = waiting.max(report.ring.waiting);
        if report.ring.waiting > 100 {
            stop.stop();
        }
        reports += u64::from(stop.is_stopped());
        ON
    })
    .unwrap();
    let ring = summary.report.ring;
    assert!(
        waiting > 100 && reports > 1,
        "{waiting} waiting, {reports} reports"
    );
    assert!(ring.waiting > 0 && ring.is_exact(), "{ring:?}");
}

/// The first trouble that begins so, of a run that listens to a server which takes connections and never speaks.
fn trouble_of_silence(scheme: &str, silence: Duration, beginning: &str) -> Option<String> {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = Options::new(Venue::Spot, vec!["btcusdt".into()]);
    options.stream = format!("{scheme}://{}", silent.local_addr().unwrap());
    options.silence = silence;
    options.time = Some(PATIENCE);
    options.interval = Duration::from_millis(10);
    let mut found = None;
    live::run(&options, &mut |report| {
        let mut troubles = report.troubles.iter();
        found = troubles.find(|text| text.starts_with(beginning)).cloned();
        if found.is_some() {
            ControlFlow::Break(())
        } else {
            ON
        }
    })
    .unwrap();
    found
}

#[test]
fn who_never_answers_is_told_and_given_up() {
    for scheme in ["ws", "wss"] {
        let soon = Duration::from_millis(100);
        let text = trouble_of_silence(scheme, soon, "no connection: ");
        assert!(text.unwrap().contains(scheme));
        let late = Duration::from_secs(30);
        let text = trouble_of_silence(scheme, late, "no connection yet: ");
        assert!(text.unwrap().contains("does not answer"));
    }
}

#[test]
fn a_snapshot_that_hangs_is_told() {
    let exchange = exchange(&[]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = options(&exchange);
    options.rest = format!("http://{}", silent.local_addr().unwrap());
    let mut troubles = Vec::new();
    live::run(&options, &mut |report| {
        troubles.extend(report.troubles.clone());
        if troubles.is_empty() {
            ON
        } else {
            ControlFlow::Break(())
        }
    })
    .unwrap();
    assert!(
        troubles[0].starts_with("no answer to a request for a snapshot"),
        "{troubles:?}"
    );
}

#[test]
fn a_recording_that_cannot_be_written_is_told_and_the_books_go_on() {
    let link = scratch("full.gz");
    std::os::unix::fs::symlink("/dev/full", &link).unwrap();
    for path in [PathBuf::from("/dev/full"), link.clone()] {
        let exchange = exchange(&[]);
        let mut options = options(&exchange);
        options.record = Some(path);
        let summary = live::run(&options, &mut |report| {
            if report.total.applied > 50 {
                ControlFlow::Break(())
            } else {
                ON
            }
        })
        .unwrap();
        let reason = summary.unrecorded.unwrap();
        assert!(reason.contains("No space left"), "{reason}");
        assert!(summary.report.ring.is_exact());
    }
    std::fs::remove_file(link).unwrap();
}

#[test]
fn a_symbol_that_the_exchange_does_not_have_is_told() {
    let exchange = exchange(&[]);
    let mut options = options(&exchange);
    options.symbols.push("nosuch".into());
    let mut troubles = Vec::new();
    let summary = live::run(&options, &mut |report| {
        assert_eq!(report.symbols.len(), 3);
        troubles.extend(report.troubles.clone());
        if troubles.is_empty() {
            ON
        } else {
            ControlFlow::Break(())
        }
    })
    .unwrap();
    assert!(
        troubles[0].starts_with("no snapshot of NOSUCH: answered 400"),
        "{troubles:?}"
    );
    let symbols = summary.report.symbols;
    let found = symbols.iter().find(|one| one.symbol == "NOSUCH").unwrap();
    assert_eq!(found.state, State::NoData);
}

#[test]
fn books_are_marked_while_there_is_no_connection() {
    let mut exchange = Some(exchange(&[]));
    let options = options(exchange.as_ref().unwrap());
    let mut is_marked = false;
    live::run(&options, &mut |report| {
        let is = |state| report.symbols.iter().all(|one| one.state == state);
        if is(State::InStep) {
            // The exchange ends.
            drop(exchange.take());
        }
        is_marked = is(State::Disconnected);
        if is_marked {
            ControlFlow::Break(())
        } else {
            ON
        }
    })
    .unwrap();
    assert!(is_marked);
}

#[test]
fn an_exchange_that_starts_anew_with_another_authority_is_known_again() {
    let path = scratch("authority.pem");
    let start = |port| {
        Exchange::start(simulate::Options {
            rate: Some(1000.0),
            certificate: Some(path.clone()),
            port,
            ..simulate::Options::default()
        })
        .unwrap()
    };
    let first = start(0);
    let options = options(&first);
    let port = options.rest.rsplit(':').next().unwrap().parse().unwrap();
    let mut options = Options {
        authorities: Some(path.clone()),
        ..options
    };
    options.silence = Duration::from_secs(5);
    let mut exchanges = vec![first];
    let mut is_restarted = false;
    let summary = live::run(&options, &mut |report| {
        let is_in_step = report.symbols.iter().all(|one| one.is_following);
        if is_in_step && report.connections == 1 && !is_restarted {
            is_restarted = true;
            exchanges.clear();
            exchanges.push(start(port));
        }
        if is_in_step && report.connections > 1 && report.total.resyncs >= 2 {
            ControlFlow::Break(())
        } else {
            ON
        }
    })
    .unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(summary.report.total.resyncs, 2);
}
