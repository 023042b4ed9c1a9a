use super::*;

fn parsed(text: &str) -> Message<'_> {
    Message::parse(text.as_bytes()).unwrap()
}

fn refused(text: &str) -> String {
    format!("{:#}", Message::parse(text.as_bytes()).unwrap_err())
}

#[test]
fn diffs_of_both_kinds_are_read() {
    let spot = r#"{"stream":"abc@depth@100ms","data":{"e":"depthUpdate","E":1,"s":"ABC","U":5,"u":7,"b":[["1.50000000","0.00000001"]],"a":[]}}"#;
    let Message::Diff { symbol, diff } = parsed(spot) else {
        panic!("no diff")
    };
    assert_eq!(symbol, "ABC");
    assert_eq!(
        (diff.ids.first, diff.ids.last, diff.ids.previous),
        (5, 7, None)
    );
    assert_eq!(diff.bids, [level("1.5", "0.00000001").unwrap()]);
    assert_eq!(diff.asks, []);
    let futures = r#"{"stream":"abc@depth","data":{"e":"depthUpdate","s":"ABC","U":5,"u":7,"pu":3,"b":[],"a":[["2","0"]]}}"#;
    let Message::Diff { diff, .. } = parsed(futures) else {
        panic!("no diff")
    };
    assert_eq!(diff.ids.previous, Some(3));
}

#[test]
fn best_prices_are_read_and_empty_sides_are_none() {
    let text = r#"{"stream":"abc@bookTicker","data":{"u":9,"s":"ABC","b":"1.5","B":"2","a":"0.00000000","A":"0.00000000"}}"#;
    let top = Top {
        bid: Some(level("1.5", "2").unwrap()),
        ask: None,
    };
    let ticker = Ticker { id: 9, top };
    let symbol = "ABC";
    assert_eq!(parsed(text), Message::Ticker { symbol, ticker });
}

#[test]
fn other_streams_are_told_apart() {
    for stream in [
        "abc@aggTrade",
        "abc@depth5@100ms",
        "abc@depthless",
        "!ticker@arr",
    ] {
        let text = format!(r#"{{"stream":"{stream}","data":{{}}}}"#);
        assert_eq!(parsed(&text), Message::Other, "{stream}");
    }
}

#[test]
fn errors_say_what_was_wrong() {
    let diff = |price: &str, first: u64| {
        format!(
            r#"{{"stream":"abc@depth","data":{{"s":"ABC","U":{first},"u":7,"b":[["{price}","1"]],"a":[]}}}}"#
        )
    };
    for (text, reason) in [
        ("{\"stream\":\"abc@dep".to_owned(), "EOF"),
        (diff("1.123456789", 1), "\"1.123456789\": more digits"),
        (diff("one", 1), "\"one\": not a decimal"),
        (diff("-1", 1), "below zero"),
        (diff("1", 8), "its first update, 8, is after its last, 7"),
        (
            r#"{"stream":"abc@depth","data":{"s":"ABC"}}"#.to_owned(),
            "missing field `U`",
        ),
        ("\u{0}".to_owned(), "message of 1 bytes"),
    ] {
        let error = refused(&text);
        assert!(error.contains(reason), "{reason} in {error}");
        assert!(error.len() < 300, "{error}");
    }
    let error = format!("{:#}", Snapshot::parse(r#"{"code":-1121}"#).unwrap_err());
    assert!(
        error.contains("-1121") && error.contains("lastUpdateId"),
        "{error}"
    );
}

#[test]
fn a_snapshot_and_its_diffs_make_a_book() {
    let body = r#"{"lastUpdateId":4,"bids":[["1.0","2"],["0.9","3"]],"asks":[["1.1","4"]]}"#;
    let Snapshot { last, mut book } = Snapshot::parse(body).unwrap();
    assert_eq!((last, book.len()), (4, 3));
    let diff = Diff {
        ids: Ids {
            first: 5,
            last: 5,
            previous: None,
        },
        bids: vec![level("1.0", "0").unwrap()],
        asks: vec![level("1.05", "9").unwrap()],
    };
    diff.apply(&mut book);
    assert_eq!(book.top().bid, Some(level("0.9", "3").unwrap()));
    assert_eq!(book.top().ask, Some(level("1.05", "9").unwrap()));
}
