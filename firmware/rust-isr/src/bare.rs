//! Ends for one core, of constant geometry, that do not look whether a ring is closed.

use crate::stream::Message;
use gimmal::policy::Bare;
use gimmal::raw::{FixedSingleCells, FixedSlots};
use gimmal::view::{ConsumerOf, ProducerOf};
use gimmal::{mpsc, AlreadySplit};

pub type Ring = gimmal::Ring<Message, 8, Bare>;
pub type Mpsc = gimmal::Mpsc<Message, 8, Bare>;
pub type Tx = ProducerOf<'static, Message, FixedSlots<Message, 8>, Bare>;
pub type Rx = ConsumerOf<'static, Message, FixedSlots<Message, 8>, Bare>;
pub type ManyTx = mpsc::Producer<'static, Message, Bare, FixedSingleCells<Message, 8>>;
pub type ManyRx = mpsc::Consumer<'static, Message, Bare, FixedSingleCells<Message, 8>>;

pub const fn ring() -> Ring {
    // SAFETY: the board has one core.
    unsafe { Ring::with_policy() }
}

pub const fn mpsc() -> Mpsc {
    // SAFETY: the board has one core.
    unsafe { Mpsc::with_policy() }
}

pub fn split(ring: &'static Ring) -> Result<(Tx, Rx), AlreadySplit> {
    ring.fixed().split()
}

pub fn split_mpsc(ring: &'static Mpsc) -> Result<(ManyTx, ManyRx), AlreadySplit> {
    ring.fixed().split()
}
