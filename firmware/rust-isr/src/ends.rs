//! The four functions under test, out of line so that the instructions of each can be told.

use crate::stream::Message;

#[cfg_attr(feature = "bare", path = "bare.rs")]
#[cfg_attr(feature = "broken", path = "broken.rs")]
#[cfg_attr(not(any(feature = "bare", feature = "broken")), path = "shared.rs")]
mod form;

pub use form::*;

#[no_mangle]
#[inline(never)]
#[link_section = ".probed"]
pub fn ring_push(tx: &mut Tx, message: &Message) -> bool {
    tx.push(*message).is_ok()
}

#[no_mangle]
#[inline(never)]
#[link_section = ".probed"]
pub fn ring_pop(rx: &mut Rx) -> Option<Message> {
    rx.pop()
}

#[no_mangle]
#[inline(never)]
#[link_section = ".probed"]
pub fn mpsc_push(tx: &mut ManyTx, message: &Message) -> bool {
    tx.push(*message).is_ok()
}

#[no_mangle]
#[inline(never)]
#[link_section = ".probed"]
pub fn mpsc_pop(rx: &mut ManyRx) -> Option<Message> {
    rx.pop()
}
