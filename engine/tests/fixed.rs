//! Fixed point against integers without bounds.

use gimmal_engine::{Fixed, ParseFixedError, Price, Quantity};
use num_bigint::BigInt;
use num_integer::Integer;
use proptest::prelude::*;

/// Integers of all lengths, and those around the ends and the middle of the range.
fn raw() -> impl Strategy<Value = i64> {
    let length = (any::<i64>(), 0_u32..64).prop_map(|(bits, shift)| bits >> shift);
    let edge = (0_i64..4, -3_i64..=3).prop_map(|(edge, offset)| {
        [0, i64::MIN, i64::MAX, 100_000_000][edge as usize].wrapping_add(offset)
    });
    prop_oneof![4 => length, 1 => edge]
}

/// The quotient to the nearest integer, to the even one of two as near.
fn nearest(numerator: &BigInt, divisor: &BigInt) -> BigInt {
    let (below, rest) = numerator.div_mod_floor(divisor);
    let twice: BigInt = rest * 2;
    let up = match twice.magnitude().cmp(divisor.magnitude()) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => below.is_odd(),
    };
    if up {
        below + 1
    } else {
        below
    }
}

fn within(exact: &BigInt) -> Option<i64> {
    i64::try_from(exact).ok()
}

fn nearest_within(exact: &BigInt) -> i64 {
    let least = BigInt::from(i64::MIN);
    let most = BigInt::from(i64::MAX);
    i64::try_from(exact.clamp(&least, &most)).unwrap()
}

fn arithmetic<const DECIMALS: u32>(a: i64, b: i64) {
    let (x, y) = (
        Fixed::<DECIMALS>::from_raw(a),
        Fixed::<DECIMALS>::from_raw(b),
    );
    let scale = BigInt::from(10).pow(DECIMALS);
    let (a, b) = (BigInt::from(a), BigInt::from(b));
    let raw = |number: Option<Fixed<DECIMALS>>| number.map(Fixed::raw);

    let sum = &a + &b;
    assert_eq!(raw(x.checked_add(y)), within(&sum));
    assert_eq!(x.saturating_add(y).raw(), nearest_within(&sum));
    let difference = &a - &b;
    assert_eq!(raw(x.checked_sub(y)), within(&difference));
    assert_eq!(x.saturating_sub(y).raw(), nearest_within(&difference));
    let product = nearest(&(&a * &b), &scale);
    assert_eq!(raw(x.checked_mul(y)), within(&product));
    assert_eq!(x.saturating_mul(y).raw(), nearest_within(&product));
    assert_eq!(raw(x.checked_neg()), within(&-&a));
    if y == Fixed::ZERO {
        assert_eq!(x.checked_div(y), None);
    } else {
        let quotient = nearest(&(&a * &scale), &b);
        assert_eq!(raw(x.checked_div(y)), within(&quotient));
        assert_eq!(x.saturating_div(y).raw(), nearest_within(&quotient));
    }

    if let Some(sum) = x.checked_add(y) {
        let mut other = x;
        other += y;
        assert_eq!((x + y, other), (sum, sum));
    }
    if let Some(product) = x.checked_mul(y) {
        let mut other = x;
        other *= y;
        assert_eq!((x * y, other), (product, product));
    }
    if let Some(quotient) = x.checked_div(y) {
        let mut other = x;
        other /= y;
        assert_eq!((x / y, other), (quotient, quotient));
    }
    if let Some(difference) = x.checked_sub(y) {
        let mut other = x;
        other -= y;
        assert_eq!((x - y, other), (difference, difference));
    }
}

/// The text that an exact decimal has.
fn digits<const DECIMALS: u32>(raw: i64) -> String {
    let (whole, fraction) = BigInt::from(raw)
        .magnitude()
        .div_rem(&num_bigint::BigUint::from(10_u32).pow(DECIMALS));
    let sign = if raw < 0 { "-" } else { "" };
    if DECIMALS == 0 {
        format!("{sign}{whole}")
    } else {
        let fraction = fraction.to_string();
        format!(
            "{sign}{whole}.{fraction:0>width$}",
            width = DECIMALS as usize
        )
    }
}

