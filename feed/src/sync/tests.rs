use super::*;
use proptest::prelude::*;

fn ids(first: u64, last: u64) -> Ids {
    Ids {
        first,
        last,
        previous: None,
    }
}

fn after(previous: u64, first: u64, last: u64) -> Ids {
    Ids {
        first,
        last,
        previous: Some(previous),
    }
}

fn with_snapshot(venue: Venue, last: u64) -> Sync {
    let mut sync = Sync::new(venue);
    sync.snapshot(last);
    sync
}

#[test]
fn diffs_are_held_until_there_is_a_snapshot() {
    let mut sync = Sync::new(Venue::Spot);
    assert_eq!(sync.diff(ids(1, 2)), Verdict::Hold);
    assert_eq!(sync.last(), None);
    sync.snapshot(2);
    assert_eq!(sync.last(), Some(2));
    assert!(!sync.is_following());
    assert_eq!(sync.diff(ids(3, 3)), Verdict::Apply);
    assert!(sync.is_following());
    sync.restart();
    assert_eq!(sync.diff(ids(4, 4)), Verdict::Hold);
}

#[test]
fn the_first_diff_of_a_spot_market_reaches_over_the_snapshot() {
    for venue in [Venue::Spot, Venue::Us] {
        for (diff, verdict) in [
            (ids(90, 99), Verdict::Stale),
            (ids(90, 100), Verdict::Stale),
            (ids(90, 101), Verdict::Apply),
            (ids(101, 101), Verdict::Apply),
            (ids(101, 200), Verdict::Apply),
            (ids(102, 102), Verdict::SnapshotTooOld),
        ] {
            assert_eq!(with_snapshot(venue, 100).diff(diff), verdict, "{diff:?}");
        }
    }
}

#[test]
fn the_first_diff_of_futures_holds_the_snapshot() {
    for (diff, verdict) in [
        (after(1, 90, 99), Verdict::Stale),
        (after(1, 90, 100), Verdict::Apply),
        (after(1, 100, 100), Verdict::Apply),
        (after(1, 100, 200), Verdict::Apply),
        (after(100, 101, 200), Verdict::SnapshotTooOld),
    ] {
        let mut sync = with_snapshot(Venue::Futures, 100);
        assert_eq!(sync.diff(diff), verdict, "{diff:?}");
    }
}

#[test]
fn later_diffs_of_a_spot_market_follow_each_other() {
    let following = || {
        let mut sync = with_snapshot(Venue::Us, 100);
        assert_eq!(sync.diff(ids(99, 110)), Verdict::Apply);
        sync
    };
    let gap = Verdict::Gap {
        expected: 111,
        found: 112,
    };
    for (diff, verdict) in [
        (ids(99, 110), Verdict::Stale),
        (ids(50, 60), Verdict::Stale),
        (ids(111, 111), Verdict::Apply),
        (ids(105, 120), Verdict::Apply),
        (ids(112, 113), gap),
    ] {
        assert_eq!(following().diff(diff), verdict, "{diff:?}");
    }
    let mut sync = following();
    sync.diff(ids(112, 113));
    assert_eq!(sync.last(), None, "after a gap nothing is known");
    assert_eq!(sync.diff(ids(114, 114)), Verdict::Hold);
}

#[test]
fn later_diffs_of_futures_name_each_other() {
    let following = || {
        let mut sync = with_snapshot(Venue::Futures, 100);
        assert_eq!(sync.diff(after(80, 95, 110)), Verdict::Apply);
        sync
    };
    let gap = |found| Verdict::Gap {
        expected: 110,
        found,
    };
    for (diff, verdict) in [
        (after(110, 130, 140), Verdict::Apply),
        (after(111, 130, 140), gap(111)),
        (after(80, 95, 110), gap(80)),
        (ids(111, 111), gap(111)),
    ] {
        assert_eq!(following().diff(diff), verdict, "{diff:?}");
    }
}

