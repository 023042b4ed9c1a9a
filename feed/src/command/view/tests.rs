use super::*;
use gimmal_feed::handler::Handler;
use gimmal_feed::report::{RingCounts, Times};
use gimmal_feed::venue::Venue;
use ratatui::backend::TestBackend;
use ratatui::Terminal;

fn report() -> Report {
    let mut handler = Handler::new(Venue::Spot);
    for symbol in ["ABCUSDT", "DEFUSDT"] {
        let diff = format!(
            r#"{{"stream":"x@depth","data":{{"s":"{symbol}","U":5,"u":5,"b":[["99.5","3"]],"a":[]}}}}"#
        );
        handler.message(1, 0, diff.as_bytes()).unwrap();
    }
    let body = r#"{"lastUpdateId":4,"bids":[["99","7"]],"asks":[["100.25","2"],["101","4"]]}"#;
    handler.snapshot("ABCUSDT", body).unwrap();
    let mut times = Times::new();
    times.record(12_345);
    let ring = RingCounts {
        produced: 12,
        consumed: 9,
        dropped: 3,
        waiting: 0,
        depth: 512,
        capacity: 4096,
    };
    Report::new(7.0, ring, &handler, &mut times)
}

fn screen(shown: &Shown, report: &Report) -> String {
    let mut terminal = Terminal::new(TestBackend::new(120, 30)).unwrap();
    terminal.draw(|frame| draw(frame, report, shown)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn the_screen_shows_ladder_latency_ring_and_symbols() {
    let mut report = report();
    report.troubles = vec!["no connection".into()];
    let mut shown = Shown::default();
    shown.take(&report);
    let text = screen(&shown, &report);
    for expected in [
        "ABCUSDT",
        "99.5",
        "100.25",
        "101",
        "spread 0.75",
        "mid 99.875",
        "12 produced, 9 consumed, 3 dropped",
        "512 of 4096 B",
        "p99 12.4 µs",
        "in step",
        "not in step",
        "+0.200",
        "1 applied, 0 stale, 1 held",
        "p99 up to 12.4 µs",
        "longest bar 7",
        "7.0 s: no connection",
    ] {
        assert!(text.contains(expected), "{expected} in\n{text}");
    }
}

#[test]
fn a_trouble_goes_after_a_while() {
    let mut report = report();
    report.troubles = vec!["no connection".into()];
    let mut shown = Shown::default();
    shown.take(&report);
    report.troubles.clear();
    for (seconds, is_shown) in [(9.0, true), (17.0, true), (17.5, false)] {
        report.seconds = seconds;
        shown.take(&report);
        let text = screen(&shown, &report);
        assert_eq!(text.contains("no connection"), is_shown, "{seconds}");
    }
}

#[test]
fn the_ladder_is_the_selected_symbols() {
    let report = report();
    for (selected, name) in [
        (0, " ABCUSDT ─"),
        (1, " DEFUSDT, not in step ─"),
        (2, " ABCUSDT ─"),
    ] {
        let shown = Shown {
            selected,
            ..Shown::default()
        };
        let text = screen(&shown, &report);
        assert!(text.contains(name), "{name} in\n{text}");
    }
}

#[test]
fn an_empty_report_and_a_small_screen_can_be_drawn() {
    let mut report = report();
    for (width, height) in [(120, 30), (20, 6), (1, 1)] {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, &report, &Shown::default()))
            .unwrap();
        report.symbols.clear();
    }
}

#[test]
fn a_narrow_screen_leaves_columns_out_and_cuts_no_number() {
    let widths = [7, 6, 6, 6, 9, 6, 4, 11];
    assert_eq!(columns(&widths, 62), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(columns(&widths, 61), [0, 1, 2, 3, 4, 6, 7]);
    assert_eq!(columns(&widths, 40), [0, 1, 2, 3, 7]);
    assert_eq!(columns(&widths, 39), [0, 1, 2, 7]);
    assert_eq!(columns(&widths, 20), [0, 1]);
    assert_eq!(columns(&widths, 0), [0]);
}
