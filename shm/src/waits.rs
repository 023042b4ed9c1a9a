//! Waiting at an end: in slices, between which it looks whether its peer lives and says that it does.

use crate::held::Held;
use crate::slices::Slice;
use crate::{Fault, Peer};
use gimmal::wait::{Deadline, Wait};

/// Polls until a push is done or refused for another reason than want of room.
pub(crate) fn for_room(
    held: &Held,
    strategy: &mut impl Wait,
    deadline: &mut impl Deadline,
    mut push: impl FnMut() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut poll = || match push() {
        Err(Fault::Full) => None,
        done => Some(done),
    };
    if let Some(done) = poll() {
        return done;
    }
    loop {
        held.beat();
        let bell = held.mapped().producer_bell(held.ring());
        let mut slice = Slice::new(deadline);
        if let Some(done) = strategy.wait(bell, &mut slice, &mut poll) {
            return done;
        }
        if slice.ends_the_wait() {
            return Err(Fault::TimedOut);
        }
        if held.consumer() == Peer::Dead {
            return poll().unwrap_or(Err(Fault::PeerDied));
        }
    }
}

/// Polls until a pop gives something or fails; `skip_dead` clears dead producers' cells out of the way.
pub(crate) fn for_element<E, V>(
    ends: &mut E,
    held: &Held,
    strategy: &mut impl Wait,
    deadline: &mut impl Deadline,
    mut pop: impl FnMut(&mut E) -> Result<Option<V>, Fault>,
    mut skip_dead: impl FnMut(&mut E),
) -> Result<V, Fault> {
    if let Some(done) = pop(ends).transpose() {
        return done;
    }
    loop {
        held.beat();
        let bell = held.mapped().consumer_bell();
        let mut slice = Slice::new(deadline);
        if let Some(done) = strategy.wait(bell, &mut slice, || pop(ends).transpose()) {
            return done;
        }
        let is_last = slice.ends_the_wait();
        // Before the look at what is left: a dead producer may have pushed, or be in the way.
        let is_dead = held.any_producer() == Peer::Dead;
        skip_dead(ends);
        if let Some(done) = pop(ends).transpose() {
            return done;
        }
        if is_last {
            return Err(Fault::TimedOut);
        }
        if is_dead {
            return Err(Fault::PeerDied);
        }
    }
}
