//! Snapshots and the errors in place of them.

use crate::client::{get, snapshot};
use crate::options;
use gimmal_feed::simulate::{Exchange, Options};
use gimmal_feed::venue::Venue;

#[test]
fn bad_requests_get_the_exchanges_errors() {
    for venue in [Venue::Spot, Venue::Futures] {
        let exchange = Exchange::start(options(venue, 1, &[])).unwrap();
        let path = venue.depth_path();
        for (query, status, code) in [
            ("", 400, "-1102"),
            ("?symbol=", 400, "-1102"),
            ("?symbol=DOGEUSDT", 400, "-1121"),
            ("?symbol=BTCUSDT&limit=many", 400, "-4021"),
            ("?symbol=btcusdt", 200, "lastUpdateId"),
        ] {
            let answer = get(&exchange, &format!("{path}{query}"));
            assert_eq!(answer.status, status, "{query}: {}", answer.body);
            assert!(answer.body.contains(code), "{query}: {}", answer.body);
        }
        for path in ["/", "/api/v2/depth?symbol=BTCUSDT", "/stream?streams=x"] {
            assert_eq!(get(&exchange, path).status, 404, "{path}");
        }
    }
}

#[test]
fn a_limit_cuts_both_sides() {
    let exchange = Exchange::start(options(Venue::Spot, 1, &[])).unwrap();
    let answer = get(&exchange, "/api/v3/depth?symbol=BTCUSDT&limit=5");
    let cut: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    for side in ["bids", "asks"] {
        assert_eq!(cut[side].as_array().unwrap().len(), 5);
    }
    assert!(
        snapshot(&exchange, Venue::Spot, "BTCUSDT")["bids"]
            .as_array()
            .unwrap()
            .len()
            > 5
    );
}

#[test]
fn faults_of_snapshots_strike_in_turn() {
    let faults = [
        "server-error@2",
        "truncated-snapshot@3",
        "stale-snapshot@4",
        "slow-snapshot@5",
        "too-many-requests@6",
    ];
    let exchange = Exchange::start(Options {
        retry_after: 3600,
        ..options(Venue::Spot, 0, &faults)
    });
    let exchange = exchange.unwrap();
    let path = "/api/v3/depth?symbol=BTCUSDT&limit=1000";
    let fresh = get(&exchange, path);
    assert_eq!(get(&exchange, path).status, 500);
    let half = get(&exchange, path);
    assert_eq!(half.status, 0);
    assert_eq!(half.body, fresh.body[..fresh.body.len() / 2]);
    let stale = get(&exchange, path);
    assert_eq!(stale.status, 200);
    let number = |body: &str| {
        let snapshot: serde_json::Value = serde_json::from_str(body).unwrap();
        snapshot["lastUpdateId"].as_u64().unwrap()
    };
    assert!(number(&stale.body) < number(&fresh.body));
    assert_eq!(get(&exchange, path).body, fresh.body);
    let busy = get(&exchange, path);
    assert_eq!(busy.status, 429);
    assert!(busy.head.contains("\r\nRetry-After: 3600"), "{}", busy.head);
    assert_eq!(exchange.counts().impatient, 0);
    assert_eq!(get(&exchange, path).status, 418);
    let counts = exchange.counts();
    let struck: Vec<String> = counts.faults.iter().map(ToString::to_string).collect();
    assert_eq!(struck, faults);
    assert_eq!((counts.snapshots, counts.impatient), (7, 1));
}
