//! The control: ends by index that publish before they write, and hand back before they read. What they lose must be seen.

use crate::stream::Message;
use gimmal::policy::Shared;
use gimmal::raw::{index, Consumer, Ends, FixedSlots, Memory, Producer, Refused};
use gimmal::{mpsc, AlreadySplit};

pub type Ring = gimmal::Ring<Message, 8>;
pub type Mpsc = gimmal::Mpsc<Message, 8>;
type Body = Memory<FixedSlots<Message, 8>, Shared>;
pub type ManyTx = mpsc::Producer<'static, Message>;
pub type ManyRx = mpsc::Consumer<'static, Message>;

pub struct Tx(index::Producer<Body>);
pub struct Rx(index::Consumer<Body>);

// SAFETY: the ring is static.
unsafe impl Send for Tx {}
// SAFETY: as above.
unsafe impl Send for Rx {}

impl Tx {
    pub fn push(&mut self, message: Message) -> Result<(), Refused> {
        let slot = self.0.claim()?.cast();
        // SAFETY: wrong on purpose: once it is published, the slot is the consumer's.
        unsafe {
            self.0.publish();
            slot.write_volatile(message);
        }
        Ok(())
    }

    pub fn close(&mut self) {
        self.0.body().close();
    }
}

impl Rx {
    pub fn pop(&mut self) -> Option<Message> {
        let slot = self.0.front()?.cast();
        // SAFETY: wrong on purpose: once it is released, the slot is the producer's.
        unsafe {
            self.0.release();
            Some(slot.read_volatile())
        }
    }

    pub fn close(&mut self) {
        self.0.body().close();
    }
}

pub const fn ring() -> Ring {
    Ring::new()
}

pub const fn mpsc() -> Mpsc {
    Mpsc::new()
}

pub fn split(ring: &'static Ring) -> Result<(Tx, Rx), AlreadySplit> {
    // SAFETY: a static ring of this geometry, split once, as the caller sees to.
    unsafe {
        let body = Body::new(ring.view().publish(), FixedSlots::new());
        Ok((
            Tx(index::Producer::enter(body)),
            Rx(index::Consumer::enter(body)),
        ))
    }
}

pub fn split_mpsc(ring: &'static Mpsc) -> Result<(ManyTx, ManyRx), AlreadySplit> {
    ring.split()
}
