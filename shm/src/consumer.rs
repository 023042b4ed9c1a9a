//! The end that pops.

use crate::held::Held;
use crate::kinds::{KindOf, Line, PoppingEnd};
use crate::producer::ring;
use crate::turns::Turns;
use crate::{waits, Element, Error, Fault, Peer};
use gimmal::raw::{self, mapped, Consumer as _, Ends, Protocol};
use gimmal::wait::{Deadline, Never, Notify, Wait};
use std::fmt;
use std::marker::PhantomData;
use std::os::fd::OwnedFd;

/// A segment's consumer.
///
/// Its place is free as soon as it is dropped, and when its process ends in whatever way. May be sent to another thread.
pub struct Consumer<T: Element, K: KindOf = Line> {
    ends: Turns<PoppingEnd<T, K>>,
    held: Held,
    element: PhantomData<fn() -> T>,
}

// SAFETY: the ends are this handle's alone, and the mapping is the process's.
unsafe impl<T: Element, K: KindOf> Send for Consumer<T, K> {}

impl<T: Element, K: KindOf> Consumer<T, K> {
    pub(crate) fn new(held: Held) -> Result<Self, Error> {
        let mut ends = Vec::with_capacity(held.mapped().geometry.rings());
        for ring in 0..held.mapped().geometry.rings() {
            // SAFETY: the held segment was found to be of this kind and to hold `T`; the handle keeps it as long as the ends.
            let body = unsafe { held.popped::<T, K>(ring) };
            // For ends that do not look at locks. It may be set still: the lock decides.
            body.claim_consumer();
            // SAFETY: the lock held says that no other consumer exists.
            let end = unsafe { K::Protocol::<T>::recover_consumer(body) };
            ends.push(end.map_err(|_| Error::Fault(Fault::Corrupt))?);
        }
        Ok(Self {
            ends: Turns::new(ends),
            held,
            element: PhantomData,
        })
    }

    /// Takes the oldest element; `None` if there is none now. With lanes, the oldest of the next lane that has any. Never waits, and never calls
    /// the kernel.
    ///
    /// ```
    /// use gimmal_shm::Segment;
    ///
    /// let mut tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// let mut rx = Segment::passed(tx.share()?).line(64).consumer::<u64>()?;
    /// assert_eq!(rx.pop()?, None);
    /// tx.push(7)?;
    /// assert_eq!(rx.pop()?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault::Closed`] if the segment is closed and empty, [`Fault::Superseded`] if it was replaced and is empty, [`Fault::Corrupt`].
    #[inline]
    pub fn pop(&mut self) -> Result<Option<T>, Fault> {
        pop(&mut self.ends, &self.held)
    }

    /// Takes the oldest element, and wakes a producer that waits for room.
    ///
    /// # Errors
    /// As for [`pop`](Self::pop).
    #[inline]
    pub fn pop_notify(&mut self, notify: &impl Notify) -> Result<Option<T>, Fault> {
        let value = self.pop()?;
        if value.is_some() {
            self.notify(notify);
        }
        Ok(value)
    }