fn text<const DECIMALS: u32>(raw: i64) {
    let number = Fixed::<DECIMALS>::from_raw(raw);
    assert_eq!(number.to_string(), digits::<DECIMALS>(raw));
    assert_eq!(number.to_string().parse(), Ok(number));
    assert_eq!(format!("{number:?}"), number.to_string());
    assert_eq!(format!("{number:>40}").trim_start(), number.to_string());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn sums_products_and_quotients_are_the_nearest_there_are(a in raw(), b in raw()) {
        arithmetic::<0>(a, b);
        arithmetic::<4>(a, b);
        arithmetic::<8>(a, b);
        arithmetic::<18>(a, b);
    }

    #[test]
    fn what_is_printed_is_exact_and_reads_back(raw in raw()) {
        text::<0>(raw);
        text::<1>(raw);
        text::<4>(raw);
        text::<8>(raw);
        text::<18>(raw);
    }

    #[test]
    fn a_text_is_read_exactly_or_refused(
        sign in "[+-]?",
        whole in "[0-9]{1,22}",
        fraction in proptest::option::of("[0-9]{1,12}"),
    ) {
        let text = match &fraction {
            Some(fraction) => format!("{sign}{whole}.{fraction}"),
            None => format!("{sign}{whole}"),
        };
        let kept = fraction.as_deref().unwrap_or("").trim_end_matches('0');
        let expected = if kept.len() > 8 {
            Err(ParseFixedError::TooPrecise { decimals: 8 })
        } else {
            let exact: BigInt = format!("{sign}{whole}{kept:0<8}").parse().unwrap();
            within(&exact).map(Price::from_raw).ok_or(ParseFixedError::OutOfRange)
        };
        prop_assert_eq!(text.parse::<Price>(), expected, "{}", text);
    }

    #[test]
    fn what_is_no_number_is_refused(text in "[0-9.+-]{0,6}") {
        let looks_right = {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
            let parts: Vec<&str> = digits.split('.').collect();
            parts.len() <= 2
                && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let is_syntax = text.parse::<Price>() == Err(ParseFixedError::Syntax);
        prop_assert_eq!(is_syntax, !looks_right, "{}", text);
    }
}

#[test]
fn ties_go_to_the_even_side_whatever_the_sign() {
    let half = Fixed::<1>::from_raw(5);
    for (tenths, expected) in [(1, 0), (3, 2), (5, 2), (7, 4), (-1, 0), (-3, -2), (-5, -2)] {
        let number = Fixed::<1>::from_raw(tenths);
        assert_eq!((number * half).raw(), expected, "half of {number}");
        assert_eq!(
            (number / Fixed::whole(2)).raw(),
            expected,
            "{number} halved"
        );
        let product = (-number * -half).raw();
        assert_eq!(product, expected, "half of {number}, both negative");
    }
}

#[test]
fn the_ends_of_the_range_read_and_print() {
    assert_eq!(Price::MIN.to_string(), "-92233720368.54775808");
    assert_eq!(Price::MAX.to_string(), "92233720368.54775807");
    assert_eq!("-92233720368.54775808".parse(), Ok(Price::MIN));
    assert_eq!(
        "92233720368.54775808".parse::<Price>(),
        Err(ParseFixedError::OutOfRange)
    );
    assert_eq!("-0.0".parse(), Ok(Quantity::ZERO));
    assert_eq!(format!("{:+09}", Quantity::whole(1)), "+001.0000");
    assert_eq!(
        "1.00001".parse::<Quantity>().unwrap_err().to_string(),
        "more digits after the point than the 4 that are held"
    );
    for not in ["١", "1e3", "0x1", " 1", "1_000", "1,5", "∞"] {
        assert_eq!(not.parse::<Price>(), Err(ParseFixedError::Syntax), "{not}");
    }
}

/// Whether it panics, with its message kept quiet.
fn panics<R>(task: impl FnOnce() -> R + std::panic::UnwindSafe) -> bool {
    std::panic::catch_unwind(task).is_err()
}

#[test]
fn plain_operators_panic_out_of_range() {
    let tiny = Price::from_raw(1);
    assert!(panics(|| Price::MAX + tiny));
    assert!(panics(|| Price::MIN - tiny));
    assert!(panics(|| Price::MAX * Price::whole(2)));
    assert!(panics(|| Price::MAX / tiny));
    assert!(panics(|| tiny / Price::ZERO));
    assert!(panics(|| tiny.saturating_div(Price::ZERO)));
    assert!(panics(|| -Price::MIN));
    assert!(panics(|| Price::whole(92_233_720_369)));
    assert!(!panics(|| Price::whole(92_233_720_368)));
}

#[test]
fn constants_are_computed_by_the_compiler() {
    const HALF: Option<Price> = Price::whole(1).checked_div(Price::whole(2));
    assert_eq!(HALF, Some(Price::from_raw(50_000_000)));
    assert_eq!(
        (Price::SCALE, Quantity::SCALE, Fixed::<18>::SCALE),
        (100_000_000, 10_000, 10_i64.pow(18))
    );
}
