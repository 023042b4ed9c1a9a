//! What an end of a mapped ring does with elements: copies them in and out.

use super::{Corrupt, Doubt, Place};
use crate::raw::{Body, Consumer, Producer, Refused};
use core::fmt;

/// Why nothing was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The ring is full.
    Full,
    /// The ring is closed.
    Closed,
    /// The ring holds what no end of its protocol writes.
    Corrupt,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the ring is full"),
            Self::Closed => f.write_str("the ring is closed"),
            Self::Corrupt => Corrupt.fmt(f),
        }
    }
}

impl core::error::Error for Fault {}

/// Pushes a copy of `value`.
///
/// # Errors
/// The ring is full, closed or corrupt; nothing was pushed.
///
/// # Safety
/// The ring is one of `T`, which has no padding bytes.
#[inline(always)]
pub unsafe fn push<E, T: Copy>(end: &mut E, value: T) -> Result<(), Fault>
where
    E: Producer<Body: Body<Slot = Place> + Doubt>,
{
    let place = claim(end)?;
    // SAFETY: the claimed place is a `T`'s by the caller's word; it is written, then published.
    unsafe {
        place.write(value);
        end.publish();
    }
    Ok(())
}

/// Takes the oldest element; `None` if the ring is empty.
///
/// # Errors
/// [`Corrupt`] if there is none to take, and the ring was found corrupt now or before.
///
/// # Safety
/// The ring is one of `T`, which is valid whatever its bytes are.
#[inline(always)]
pub unsafe fn pop<E, T: Copy>(end: &mut E) -> Result<Option<T>, Corrupt>
where
    E: Consumer<Body: Body<Slot = Place> + Doubt>,
{
    let Some(place) = front(end)? else {
        return Ok(None);
    };
    // SAFETY: the front place is a `T`'s by the caller's word; it is copied before it is released.
    unsafe {
        let value = place.read();
        end.release();
        Ok(Some(value))
    }
}

/// Pushes an element of these bytes.
///
/// # Errors
/// As for [`push`].
///
/// # Safety
/// The ring's elements have as many bytes.
#[inline]
pub unsafe fn push_bytes<E>(end: &mut E, bytes: &[u8]) -> Result<(), Fault>
where
    E: Producer<Body: Body<Slot = Place> + Doubt>,
{
    let place = claim(end)?;
    // SAFETY: the claimed place has as many bytes by the caller's word; they are written, then published.
    unsafe {
        place.write_bytes(bytes);
        end.publish();
    }
    Ok(())
}

/// Takes the oldest element's bytes; false, and `bytes` as they were, if the ring is empty.
///
/// # Errors
/// As for [`pop`].
///
/// # Safety
/// The ring's elements have as many bytes.
#[inline]
pub unsafe fn pop_bytes<E>(end: &mut E, bytes: &mut [u8]) -> Result<bool, Corrupt>
where
    E: Consumer<Body: Body<Slot = Place> + Doubt>,
{
    let Some(place) = front(end)? else {
        return Ok(false);
    };
    // SAFETY: the front place has as many bytes by the caller's word; they are copied before it is released.
    unsafe {
        place.read_bytes(bytes);
        end.release();
    }
    Ok(true)
}

#[inline(always)]
fn claim<E>(end: &mut E) -> Result<Place, Fault>
where
    E: Producer<Body: Body<Slot = Place> + Doubt>,
{
    end.claim().map_err(|refused| match refused {
        Refused::Closed => Fault::Closed,
        Refused::Full if end.body().is_corrupt() => Fault::Corrupt,
        Refused::Full => Fault::Full,
    })
}

#[inline(always)]
fn front<E>(end: &mut E) -> Result<Option<Place>, Corrupt>
where
    E: Consumer<Body: Body<Slot = Place> + Doubt>,
{
    match end.front() {
        None if end.body().is_corrupt() => Err(Corrupt),
        place => Ok(place),
    }
}
