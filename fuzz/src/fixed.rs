//! Decimals: what text is one, which one, and its text again.

use gimmal_engine::{Fixed, ParseFixedError};

/// The bytes are a text, and their first eight a number's integer.
pub fn fixed(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let raw = bytes.first_chunk().map(|first| i64::from_le_bytes(*first));
    with::<0>(&text, raw);
    with::<4>(&text, raw);
    with::<8>(&text, raw);
    with::<18>(&text, raw);
}

fn with<const DECIMALS: u32>(text: &str, raw: Option<i64>) {
    let found = text.parse::<Fixed<DECIMALS>>();
    assert_eq!(found.map(Fixed::raw), expected(text, DECIMALS), "{text:?}");
    for number in found.into_iter().chain(raw.map(Fixed::from_raw)) {
        let printed = number.to_string();
        assert_eq!(printed.parse(), Ok(number), "{printed}");
        let fraction = printed
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len());
        assert_eq!(fraction, DECIMALS as usize, "{printed}");
    }
}

/// By the digits, as text: those of the integer are the whole part's and the fraction's, filled up with zeros.
fn expected(text: &str, decimals: u32) -> Result<i64, ParseFixedError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let parts: Vec<&str> = digits.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    if parts.len() > 2 || !parts.iter().all(is_number) {
        return Err(ParseFixedError::Syntax);
    }
    let fraction = parts.get(1).unwrap_or(&"").trim_end_matches('0');
    if fraction.len() > decimals as usize {
        return Err(ParseFixedError::TooPrecise { decimals });
    }
    let width = decimals as usize;
    let all = format!("{}{fraction:0<width$}", parts[0]);
    let sign = if text.starts_with('-') { "-" } else { "" };
    // The least integer's digits are the most that there are.
    let significant = all.trim_start_matches('0');
    match significant.len() {
        0 => Ok(0),
        1..=19 => format!("{sign}{significant}")
            .parse()
            .map_err(|_| ParseFixedError::OutOfRange),
        _ => Err(ParseFixedError::OutOfRange),
    }
}
