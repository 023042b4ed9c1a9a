//! The three evaluators against the rules in words, and against each other.

use gimmal_engine::rules::{Addition, Bands, Shifts, Tiers};
use gimmal_engine::{
    Branched, Branchless, Evaluator, Hybrid, Price, Quantity, RiskEvent, RiskResult, Rules,
    Standard, Tier,
};
use proptest::prelude::*;

fn event(price: i64, quantity: i64) -> RiskEvent {
    RiskEvent {
        id: 77,
        price: Price::from_raw(price),
        quantity: Quantity::from_raw(quantity),
        ..RiskEvent::default()
    }
}

/// The result on which all three agree.
#[track_caller]
fn agreed<R: Rules>(price: i64, quantity: i64) -> (i32, Tier) {
    let event = event(price, quantity);
    let branched = <Branched as Evaluator<R>>::evaluate(&event);
    let branchless = <Branchless as Evaluator<R>>::evaluate(&event);
    let hybrid = <Hybrid as Evaluator<R>>::evaluate(&event);
    assert_eq!(branched, branchless, "{event:?}");
    assert_eq!(branched, hybrid, "{event:?}");
    let RiskResult { id, score, tier } = branched;
    assert_eq!(id, 77);
    (score, tier)
}

/// The standard rules once more, in plain integers.
fn standard(price: i64, quantity: i64) -> (i32, Tier) {
    if price <= 0 || quantity <= 0 {
        return (0, Tier::Low);
    }
    let unit = 100_000_000;
    let by_price = match price {
        _ if price < unit => 400,
        _ if price < 10 * unit => 300,
        _ if price < 100 * unit => 150,
        _ if price < 1000 * unit => 50,
        _ => 20,
    };
    let unit_of_quantity = 10_000;
    let many = quantity >= 10_000 * unit_of_quantity;
    let very_many = quantity >= 100_000 * unit_of_quantity;
    let by_quantity = match quantity / unit_of_quantity {
        0..10 => 10,
        10..100 => 50,
        100..10_000 => 200,
        10_000..100_000 => 350,
        _ => 500,
    };
    let mut score = by_price + by_quantity;
    if price < unit && many {
        score += 200;
    }
    if price >= 1000 * unit && very_many {
        score += 150;
    }
    if very_many {
        score += 50;
    }
    let score = score.min(1000);
    let tier = match score {
        ..250 => Tier::Low,
        250..500 => Tier::Medium,
        500..750 => Tier::High,
        _ => Tier::Critical,
    };
    (score, tier)
}

/// A limit, its two neighbours, and the ends of the range.
fn around(limits: &[i64]) -> Vec<i64> {
    let near = limits
        .iter()
        .flat_map(|limit| [limit - 1, *limit, limit + 1]);
    near.chain([i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX])
        .collect()
}

#[test]
fn every_boundary_scores_as_the_rules_say() {
    let prices = around(&[1, 10, 100, 1000].map(|price| Price::whole(price).raw()));
    let quantities =
        around(&[10, 100, 10_000, 100_000].map(|quantity| Quantity::whole(quantity).raw()));
    let mut seen = std::collections::BTreeSet::new();
    for &price in &prices {
        for &quantity in &quantities {
            let result = agreed::<Standard>(price, quantity);
            assert_eq!(result, standard(price, quantity), "{price} {quantity}");
            seen.insert(result);
        }
    }
    // The clamp and every tier were met.
    assert!(seen.contains(&(1000, Tier::Critical)));
    for tier in [Tier::Low, Tier::Medium, Tier::High, Tier::Critical] {
        assert!(seen.iter().any(|result| result.1 == tier), "{tier:?}");
    }
}

#[test]
fn some_events_score_what_was_computed_by_hand() {
    let score = |price: &str, quantity: i64| {
        agreed::<Standard>(
            price.parse::<Price>().unwrap().raw(),
            Quantity::whole(quantity).raw(),
        )
    };
    assert_eq!(score("0.50", 20_000), (950, Tier::Critical));
    assert_eq!(score("0.50", 100_000), (1000, Tier::Critical));
    assert_eq!(score("1000", 100_000), (720, Tier::High));
    assert_eq!(score("999.99999999", 9), (60, Tier::Low));
    assert_eq!(score("5", 1), (310, Tier::Medium));
    assert_eq!(score("-5", 1), (0, Tier::Low));
    assert_eq!(score("5", 0), (0, Tier::Low));
}

/// Weighted, with scores below zero, a repeated limit, and other bounds.
struct Odd;

impl Rules for Odd {
    const PRICE: Bands<8> = Bands {
        below: [
            (Price::from_raw(7), -300),
            (Price::from_raw(1000), 40),
            (Price::from_raw(1000), 9999),
            (Price::whole(3), -7),
        ],
        beyond: 90,
    };
    const QUANTITY: Bands<4> = Bands {
        below: [
            (Quantity::from_raw(2), 1),
            (Quantity::from_raw(4), 2),
            (Quantity::from_raw(8), 3),
            (Quantity::MAX, 4),
        ],
        beyond: -5,
    };
    const ADDED: [Addition; 3] = [
        Addition {
            price_from: Some(Price::from_raw(900)),
            price_below: Some(Price::from_raw(1100)),
            quantity_from: None,
            score: -13,
        },
        Addition {
            price_from: None,
            price_below: None,
            quantity_from: None,
            score: 5,
        },
        Addition {
            price_from: None,
            price_below: None,
            quantity_from: Some(Quantity::from_raw(3)),
            score: 11,
        },
    ];
    const TIERS: Tiers = Tiers {
        medium: 1,
        high: 100,
        critical: 100,
    };
    const SHIFTS: Shifts = Shifts {
        price: 1,
        quantity: 5,
        added: 3,
    };
    const MOST: i32 = 400;
}

/// The rule set once more, by multiplication, band by band.
fn odd(price: i64, quantity: i64) -> (i32, Tier) {
    if price <= 0 || quantity <= 0 {
        return (0, Tier::Low);
    }
    let by_price = match price {
        1..7 => -300,
        7..1000 => 40,
        1000..300_000_000 => -7,
        _ => 90,
    };
    let by_quantity = match quantity {
        1 => 1,
        2..4 => 2,
        4..8 => 3,
        i64::MAX => -5,
        _ => 4,
    };
    let mut added = 5;
    if (900..1100).contains(&price) {
        added -= 13;
    }
    if quantity >= 3 {
        added += 11;
    }
    let score = (2 * by_price + 32 * by_quantity + 8 * added).clamp(0, 400);
    let tier = match score {
        0 => Tier::Low,
        1..100 => Tier::Medium,
        _ => Tier::Critical,
    };
    (score, tier)
}

#[test]
fn another_rule_set_scores_as_it_says_at_every_boundary() {
    let prices = around(&[7, 900, 1000, 1100, 300_000_000]);
    let quantities = around(&[2, 3, 4, 8]);
    for &price in &prices {
        for &quantity in &quantities {
            assert_eq!(
                agreed::<Odd>(price, quantity),
                odd(price, quantity),
                "{price} {quantity}"
            );
        }
    }
}

/// Integers of all lengths: uniform ones would all lie in the last band.
fn raw() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0_u32..64).prop_map(|(bits, shift)| bits >> shift)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_event_scores_as_the_rules_say(price in raw(), quantity in raw()) {
        prop_assert_eq!(agreed::<Standard>(price, quantity), standard(price, quantity));
        prop_assert_eq!(agreed::<Odd>(price, quantity), odd(price, quantity));
    }
}
