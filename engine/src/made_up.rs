//! Events to warm up with.

use crate::fixed::{Price, Quantity};
use crate::model::RiskEvent;

/// Events of all sizes, in no order that could be learned: to warm up with.
pub fn made_up_events() -> impl Iterator<Item = RiskEvent> {
    // Marsaglia's xorshift, 2003.
    let next = |state: &u64| {
        let mut state = *state;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state)
    };
    core::iter::successors(Some(0x9e37_79b9_7f4a_7c15), next).map(|random: u64| RiskEvent {
        id: random,
        price: Price::from_raw((random >> 1 >> (random % 63)) as i64),
        quantity: Quantity::from_raw((random.rotate_left(32) >> 1 >> (random / 63 % 63)) as i64),
        ..RiskEvent::default()
    })
}
