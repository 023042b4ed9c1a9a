//! What a segment may hold.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A type whose values may cross processes: every bit pattern is one (another process may write any), none has padding bytes (which
/// would carry this process's secrets), and none points anywhere. `derive` the three traits of `zerocopy`, and `Clone` and `Copy`.
pub trait Element: FromBytes + IntoBytes + Immutable + Copy + Send + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + Copy + Send + 'static> Element for T {}
