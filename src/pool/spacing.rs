//! How far a pool's slots lie apart.

/// How far a pool's slots lie apart.
///
/// # Safety
/// A slot begins with what it holds, and is padded to 64 bytes, and aligned to them, if `PADDED`, and else not at all.
pub unsafe trait Spacing: 'static {
    /// Whether every slot has cache lines of its own.
    const PADDED: bool;
    /// A slot for a `V`.
    type Slot<V>;
}

/// Every slot has cache lines of its own, of 64 bytes.
#[derive(Debug, Clone, Copy)]
pub enum Padded {}

/// A value on cache lines of its own.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct OnLine<V>(V);

// SAFETY: `repr(C)` puts the only field first, and the alignment pads it.
unsafe impl Spacing for Padded {
    const PADDED: bool = true;
    type Slot<V> = OnLine<V>;
}

/// Slots lie side by side: least memory, and neighbours share cache lines.
#[derive(Debug, Clone, Copy)]
pub enum Dense {}

// SAFETY: the slot is the value.
unsafe impl Spacing for Dense {
    const PADDED: bool = false;
    type Slot<V> = V;
}
