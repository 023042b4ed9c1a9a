//! The handler against the simulated exchange: whatever goes wrong, its books are the exchange's in the end, level by level, and its counters
//! say what happened.

use gimmal_feed::backoff::Backoff;
use gimmal_feed::book::{Book, Side};
use gimmal_feed::instrument::Counters;
use gimmal_feed::live;
use gimmal_feed::queue::Size;
use gimmal_feed::report::Report;
use gimmal_feed::simulate::{self, Counts, Exchange, Fault, Ladder};
use gimmal_feed::venue::Venue;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const VENUES: [Venue; 3] = [Venue::Spot, Venue::Us, Venue::Futures];
/// So that a test which would never end says why.
const PATIENCE: Duration = Duration::from_secs(120);
/// Largest message that the handler takes, and what an oversized one has in addition.
const LARGEST: usize = 64 << 10;

/// How a run ended.
struct Outcome {
    report: Report,
    /// What was counted since the faults that were injected.
    since: Counters,
    counts: Counts,
    troubles: String,
}

/// A run of the handler against an exchange.
struct Run {
    exchange: simulate::Options,
    handler: live::Options,
    /// What strikes once all books are in step.
    faults: Vec<Fault>,
}

impl Run {
    fn new(venue: Venue) -> Self {
        let exchange = simulate::Options {
            venue,
            rate: Some(2000.0),
            oversize: LARGEST,
            delay: Duration::from_millis(100),
            ..simulate::Options::default()
        };
        let mut handler = live::Options::new(venue, exchange.symbols.clone());
        handler.backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(20));
        handler.interval = Duration::from_millis(20);
        handler.largest = LARGEST;
        // Enough for seconds of a stream that nobody takes: nothing may be dropped on a busy machine.
        handler.ring = Size::M16;
        Self {
            exchange,
            handler,
            faults: Vec::new(),
        }
    }

    /// Faults that strike once all books are in step.
    fn later(venue: Venue, faults: &[Fault]) -> Self {
        let mut run = Self::new(venue);
        run.faults = faults.to_vec();
        run
    }

    /// Faults that strike from the start, at the given counts.
    fn at_once(venue: Venue, faults: &[&str]) -> Self {
        let mut run = Self::new(venue);
        run.exchange.faults = faults.iter().map(|text| text.parse().unwrap()).collect();
        run
    }

    /// Runs until all books are in step, the faults have struck and `has_shown` finds in the handler's report what they led to, and all books are
    /// in step again. Then the market stands still, and the books are compared.
    fn until(self, has_shown: impl Fn(&Report, &Counters) -> bool) -> Outcome {
        let planned = self.exchange.faults.len() + self.faults.len();
        let exchange = Exchange::start(self.exchange).unwrap();
        let mut handler = self.handler;
        handler.stream = exchange.stream_address();
        handler.rest = exchange.rest_address();
        handler.authorities = exchange.certificate().map(Into::into);
        let symbols = exchange.symbols();
        let mut since = None;
        let mut is_held = false;
        let mut troubles = Vec::new();
        let started = Instant::now();
        let summary = live::run(&handler, &mut |report| {
            troubles.extend(report.troubles.iter().cloned());
            assert!(
                started.elapsed() < PATIENCE,
                "not in step: {report:?}, {:?}, {troubles:?}",
                exchange.counts()
            );
            let is_in_step = report.symbols.len() == symbols.len()
                && report.symbols.iter().all(|one| one.is_following);
            match &since {
                None if is_in_step => {
                    since = Some(report.total);
                    self.faults.iter().for_each(|fault| exchange.inject(*fault));
                }
                Some(before) if is_in_step && !is_held => {
                    let struck = exchange.counts().faults.len() >= planned;
                    if struck && has_shown(report, before) {
                        exchange.hold();
                        is_held = true;
                    }
                }
                _ => {}
            }
            let is_even = |symbol: &String| {
                let found = report.symbols.iter().find(|one| one.symbol == *symbol);
                found.and_then(|one| one.last) == exchange.book(symbol).map(|book| book.last)
            };
            if is_held && exchange.wait(Duration::ZERO) && symbols.iter().all(is_even) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let summary = summary.unwrap();
        compare(&exchange, &summary.books);
        let report = summary.report;
        assert_eq!(report.total.disagreed, 0, "{report:?}");
        assert!(report.total.checked > 0, "{report:?}");
        assert_eq!(report.ring.dropped, 0);
        assert_eq!(report.ring.produced, report.ring.consumed);
        Outcome {
            since: since.unwrap(),
            counts: exchange.counts(),
            report,
            troubles: troubles.join("\n"),
        }
    }
}

impl Outcome {
    /// Connections; gaps, times put in step again, snapshots that were too old, old diffs, since the faults were injected.
    fn counted(&self) -> (u64, [u64; 4]) {
        let (now, before) = (&self.report.total, &self.since);
        let counted = [
            now.gaps - before.gaps,
            now.resyncs - before.resyncs,
            now.too_old - before.too_old,
            now.stale - before.stale,
        ];
        (self.report.connections, counted)
    }
}

/// The handler's books are the exchange's.
fn compare(exchange: &Exchange, books: &BTreeMap<String, Book>) {
    assert_eq!(books.len(), exchange.symbols().len());
    for symbol in exchange.symbols() {
        let expected = exchange.book(&symbol).unwrap();
        assert_eq!(rungs(&books[&symbol]), of_exchange(&expected), "{symbol}");
    }
}

type Rungs = Vec<(i64, i64)>;

fn rungs(book: &Book) -> [Rungs; 2] {
    [Side::Bid, Side::Ask].map(|side| {
        let levels = book.levels(side);
        levels
            .map(|level| (level.price.raw(), level.quantity.raw()))
            .collect()
    })
}

fn of_exchange(ladder: &Ladder) -> [Rungs; 2] {
    [simulate::Side::Bid, simulate::Side::Ask].map(|side| ladder.levels(side).collect())
}

/// More than one diff after the other, so that whatever is wrong shows.
fn has_gone_on(report: &Report, before: &Counters) -> bool {
    report.total.applied > before.applied + 100
}

#[test]
fn without_faults_nothing_is_missed() {
    for venue in VENUES {
        let outcome = Run::new(venue).until(has_gone_on);
        assert_eq!(outcome.counted(), (1, [0, 0, 0, 0]));
        assert_eq!(outcome.counts.snapshots, 2);
        assert_eq!(
            (outcome.report.malformed, outcome.troubles.as_str()),
            (0, "")
        );
    }
}

#[test]
fn a_gap_is_noticed() {
    for venue in VENUES {
        let run = Run::later(venue, &[Fault::Gap]);
        let outcome = run.until(|report, before| report.total.resyncs > before.resyncs);
        let (connections, [gaps, resyncs, too_old, _]) = outcome.counted();
        assert_eq!(
            (connections, gaps, resyncs, too_old),
            (1, 1, 1, 0),
            "{venue}"
        );
        assert_eq!(outcome.counts.snapshots, 3);
    }
}

#[test]
fn a_duplicate_changes_nothing() {
    for venue in [Venue::Spot, Venue::Us] {
        let run = Run::later(venue, &[Fault::Duplicate]);
        let outcome = run.until(|report, before| report.total.stale > before.stale);
        assert_eq!(outcome.counted(), (1, [0, 0, 0, 1]), "{venue}");
        assert_eq!(outcome.counts.snapshots, 2);
    }
    // By the rule of futures each diff must name the one before, and a second of the same does not.
    let run = Run::later(Venue::Futures, &[Fault::Duplicate]);
    let outcome = run.until(|report, before| report.total.resyncs > before.resyncs);
    let (connections, [gaps, resyncs, ..]) = outcome.counted();
    assert_eq!((connections, gaps, resyncs), (1, 1, 1));
}

#[test]
fn diffs_in_the_wrong_order_are_noticed() {
    for venue in VENUES {
        let run = Run::later(venue, &[Fault::Reorder]);
        let outcome = run.until(|report, before| report.total.resyncs > before.resyncs);
        let (connections, [gaps, resyncs, ..]) = outcome.counted();
        assert_eq!((connections, outcome.report.malformed), (1, 0));
        // In futures the late one is another gap if the snapshot ends with the one that came before it.
        assert!(
            gaps >= 1 && gaps == resyncs,
            "{venue}: {gaps} gaps, {resyncs} resyncs"
        );
        assert!(venue == Venue::Futures || gaps == 1);
    }
}

#[test]
fn a_malformed_message_is_a_gap() {
    for venue in VENUES {
        let run = Run::later(venue, &[Fault::Malformed]);
        let outcome = run.until(|report, before| report.total.resyncs > before.resyncs);
        let (connections, [gaps, resyncs, ..]) = outcome.counted();
        assert_eq!((connections, gaps, resyncs), (1, 1, 1), "{venue}");
        assert_eq!(outcome.report.malformed, 1);
    }
}

#[test]
fn an_oversized_message_ends_the_connection() {
    for venue in VENUES {
        let run = Run::later(venue, &[Fault::Oversized]);
        let outcome = run.until(|report, before| report.total.resyncs >= before.resyncs + 2);
        let (connections, [gaps, resyncs, ..]) = outcome.counted();
        assert_eq!((connections, gaps, resyncs), (2, 0, 2), "{venue}");
        assert!(outcome.troubles.contains("too"), "{}", outcome.troubles);
    }
}

#[test]
fn a_large_message_is_taken() {
    for venue in VENUES {
        let mut run = Run::later(venue, &[Fault::Oversized]);
        run.exchange.oversize = LARGEST / 2;
        let outcome = run.until(has_gone_on);
        assert_eq!(outcome.counted(), (1, [0, 0, 0, 0]), "{venue}");
        assert_eq!(outcome.counts.faults.len(), 1);
    }
}

#[test]
fn a_lost_connection_is_made_again() {
    for venue in VENUES {
        for (fault, reason) in [
            (
                Fault::Disconnect,
                "closed by the exchange: the exchange restarts",
            ),
            (Fault::Cut, "no connection: "),
        ] {
            let run = Run::later(venue, &[fault]);
            let outcome = run.until(|report, before| report.total.resyncs >= before.resyncs + 2);
            let (connections, [gaps, resyncs, ..]) = outcome.counted();
            assert_eq!((connections, gaps, resyncs), (2, 0, 2), "{venue} {fault}");
            assert!(outcome.troubles.contains(reason), "{}", outcome.troubles);
        }
    }
}

#[test]
fn a_silent_connection_is_given_up() {
    for venue in VENUES {
        let mut run = Run::later(venue, &[Fault::PingTimeout]);
        run.handler.silence = Duration::from_millis(200);
        let outcome = run.until(|report, before| report.total.resyncs >= before.resyncs + 2);
        let (connections, [gaps, ..]) = outcome.counted();
        assert!(connections >= 2 && gaps == 0, "{venue}");
        assert!(
            outcome.troubles.contains("not even an answer to a ping"),
            "{}",
            outcome.troubles
        );
    }
}

#[test]
fn a_slow_snapshot_is_older_than_diffs_that_were_held() {
    for venue in VENUES {
        let outcome = Run::at_once(venue, &["slow-snapshot@1"]).until(has_gone_on);
        assert_eq!(outcome.counted(), (1, [0, 0, 0, 0]), "{venue}");
        assert_eq!(outcome.counts.snapshots, 2);
        assert_eq!(outcome.counts.faults.len(), 1);
    }
}

#[test]
fn a_snapshot_older_than_every_diff_is_refused() {
    for venue in VENUES {
        let outcome = Run::at_once(venue, &["stale-snapshot@1"]).until(has_gone_on);
        assert_eq!(outcome.report.total.too_old, 1, "{venue}");
        assert_eq!(outcome.counted(), (1, [0, 0, 0, 0]), "{venue}");
        assert_eq!(outcome.counts.snapshots, 3);
        let run = Run::later(venue, &[Fault::Gap, Fault::StaleSnapshot]);
        let outcome = run.until(|report, before| report.total.resyncs > before.resyncs);
        let (connections, [gaps, resyncs, too_old, _]) = outcome.counted();
        assert_eq!(
            (connections, gaps, resyncs, too_old),
            (1, 1, 1, 1),
            "{venue}"
        );
        assert_eq!(outcome.counts.snapshots, 4);
    }
}

#[test]
fn a_snapshot_that_does_not_come_is_asked_for_again() {
    for venue in VENUES {
        for (fault, reason) in [
            ("server-error@1", "answered 500"),
            ("truncated-snapshot@1", "no snapshot of "),
        ] {
            let outcome = Run::at_once(venue, &[fault]).until(has_gone_on);
            assert_eq!(outcome.counted(), (1, [0, 0, 0, 0]), "{venue} {fault}");
            assert_eq!(outcome.counts.snapshots, 3);
            assert!(outcome.troubles.contains(reason), "{}", outcome.troubles);
        }
    }
}

#[test]
fn whoever_asks_too_often_waits_as_he_is_told() {
    for venue in VENUES {
        let outcome = Run::at_once(venue, &["too-many-requests@1"]).until(has_gone_on);
        assert_eq!(outcome.counted(), (1, [0, 0, 0, 0]), "{venue}");
        assert_eq!((outcome.counts.snapshots, outcome.counts.impatient), (3, 0));
        assert!(
            outcome.troubles.contains("answered 429"),
            "{}",
            outcome.troubles
        );
    }
}

/// Most faults, close together. Three symbols ask for three snapshots, and two faults for one more each: so five are asked for in any case.
#[test]
fn many_faults_at_once_are_survived() {
    for (seed, venue) in VENUES.into_iter().enumerate() {
        let mut run = Run::at_once(
            venue,
            &[
                "stale-snapshot@1",
                "server-error@3",
                "gap@50",
                "reorder@52",
                "malformed@100",
                "duplicate@101",
                "cut@150",
                "slow-snapshot@4",
                "gap@200",
                "disconnect@240",
                "truncated-snapshot@5",
                "oversized@300",
                "gap@300",
            ],
        );
        run.exchange.seed = seed as u64;
        run.exchange.symbols = ["BTCUSDT", "ETHUSDT", "CRVUSDT"].map(Into::into).to_vec();
        run.handler.symbols = run.exchange.symbols.clone();
        let outcome = run.until(has_gone_on);
        assert_eq!(outcome.counts.faults.len(), 13, "{venue}");
        assert!(outcome.report.connections >= 4);
    }
}

fn certificate(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gimmal-faults-{}-{name}.pem", std::process::id()))
}

#[test]
fn encrypted_connections_are_kept_and_made_again() {
    for (venue, fault) in [
        (Venue::Spot, Fault::Cut),
        (Venue::Futures, Fault::Disconnect),
    ] {
        let path = certificate(&venue.to_string());
        let mut run = Run::later(venue, &[Fault::Gap, fault]);
        run.exchange.certificate = Some(path.clone());
        let outcome = run.until(|report, before| report.total.resyncs >= before.resyncs + 2);
        std::fs::remove_file(path).unwrap();
        assert_eq!(outcome.report.connections, 2);
        assert!(outcome.report.total.resyncs >= 2);
    }
}

#[test]
fn an_exchange_with_another_certificate_is_refused() {
    let [path, other] = ["own", "other"].map(certificate);
    let of = |certificate: &PathBuf| simulate::Options {
        certificate: Some(certificate.clone()),
        ..simulate::Options::default()
    };
    let exchange = Exchange::start(of(&path)).unwrap();
    Exchange::start(of(&other)).unwrap().stop();
    let mut handler = live::Options::new(Venue::Spot, exchange.symbols());
    handler.stream = exchange.stream_address();
    handler.rest = exchange.rest_address();
    handler.authorities = Some(other.clone());
    handler.interval = Duration::from_millis(10);
    let mut troubles = Vec::new();
    let summary = live::run(&handler, &mut |report| {
        troubles.extend(report.troubles.iter().cloned());
        if troubles.is_empty() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    for path in [path, other] {
        std::fs::remove_file(path).unwrap();
    }
    assert!(troubles[0].contains("certificate"), "{troubles:?}");
    assert_eq!(summary.unwrap().report.ring.produced, 0);
}
