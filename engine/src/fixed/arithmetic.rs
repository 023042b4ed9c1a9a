//! Sums, products and quotients.

use super::Fixed;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// The quotient to the nearest integer, to the even one where two are as near.
const fn round(numerator: i128, divisor: i128) -> i128 {
    let quotient = numerator / divisor;
    let twice = 2 * (numerator % divisor).unsigned_abs();
    let whole = divisor.unsigned_abs();
    if twice < whole || (twice == whole && quotient % 2 == 0) {
        quotient
    } else if (numerator < 0) == (divisor < 0) {
        quotient + 1
    } else {
        quotient - 1
    }
}

const fn narrow(wide: i128) -> Option<i64> {
    if wide < i64::MIN as i128 || wide > i64::MAX as i128 {
        None
    } else {
        Some(wide as i64)
    }
}

const fn clamp(wide: i128) -> i64 {
    if wide < i64::MIN as i128 {
        i64::MIN
    } else if wide > i64::MAX as i128 {
        i64::MAX
    } else {
        wide as i64
    }
}

const fn number<const DECIMALS: u32>(raw: Option<i64>) -> Option<Fixed<DECIMALS>> {
    match raw {
        Some(raw) => Some(Fixed(raw)),
        None => None,
    }
}

impl<const DECIMALS: u32> Fixed<DECIMALS> {
    // Neither can overflow: both are below 2^63 · 10^18 < 2^123.
    const fn wide_product(self, other: Self) -> i128 {
        round(self.0 as i128 * other.0 as i128, Self::SCALE as i128)
    }

    const fn wide_quotient(self, other: Self) -> i128 {
        round(self.0 as i128 * Self::SCALE as i128, other.0 as i128)
    }

    /// The sum, exact; `None` if it is out of range.
    ///
    /// ```
    /// use gimmal_engine::Fixed;
    ///
    /// type Cents = Fixed<2>;
    /// assert_eq!(Cents::whole(1).checked_add(Cents::from_raw(5)), Some(Cents::from_raw(105)));
    /// assert_eq!(Cents::MAX.checked_add(Cents::from_raw(1)), None);
    /// ```
    #[inline]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        number(self.0.checked_add(other.0))
    }

    /// The difference, exact; `None` if it is out of range.
    #[inline]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        number(self.0.checked_sub(other.0))
    }

    /// The product, rounded to nearest, ties to even; `None` if it is out of range.
    ///
    /// ```
    /// use gimmal_engine::Fixed;
    ///
    /// type Cents = Fixed<2>;
    /// let half = Cents::from_raw(50);
    /// assert_eq!(Cents::from_raw(5).checked_mul(half), Some(Cents::from_raw(2))); // 2.5 is a tie: to even
    /// assert_eq!(Cents::MAX.checked_mul(Cents::whole(2)), None);
    /// ```
    #[inline]
    pub const fn checked_mul(self, other: Self) -> Option<Self> {
        number(narrow(self.wide_product(other)))
    }

    /// The quotient, rounded to nearest, ties to even; `None` if it is out of range or `other` is zero.
    ///
    /// ```
    /// use gimmal_engine::Fixed;
    ///
    /// type Cents = Fixed<2>;
    /// assert_eq!(Cents::whole(1).checked_div(Cents::whole(3)), Some(Cents::from_raw(33)));
    /// assert_eq!(Cents::whole(1).checked_div(Cents::ZERO), None);
    /// ```
    #[inline]
    pub const fn checked_div(self, other: Self) -> Option<Self> {
        if other.0 == 0 {
            return None;
        }
        number(narrow(self.wide_quotient(other)))
    }

    /// The negative; `None` of the least number.
    #[inline]
    pub const fn checked_neg(self) -> Option<Self> {
        number(self.0.checked_neg())
    }

    /// The sum, or the end of the range that it lies beyond.
    ///
    /// ```
    /// use gimmal_engine::Fixed;
    ///
    /// type Cents = Fixed<2>;
    /// assert_eq!(Cents::MAX.saturating_add(Cents::whole(1)), Cents::MAX);
    /// ```
    #[inline]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, or the end of the range that it lies beyond.
    #[inline]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The product, rounded to nearest, ties to even, or the end of the range that it lies beyond.
    ///
    /// ```
    /// use gimmal_engine::Fixed;
    ///
    /// type Cents = Fixed<2>;
    /// assert_eq!(Cents::MIN.saturating_mul(Cents::whole(2)), Cents::MIN);
    /// ```
    #[inline]
    pub const fn saturating_mul(self, other: Self) -> Self {
        Self(clamp(self.wide_product(other)))
    }

    /// The quotient, rounded to nearest, ties to even, or the end of the range that it lies beyond.
    ///
    /// # Panics
    /// If `other` is zero.
    #[inline]
    pub const fn saturating_div(self, other: Self) -> Self {
        assert!(other.0 != 0, "a Fixed is divided by zero");
        Self(clamp(self.wide_quotient(other)))
    }
}

macro_rules! operator {
    ($trait:ident $method:ident, $assign:ident $assign_method:ident, $checked:ident, $failure:literal) => {
        /// Panics out of range, in every build.
        impl<const DECIMALS: u32> $trait for Fixed<DECIMALS> {
            type Output = Self;

            #[inline]
            #[track_caller]
            fn $method(self, other: Self) -> Self {
                self.$checked(other).expect($failure)
            }
        }

        /// Panics out of range, in every build.
        impl<const DECIMALS: u32> $assign for Fixed<DECIMALS> {
            #[inline]
            #[track_caller]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$checked(other).expect($failure);
            }
        }
    };
}

operator!(Add add, AddAssign add_assign, checked_add, "a sum of two Fixed is out of range");
operator!(Sub sub, SubAssign sub_assign, checked_sub, "a difference of two Fixed is out of range");
operator!(Mul mul, MulAssign mul_assign, checked_mul, "a product of two Fixed is out of range");
operator!(Div div, DivAssign div_assign, checked_div, "a quotient of two Fixed is out of range, or its divisor zero");

/// Panics for the least number, in every build.
impl<const DECIMALS: u32> Neg for Fixed<DECIMALS> {
    type Output = Self;

    #[inline]
    #[track_caller]
    fn neg(self) -> Self {
        self.checked_neg()
            .expect("the negative of the least Fixed is out of range")
    }
}
