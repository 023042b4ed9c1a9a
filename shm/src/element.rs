//! What a segment may hold.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A type whose values may cross processes: every bit pattern is one (another process may write any), none has padding bytes (which
/// would carry this process's secrets), and none points anywhere. `derive` the three traits of `zerocopy`, and `Clone` and `Copy`.
///
/// ```
/// use gimmal_shm::{Element, Segment};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
/// #[repr(C)]
/// struct Tick {
///     id: u64,
///     price: f64,
/// }
///
/// fn takes(_: impl Element) {}
/// takes(Tick { id: 1, price: 100.0 });
/// ```
pub trait Element: FromBytes + IntoBytes + Immutable + Copy + Send + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + Copy + Send + 'static> Element for T {}