#[test]
fn the_greatest_numbers_overflow_nothing() {
    let mut sync = with_snapshot(Venue::Spot, u64::MAX);
    assert_eq!(sync.diff(ids(0, u64::MAX)), Verdict::Stale);
    let mut sync = with_snapshot(Venue::Spot, u64::MAX - 1);
    assert_eq!(sync.diff(ids(u64::MAX, u64::MAX)), Verdict::Apply);
    assert_eq!(sync.diff(ids(u64::MAX, u64::MAX)), Verdict::Stale);
}

/// A stream of diffs as an exchange sends it, with its own numbers for futures, which leave some out between diffs.
fn stream(venue: Venue, start: u64, steps: &[(u64, u64)]) -> Vec<Ids> {
    let mut last = start;
    let step = |(skipped, length): &(u64, u64)| {
        let previous = last;
        let skipped = if venue == Venue::Futures { *skipped } else { 0 };
        let first = previous + 1 + skipped;
        last = first + length;
        match venue {
            Venue::Futures => after(previous, first, last),
            Venue::Spot | Venue::Us => ids(first, last),
        }
    };
    steps.iter().map(step).collect()
}

fn venues() -> impl Strategy<Value = Venue> {
    prop_oneof![Just(Venue::Spot), Just(Venue::Us), Just(Venue::Futures)]
}

fn steps() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0..4_u64, 0..5_u64), 2..40)
}

proptest! {
    /// A snapshot taken within the diff at `at`: those before it are old, and all from it on are applied.
    #[test]
    fn an_unbroken_stream_is_applied_from_the_snapshot_on(
        venue in venues(), start in 0..1_000_000_u64, steps in steps(), at in any::<prop::sample::Index>(), within in 0..5_u64,
    ) {
        let diffs = stream(venue, start, &steps);
        let at = at.index(diffs.len());
        let at_diff = diffs[at];
        let snapshot = (at_diff.first + within).min(at_diff.last);
        let mut sync = with_snapshot(venue, snapshot);
        for (number, diff) in diffs.iter().enumerate() {
            // A spot snapshot that ends with a diff has all of it.
            let has_it = venue != Venue::Futures && diff.last == snapshot;
            let expected = if number < at || has_it { Verdict::Stale } else { Verdict::Apply };
            prop_assert_eq!(sync.diff(*diff), expected, "diff {} of {:?}", number, diffs);
        }
        prop_assert!(sync.last() == diffs.last().map(|diff| diff.last));
    }

    /// Whatever is missing from the middle is noticed at the first diff after it, and never applied over.
    #[test]
    fn every_gap_is_seen_at_once(
        venue in venues(), start in 0..1_000_000_u64, steps in steps(), at in any::<prop::sample::Index>(), length in 1..5_usize,
    ) {
        let diffs = stream(venue, start, &steps);
        let mut sync = with_snapshot(venue, diffs[0].first);
        prop_assume!(diffs[0].first < diffs[0].last && diffs.len() > 2);
        let from = 1 + at.index(diffs.len() - 2);
        let to = (from + length).min(diffs.len() - 1);
        for diff in &diffs[..from] {
            prop_assert_eq!(sync.diff(*diff), Verdict::Apply);
        }
        let is_gap = matches!(sync.diff(diffs[to]), Verdict::Gap { .. });
        prop_assert!(is_gap, "{} to {} are missing in {:?}", from, to, diffs);
        for diff in &diffs[to..] {
            prop_assert_eq!(sync.diff(*diff), Verdict::Hold);
        }
    }

    /// In a spot market, repeated diffs change nothing.
    #[test]
    fn repeated_diffs_are_old(start in 0..1_000_000_u64, steps in steps(), back in 0..10_usize) {
        let diffs = stream(Venue::Spot, start, &steps);
        let mut sync = with_snapshot(Venue::Spot, start);
        for (number, diff) in diffs.iter().enumerate() {
            prop_assert_eq!(sync.diff(*diff), Verdict::Apply);
            let again = diffs[number.saturating_sub(back)];
            prop_assert_eq!(sync.diff(again), Verdict::Stale);
        }
    }
}
