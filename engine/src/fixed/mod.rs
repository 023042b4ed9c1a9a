//! [`Fixed`]: decimal numbers on 64-bit integers.

mod arithmetic;
mod text;

pub use text::ParseFixedError;

/// A number with `DECIMALS` digits after the point, 18 at most, held as an integer: `Fixed<8>` of 1.5 is 150,000,000.
///
/// Sums and differences are exact. Products and quotients are computed in 128 bits and rounded once, to the nearest number
/// there is, and to the one whose last digit is even where two are as near: so errors do not add up in one direction.
///
/// | operator | beyond the range, or by zero |
/// |---|---|
/// | `a + b` and its kin | panics, in every build |
/// | `checked_add` and its kin | `None` |
/// | `saturating_add` and its kin | the nearest end of the range; division by zero panics |
///
/// ```
/// use gimmal_engine::Price;
///
/// let price: Price = "100.25".parse()?;
/// assert_eq!(price.raw(), 10_025_000_000);
/// assert_eq!((price * Price::whole(3)).to_string(), "300.75000000");
/// assert_eq!(Price::MAX.checked_add(price), None);
/// # Ok::<(), gimmal_engine::ParseFixedError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Fixed<const DECIMALS: u32>(i64);

/// What something costs: 8 digits after the point, up to some 92 thousand million.
pub type Price = Fixed<8>;

/// How much of something: 4 digits after the point, up to some 922 million million.
pub type Quantity = Fixed<4>;

impl<const DECIMALS: u32> Fixed<DECIMALS> {
    /// The integer that stands for 1.
    pub const SCALE: i64 = {
        assert!(
            DECIMALS <= 18,
            "a Fixed has at most 18 digits after the point"
        );
        10_i64.pow(DECIMALS)
    };
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The least number.
    pub const MIN: Self = Self(i64::MIN);
    /// The greatest number.
    pub const MAX: Self = Self(i64::MAX);

    /// The number that this integer stands for.
    ///
    /// ```
    /// use gimmal_engine::Fixed;
    ///
    /// let price = Fixed::<2>::from_raw(1050);
    /// assert_eq!((price.to_string().as_str(), price.raw()), ("10.50", 1050));
    /// ```
    #[inline]
    pub const fn from_raw(raw: i64) -> Self {
        Self(raw)
    }

    /// The integer that stands for the number.
    #[inline]
    pub const fn raw(self) -> i64 {
        self.0
    }

    /// A whole number: for constants.
    ///
    /// ```
    /// use gimmal_engine::Price;
    ///
    /// const LIMIT: Price = Price::whole(100);
    /// assert_eq!(LIMIT.to_string(), "100.00000000");
    /// ```
    ///
    /// # Panics
    /// If it is out of range; in a constant, that does not compile.
    pub const fn whole(number: i64) -> Self {
        match number.checked_mul(Self::SCALE) {
            Some(raw) => Self(raw),
            None => panic!("the number is out of the Fixed's range"),
        }
    }
}
