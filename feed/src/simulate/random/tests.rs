use super::*;

fn symbols(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The messages without their times.
fn texts(venue: Venue, seed: u64) -> Vec<(String, usize)> {
    let mut market = Random::new(venue, &symbols(&["BTCUSDT", "ETHUSDT"]), seed);
    (0..200)
        .flat_map(|_| market.next(None).unwrap())
        .map(|told| (told.stream, told.text.len()))
        .collect()
}

#[test]
fn a_seed_says_what_happens() {
    assert_eq!(texts(Venue::Spot, 1), texts(Venue::Spot, 1));
    assert_ne!(texts(Venue::Spot, 1), texts(Venue::Spot, 2));
}

/// Follows one symbol's flow from its opening, and checks all that a handler may rely on.
fn follow(venue: Venue, diffs: usize) {
    let (mut symbol, mut flow) = open(venue, "BTCUSDT", Rng::with_seed(7));
    let mut copy = symbol.opening.clone();
    let (mut most, mut best) = (0, top(&copy));
    for _ in 0..diffs {
        for _ in 0..flow.random.usize(..3) {
            flow.change(&mut symbol.ladder, false);
        }
        flow.burst(&mut symbol.ladder);
        let (tickers, diff) = flow.tell(&symbol.ladder);
        assert_eq!(diff.before, copy.last);
        assert!(diff.first <= diff.last);
        if venue == Venue::Futures {
            assert!(diff.first > diff.before);
        } else {
            assert_eq!(diff.first, diff.before + 1);
        }
        for ticker in tickers {
            assert!((diff.first..=diff.last).contains(&ticker.last));
            best = (ticker.bid, ticker.ask);
        }
        most = most.max(diff.bids.len() + diff.asks.len());
        for (side, rungs) in [(Side::Bid, diff.bids), (Side::Ask, diff.asks)] {
            for rung in rungs {
                copy.set(side, rung);
            }
        }
        copy.last = diff.last;
        assert_eq!(copy, symbol.ladder);
        assert_eq!(best, top(&copy));
        assert!(best.0 .0 < best.1 .0, "bids and asks have crossed");
        for side in [Side::Bid, Side::Ask] {
            assert!((LEAST..=MOST).contains(&copy.len(side)));
        }
    }
    assert!(most > 100, "at most {most} levels at once");
}

#[test]
fn diffs_and_best_prices_give_the_book() {
    follow(Venue::Spot, 3000);
    follow(Venue::Futures, 3000);
}