    /// Wakes a producer that waits for room: after any pops. With lanes, that of the lane popped last.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        ring(self.held.mapped().producer_bell(self.ends.last()), notify);
    }

    /// Takes the oldest element, and waits for one as `strategy` does. Every 50 ms it looks whether a producer lives, and says that this end does.
    ///
    /// ```
    /// use gimmal::wait::Park;
    /// use gimmal_shm::{Fault, Segment};
    ///
    /// let mut tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// let mut rx = Segment::passed(tx.share()?).line(64).consumer::<u64>()?;
    /// tx.push(7)?;
    /// tx.close();
    /// let mut park = Park::shared();
    /// assert_eq!(rx.pop_wait(&mut park), Ok(7));
    /// assert_eq!(rx.pop_wait(&mut park), Err(Fault::Closed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`pop`](Self::pop), and [`Fault::PeerDied`] if a producer died, none lives, and nothing is left. If none has come yet, or all have
    /// given their ends back, the wait goes on.
    pub fn pop_wait(&mut self, strategy: &mut impl Wait) -> Result<T, Fault> {
        self.pop_wait_until(strategy, &mut Never)
    }

    /// As [`pop_wait`](Self::pop_wait), until a deadline.
    ///
    /// # Errors
    /// As for `pop_wait`, and [`Fault::TimedOut`].
    pub fn pop_wait_until(
        &mut self,
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<T, Fault> {
        let held = &self.held;
        waits::for_element(
            &mut self.ends,
            held,
            strategy,
            deadline,
            |ends| pop(ends, held),
            |ends| {
                skip_dead::<T, K>(ends, held);
            },
        )
    }

    /// With many producers in one ring: gives up the elements that producers were pushing when they died, where they are in the way of what lies
    /// behind them; how many. Waiting does it too; who only polls must call it when nothing has come for a while. It asks the kernel who lives.
    pub fn skip_dead(&mut self) -> usize {
        skip_dead::<T, K>(&mut self.ends, &self.held)
    }

    /// Says how this end will sleep while it waits, so that notifying pushes cost less from the first on; see [`Wait::declare`].
    pub fn declare(&self, strategy: &mut impl Wait) {
        strategy.declare(self.held.mapped().consumer_bell());
    }

    /// Says that this process runs: for those who look at the segment. Claiming the end and waiting say it too; a pop does not.
    pub fn beat(&self) {
        self.held.beat();
    }

    /// How the producer fares; with many producers, the one that fares best.
    pub fn peer(&self) -> Peer {
        self.held.any_producer()
    }

    /// How each producer fares, as many as there may be.
    pub fn peers(&self) -> impl Iterator<Item = Peer> + '_ {
        self.held
            .producers()
            .map(|producer| self.held.peer(producer))
    }

    /// Closes the segment: nothing more can be pushed. What is in it can still be popped, and what is being pushed just now may come or not.
    /// Whoever sleeps is woken.
    pub fn close(&mut self) {
        crate::rings::close(self.held.mapped());
    }

    /// Elements in the segment: a snapshot.
    pub fn len(&self) -> usize {
        self.ends.iter().map(|end| end.stored()).sum()
    }

    /// Whether the segment holds nothing: a snapshot.
    pub fn is_empty(&self) -> bool {
        self.ends.iter().all(|end| end.is_empty())
    }

    /// The elements that each ring holds for certain: with lanes one producer's.
    pub fn capacity(&self) -> usize {
        self.ends.iter().next().map_or(0, |end| end.capacity())
    }

    /// Elements that the producers' `offer` has dropped since the segment was made, wrapping.
    pub fn dropped(&self) -> usize {
        let counts = self.ends.iter().map(|end| end.body().dropped());
        counts.fold(0, usize::wrapping_add)
    }

    /// How often a segment of this name was made, one in place of another.
    pub fn epoch(&self) -> u64 {
        self.held.mapped().fields.epoch
    }

    /// Whether the segment's name still leads to it.
    pub fn is_current(&self) -> bool {
        self.held.is_current()
    }

    /// A descriptor that leads another process to this segment, for one without a name: see [`Segment::passed`](crate::Segment::passed), which
    /// refuses those of named segments, since they can be truncated. It holds no lock.
    ///
    /// # Errors
    /// The process has too many open.
    pub fn share(&self) -> std::io::Result<OwnedFd> {
        self.held.probe().try_clone()
    }
}

fn skip_dead<T: Element, K: KindOf>(ends: &mut Turns<PoppingEnd<T, K>>, held: &Held) -> usize {
    let table = held.mapped().table();
    let mut skipped = 0;
    for end in ends.iter_mut() {
        // A lap at most: a hostile producer could make more of them for ever.
        for _ in 0..end.capacity() {
            if !K::skip_dead(&table, end, |place| held.is_alive(place)) {
                break;
            }
            skipped += 1;
        }
    }
    skipped
}

#[inline(always)]
fn pop<T: Element, E>(ends: &mut Turns<E>, held: &Held) -> Result<Option<T>, Fault>
where
    E: raw::Consumer<Body: raw::Body<Slot = mapped::Place> + mapped::Doubt>,
{
    if let Some(value) = take(ends)? {
        return Ok(Some(value));
    }
    if !ends.iter().all(raw::Consumer::is_closed) {
        return Ok(None);
    }
    // Closed, and only then found empty: nothing is left.
    match take(ends)? {
        Some(value) => Ok(Some(value)),
        None => Err(held.why_closed()),
    }
}

#[inline(always)]
fn take<T: Element, E>(ends: &mut Turns<E>) -> Result<Option<T>, Fault>
where
    E: raw::Consumer<Body: raw::Body<Slot = mapped::Place> + mapped::Doubt>,
{
    // SAFETY: the segment was found to hold `T`, which `FromBytes` says is valid whatever its bytes are.
    ends.find(|end| unsafe { mapped::pop(end) })
        .map_err(|_| Fault::Corrupt)
}

impl<T: Element, K: KindOf> Drop for Consumer<T, K> {
    fn drop(&mut self) {
        if self.held.is_own() {
            self.ends
                .iter()
                .for_each(|end| end.body().give_up_consumer());
        }
    }
}

impl<T: Element, K: KindOf> fmt::Debug for Consumer<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer")
            .field("kind", &K::KIND)
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}
