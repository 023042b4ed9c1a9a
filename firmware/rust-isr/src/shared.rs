//! The rings as anybody has them.

use crate::stream::Message;
use gimmal::{mpsc, ring, AlreadySplit};

pub type Ring = gimmal::Ring<Message, 8>;
pub type Mpsc = gimmal::Mpsc<Message, 8>;
pub type Tx = ring::Producer<'static, Message>;
pub type Rx = ring::Consumer<'static, Message>;
pub type ManyTx = mpsc::Producer<'static, Message>;
pub type ManyRx = mpsc::Consumer<'static, Message>;

pub const fn ring() -> Ring {
    Ring::new()
}

pub const fn mpsc() -> Mpsc {
    Mpsc::new()
}

pub fn split(ring: &'static Ring) -> Result<(Tx, Rx), AlreadySplit> {
    ring.split()
}

pub fn split_mpsc(ring: &'static Mpsc) -> Result<(ManyTx, ManyRx), AlreadySplit> {
    ring.split()
}
