//! What goes into the pipeline, and what comes out.

use crate::fixed::{Price, Quantity};
use core::fmt;
use gimmal::layout::TargetPadding;
use gimmal::policy::{Policy, Sound};
use gimmal::raw::AcquireRelease;
use gimmal::LineRing;
use static_assertions::const_assert;

/// What an event is about: 8 bytes, a ticker padded with zeros say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Instrument(pub [u8; 8]);

/// The text up to the first zero; bytes that are no UTF-8 as U+FFFD.
impl fmt::Debug for Instrument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.iter().position(|&byte| byte == 0);
        let text = &self.0[..end.unwrap_or(self.0.len())];
        f.write_str("\"")?;
        for chunk in text.utf8_chunks() {
            write!(f, "{}", chunk.valid().escape_debug())?;
            if !chunk.invalid().is_empty() {
                f.write_str("\u{fffd}")?;
            }
        }
        f.write_str("\"")
    }
}

/// Something to be scored. The same 40 bytes in C, as `gimmal_risk_event_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct RiskEvent {
    /// Whatever tells it from others; it comes back in the result.
    pub id: u64,
    /// When it happened, in nanoseconds of the user's clock. The pipeline does not look at it.
    pub timestamp: u64,
    /// What it is about. The pipeline does not look at it.
    pub instrument: Instrument,
    /// The price.
    pub price: Price,
    /// How much.
    pub quantity: Quantity,
}

const_assert!(size_of::<RiskEvent>() == 40);

/// An event on its way through the ring. With the ring's own stamp it fills one 64-byte line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Stamped {
    /// The event.
    pub event: RiskEvent,
    /// When it was submitted, by whatever clock the submitter read.
    pub enqueued: u64,
}

/// How the engine's ring works: as any between two cores, and the producer fetches four cells ahead for writing. Events come one by one, and the
/// cell of the next one may still be in the cache of the worker, which handed it back (`docs/adr/0023-the-risk-pipeline.md`).
#[derive(Debug)]
pub enum Ahead {}

impl Policy for Ahead {
    type Padding = TargetPadding;
    type Edges = AcquireRelease;
    const LOOK_AHEAD_ALONE: usize = 4;
}

// SAFETY: it differs from `Shared` in what is fetched ahead, which nothing rests on.
unsafe impl Sound for Ahead {}

const_assert!(size_of::<Stamped>() == 48);
const_assert!(LineRing::<Stamped, 1>::SHAPE.stride() == 64);
const_assert!(LineRing::<Stamped, 1>::SHAPE.per_cell() == 1);

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u32)]
pub enum Tier {
    /// Below [`Tiers::medium`](crate::rules::Tiers::medium).
    #[default]
    Low = 0,
    /// From there on.
    Medium = 1,
    /// From [`Tiers::high`](crate::rules::Tiers::high) on.
    High = 2,
    /// From [`Tiers::critical`](crate::rules::Tiers::critical) on.
    Critical = 3,
}

/// What an event scores. The same 16 bytes in C, as `gimmal_risk_result_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct RiskResult {
    /// The event's.
    pub id: u64,
    /// From 0 to the rule set's [`MOST`](crate::Rules::MOST).
    pub score: i32,
    /// What the score amounts to.
    pub tier: Tier,
}

const_assert!(size_of::<RiskResult>() == 16);
