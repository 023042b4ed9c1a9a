//! Rule sets: what scores how much, as types whose constants the compiler works into the code.

use crate::fixed::{Fixed, Price, Quantity};

/// Five bands of a number: below the first limit, from there to below the second, and so on. A rule set that wants fewer
/// repeats a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands<const DECIMALS: u32> {
    /// Where each of the first four ends, and what it scores. Limits do not descend.
    pub below: [(Fixed<DECIMALS>, i32); 4],
    /// What the last one scores.
    pub beyond: i32,
}

/// A score added where price and quantity are both in a range; a bound that is `None` does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addition {
    /// The least price.
    pub price_from: Option<Price>,
    /// The price that is too high.
    pub price_below: Option<Price>,
    /// The least quantity.
    pub quantity_from: Option<Quantity>,
    /// The score.
    pub score: i32,
}

/// The weights of a score's components, as powers of two: 3 makes eight times of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shifts {
    /// Of the price's score.
    pub price: u32,
    /// Of the quantity's.
    pub quantity: u32,
    /// Of the sum of the additions.
    pub added: u32,
}

/// The least score of each tier above [`Tier::Low`](crate::Tier::Low); above 0, and not descending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiers {
    /// Of [`Tier::Medium`](crate::Tier::Medium).
    pub medium: i32,
    /// Of [`Tier::High`](crate::Tier::High).
    pub high: i32,
    /// Of [`Tier::Critical`](crate::Tier::Critical).
    pub critical: i32,
}

/// A rule set. Whatever it says, an event whose price or quantity is not above zero scores 0.
///
/// ```
/// use gimmal_engine::rules::{Addition, Bands, Rules, Standard, Tiers};
/// use gimmal_engine::{Evaluator, Hybrid, Price, Quantity, RiskEvent, Tier};
///
/// /// As the standard, and stricter with what it calls critical.
/// struct Strict;
///
/// impl Rules for Strict {
///     const PRICE: Bands<8> = Standard::PRICE;
///     const QUANTITY: Bands<4> = Standard::QUANTITY;
///     const ADDED: [Addition; 3] = Standard::ADDED;
///     const TIERS: Tiers = Tiers { critical: 600, ..Standard::TIERS };
/// }
///
/// let event = RiskEvent {
///     price: Price::whole(50),
///     quantity: Quantity::whole(100_000),
///     ..RiskEvent::default()
/// };
/// assert_eq!(<Hybrid as Evaluator<Strict>>::evaluate(&event).tier, Tier::Critical);
/// ```
pub trait Rules {
    /// What the price scores.
    const PRICE: Bands<8>;
    /// What the quantity scores.
    const QUANTITY: Bands<4>;
    /// What the two together score beside.
    const ADDED: [Addition; 3];
    /// What a score amounts to.
    const TIERS: Tiers;
    /// How much each component weighs.
    const SHIFTS: Shifts = Shifts {
        price: 0,
        quantity: 0,
        added: 0,
    };
    /// The greatest score: sums above it count as this, and sums below 0 as 0.
    const MOST: i32 = 1000;
}

/// The rule set to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standard;

impl Rules for Standard {
    const PRICE: Bands<8> = Bands {
        below: [
            (Price::whole(1), 400),
            (Price::whole(10), 300),
            (Price::whole(100), 150),
            (Price::whole(1000), 50),
        ],
        beyond: 20,
    };

    const QUANTITY: Bands<4> = Bands {
        below: [
            (Quantity::whole(10), 10),
            (Quantity::whole(100), 50),
            (Quantity::whole(10_000), 200),
            (Quantity::whole(100_000), 350),
        ],
        beyond: 500,
    };

    const ADDED: [Addition; 3] = [
        Addition {
            price_from: None,
            price_below: Some(Price::whole(1)),
            quantity_from: Some(Quantity::whole(10_000)),
            score: 200,
        },
        Addition {
            price_from: Some(Price::whole(1000)),
            price_below: None,
            quantity_from: Some(Quantity::whole(100_000)),
            score: 150,
        },
        Addition {
            price_from: None,
            price_below: None,
            quantity_from: Some(Quantity::whole(100_000)),
            score: 50,
        },
    ];

    const TIERS: Tiers = Tiers {
        medium: 250,
        high: 500,
        critical: 750,
    };
}

/// Proof that a rule set keeps what the evaluators rely on; a set that does not is refused by the compiler.
pub(crate) struct Sound<R>(core::marker::PhantomData<R>);

impl<R: Rules> Sound<R> {
    pub(crate) const PROOF: () = {
        assert!(ascend(&R::PRICE), "the limits of a price's bands descend");
        assert!(
            ascend(&R::QUANTITY),
            "the limits of a quantity's bands descend"
        );
        let tiers = R::TIERS;
        assert!(
            0 < tiers.medium && tiers.medium <= tiers.high && tiers.high <= tiers.critical,
            "the tiers' least scores descend, or a score of 0 is not low"
        );
        assert!(R::MOST >= 0, "the greatest score is below 0");
        let price = weigh(greatest(&R::PRICE), R::SHIFTS.price);
        let quantity = weigh(greatest(&R::QUANTITY), R::SHIFTS.quantity);
        let [first, second, third] = R::ADDED;
        let added = magnitude(first.score) + magnitude(second.score) + magnitude(third.score);
        assert!(
            price + quantity + weigh(added, R::SHIFTS.added) <= i32::MAX as u64,
            "the weighted scores do not fit in 32 bits"
        );
    };
}

const fn ascend<const DECIMALS: u32>(bands: &Bands<DECIMALS>) -> bool {
    let [first, second, third, fourth] = bands.below;
    first.0.raw() <= second.0.raw()
        && second.0.raw() <= third.0.raw()
        && third.0.raw() <= fourth.0.raw()
}

const fn magnitude(score: i32) -> u64 {
    score.unsigned_abs() as u64
}

/// Twice the greatest score, so that differences between bands fit as well.
const fn greatest<const DECIMALS: u32>(bands: &Bands<DECIMALS>) -> u64 {
    let mut most = magnitude(bands.beyond);
    let mut band = 0;
    while band < bands.below.len() {
        let score = magnitude(bands.below[band].1);
        if score > most {
            most = score;
        }
        band += 1;
    }
    2 * most
}

const fn weigh(score: u64, shift: u32) -> u64 {
    assert!(shift < 24, "a component's shift is 24 or more");
    score << shift
}
