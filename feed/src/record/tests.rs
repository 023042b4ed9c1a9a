use super::*;

fn scratch(name: &str) -> PathBuf {
    let name = format!("gimmal-feed-{}-{name}", std::process::id());
    std::env::temp_dir().join(name)
}

#[test]
fn what_is_written_is_read() {
    for name in ["recording.txt", "recording.gz"] {
        let path = scratch(name);
        let mut recorder = Recorder::create(&path, "wss://fstream.binance.com/stream").unwrap();
        let at = |milliseconds: u64| Duration::from_millis(1_700_000_000_000 + milliseconds);
        recorder.message(at(1), r#"{"a": "b: c -> d"}"#).unwrap();
        recorder.message(at(3), "{\n}").unwrap();
        let address = Venue::Futures.snapshot_of("https://h", "btcusdt");
        recorder.snapshot(at(2), &address, "{}").unwrap();
        recorder.finish().unwrap();
        let is_gzip = std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]);
        assert_eq!(is_gzip, name.ends_with("gz"));
        let recording = Recording::read(&[&path]).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(recording.venue(), Some(Venue::Futures));
        let message = |at, text: &str| Entry::Message {
            at,
            text: text.into(),
        };
        let snapshot = Entry::Snapshot {
            at: at(2),
            symbol: "BTCUSDT".into(),
            body: "{}".into(),
        };
        let expected = [
            message(at(1), r#"{"a": "b: c -> d"}"#),
            snapshot,
            message(at(3), "{ }"),
        ];
        assert_eq!(recording.entries, expected);
    }
}

#[test]
fn what_comes_before_an_error_is_there() {
    let path = scratch("cut.gz");
    let mut recorder = Recorder::create(&path, "ws://h/stream").unwrap();
    let at = Duration::from_secs(1_700_000_000);
    for number in 0..1000 {
        let text = format!("{{\"number\":{}}}", number * 7919 % 1000);
        recorder.message(at, &text).unwrap();
    }
    recorder.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let (recording, read) = Recording::read_so_far(&[&path]);
    std::fs::remove_file(&path).unwrap();
    let count = recording.entries.len();
    assert!(0 < count && count < 1000, "{count}");
    let error = format!("{:#}", read.unwrap_err());
    assert!(error.contains("cut.gz: line "), "{error}");
}

#[test]
fn a_stream_that_is_connected_to_anew_says_so() {
    let mut recording = Recording::default();
    let text = "ws://h/stream <-> 1.5\n2: {}\nws://h/stream <-> 3.5\n4: {}\n";
    recording.take(text.as_bytes()).unwrap();
    let times: Vec<_> = recording.entries.iter().map(Entry::at).collect();
    assert_eq!(times, [2000, 3500, 4000].map(Duration::from_millis));
    let at = Duration::from_millis(3500);
    assert_eq!(recording.entries[1], Entry::Connection { at });
    let text = "ws://h/stream\nws://h/stream <-> soon\n";
    let error = recording.take(text.as_bytes()).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "line 2: \"soon\" is no time in seconds"
    );
}

#[test]
fn errors_name_the_file_and_the_line() {
    let path = scratch("broken.txt");
    for (line, reason) in [
        ("no time at all", "no `TIME: `"),
        ("yesterday: {}", "\"yesterday\" is no time"),
        ("-1: {}", "is no time"),
        ("https://h/api/v3/depth?symbol=X 1: {}", "no ` -> `"),
    ] {
        std::fs::write(&path, format!("ws://h/stream <-> 1\n\n{line}\n")).unwrap();
        let error = format!("{:#}", Recording::read(&[&path]).unwrap_err());
        assert!(error.contains("broken.txt: line 3: "), "{error}");
        assert!(error.contains(reason), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    let error = format!("{:#}", Recording::read(&[&path]).unwrap_err());
    assert!(error.contains("broken.txt"), "{error}");
}

#[test]
fn snapshots_are_found_beside_the_stream() {
    let folder = scratch("folder");
    std::fs::create_dir_all(&folder).unwrap();
    let [stream, snapshots] = ["X.ws.1.0.gz", "X.http.0.0.gz"].map(|name| folder.join(name));
    std::fs::write(&stream, "").unwrap();
    assert_eq!(snapshots_beside(&stream), None);
    std::fs::write(&snapshots, "").unwrap();
    assert_eq!(snapshots_beside(&stream), Some(snapshots.clone()));
    assert_eq!(snapshots_beside(&snapshots), None);
    std::fs::remove_dir_all(&folder).unwrap();
}
