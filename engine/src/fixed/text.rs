//! Decimal text, both ways exact.

use super::Fixed;
use core::fmt;
use core::str::FromStr;

/// The longest text without a sign: 19 digits and a point.
const LONGEST: usize = 20;

/// All digits, exact: `1.50000000` for a `Fixed<8>`. A precision is ignored, width, fill and sign are not.
impl<const DECIMALS: u32> fmt::Display for Fixed<DECIMALS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'0'; LONGEST];
        let mut start = LONGEST;
        let mut rest = self.0.unsigned_abs();
        let mut written = 0;
        // At least one digit before the point.
        while rest != 0 || written <= DECIMALS {
            if written == DECIMALS && DECIMALS != 0 {
                start -= 1;
                text[start] = b'.';
            }
            start -= 1;
            text[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            written += 1;
        }
        let text = core::str::from_utf8(&text[start..]).map_err(|_| fmt::Error)?;
        f.pad_integral(self.0 >= 0, "", text)
    }
}

/// As [`Display`](fmt::Display).
impl<const DECIMALS: u32> fmt::Debug for Fixed<DECIMALS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is no [`Fixed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseFixedError {
    /// It is not of the form `-12`, `+12` or `12.5`: digits, and if there is a point, digits on both sides of it.
    Syntax,
    /// It has digits other than zero beyond the last one that the type has.
    TooPrecise {
        /// The digits after the point that the type has.
        decimals: u32,
    },
    /// It is too large or too small for the type.
    OutOfRange,
}

impl fmt::Display for ParseFixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("not a decimal number such as -12.5"),
            Self::TooPrecise { decimals } => {
                write!(
                    f,
                    "more digits after the point than the {decimals} that are held"
                )
            }
            Self::OutOfRange => f.write_str("out of the range of a 64-bit fixed-point number"),
        }
    }
}

impl core::error::Error for ParseFixedError {}

/// Exact: a text that the type cannot hold is an error, and nothing is rounded. Zeros beyond the last digit are no error.
impl<const DECIMALS: u32> FromStr for Fixed<DECIMALS> {
    type Err = ParseFixedError;

    fn from_str(text: &str) -> Result<Self, ParseFixedError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(ParseFixedError::Syntax);
        }
        let fraction = fraction.trim_end_matches('0');
        let Some(zeros) = (DECIMALS as usize).checked_sub(fraction.len()) else {
            return Err(ParseFixedError::TooPrecise { decimals: DECIMALS });
        };
        // Below zero, where the range is larger by one.
        let append =
            |raw: i64, digit: u8| raw.checked_mul(10)?.checked_sub(i64::from(digit - b'0'));
        let below = whole
            .bytes()
            .chain(fraction.bytes())
            .chain(core::iter::repeat_n(b'0', zeros))
            .try_fold(0_i64, append);
        let raw = if negative {
            below
        } else {
            below.and_then(i64::checked_neg)
        };
        raw.map(Self).ok_or(ParseFixedError::OutOfRange)
    }
}
