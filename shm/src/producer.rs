//! The end that pushes.

use crate::held::Held;
use crate::kinds::{KindOf, Line, PushingEnd};
use crate::{waits, Element, Error, Fault, Kind, Peer};
use gimmal::raw::{self, mapped, Ends, Producer as _, Protocol};
use gimmal::wait::{Bell, Deadline, Never, Notify, Wait};
use std::fmt;
use std::marker::PhantomData;
use std::os::fd::OwnedFd;

/// A segment's producer, or one of its producers.
///
/// Its place is free as soon as it is dropped, and when its process ends in whatever way. May be sent to another thread.
pub struct Producer<T: Element, K: KindOf = Line> {
    end: PushingEnd<T, K>,
    held: Held,
    element: PhantomData<fn(T)>,
}

// SAFETY: the end is this handle's alone, and the mapping is the process's.
unsafe impl<T: Element, K: KindOf> Send for Producer<T, K> {}

impl<T: Element, K: KindOf> Producer<T, K> {
    pub(crate) fn new(held: Held) -> Result<Self, Error> {
        // SAFETY: the held segment was found to be of this kind and to hold `T`; the handle keeps it as long as the end.
        let body = unsafe { held.pushed::<T, K>() };
        if K::KIND != Kind::Mpsc {
            // For ends that do not look at locks. It may be set still: the lock decides.
            body.claim_producer();
        }
        // SAFETY: the lock held says that no other producer exists in this place.
        let end = unsafe { K::Protocol::<T>::recover_producer(body) }
            .map_err(|_| Error::Fault(Fault::Corrupt))?;
        Ok(Self {
            end,
            held,
            element: PhantomData,
        })
    }

    /// Pushes a copy of `value`. Never waits, and never calls the kernel.
    ///
    /// ```
    /// use gimmal_shm::Segment;
    ///
    /// let mut tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// let mut rx = Segment::passed(tx.share()?).line(64).consumer::<u64>()?;
    /// tx.push(7)?;
    /// assert_eq!(rx.pop()?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault::Full`], [`Fault::Closed`], [`Fault::Superseded`], [`Fault::Corrupt`]; nothing was pushed.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), Fault> {
        push(&mut self.end, &self.held, value)
    }

    /// Pushes a copy of `value`, or drops and counts it if the ring is full; whether it was pushed. One that is closed, superseded or corrupt
    /// counts nothing.
    ///
    /// ```
    /// use gimmal_shm::Segment;
    ///
    /// let mut tx = Segment::anonymous().index(1).producer::<u64>()?;
    /// assert!(tx.offer(1));
    /// assert!(!tx.offer(2));
    /// assert_eq!((tx.dropped(), tx.len(), tx.capacity()), (1, 1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn offer(&mut self, value: T) -> bool {
        match self.push(value) {
            Ok(()) => true,
            Err(Fault::Full) => {
                K::Protocol::<T>::count_dropped(self.end.body());
                false
            }
            Err(_) => false,
        }
    }

    /// Pushes a copy of `value`, and wakes a consumer that sleeps. `notify` is a [`Park::shared`](gimmal::wait::Park::shared).
    ///
    /// ```
    /// use gimmal::wait::Park;
    /// use gimmal_shm::Segment;
    ///
    /// let mut tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// let mut rx = Segment::passed(tx.share()?).line(64).consumer::<u64>()?;
    /// let consumer = std::thread::spawn(move || rx.pop_wait(&mut Park::shared()));
    /// tx.push_notify(7, &Park::shared())?;
    /// assert_eq!(consumer.join().unwrap()?, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    #[inline]
    pub fn push_notify(&mut self, value: T, notify: &impl Notify) -> Result<(), Fault> {
        self.push(value)?;
        self.notify(notify);
        Ok(())
    }

    /// Wakes a consumer that sleeps: after any pushes.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        ring(self.held.mapped().consumer_bell(), notify);
    }

    /// Pushes a copy of `value`, and waits for room as `strategy` does. Every 50 ms it looks whether the consumer lives, and says that this end
    /// does.
    ///
    /// # Errors
    /// As for [`push`](Self::push), and [`Fault::PeerDied`] in place of `Full`.
    pub fn push_wait(&mut self, value: T, strategy: &mut impl Wait) -> Result<(), Fault> {
        self.push_wait_until(value, strategy, &mut Never)
    }

    /// As [`push_wait`](Self::push_wait), until a deadline.
    ///
    /// # Errors
    /// As for `push_wait`, and [`Fault::TimedOut`].
    pub fn push_wait_until(
        &mut self,
        value: T,
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<(), Fault> {
        let (end, held) = (&mut self.end, &self.held);
        waits::for_room(held, strategy, deadline, || push(end, held, value))
    }

    /// Says how this end will sleep while it waits; see [`Wait::declare`].
    pub fn declare(&self, strategy: &mut impl Wait) {
        strategy.declare(self.held.mapped().producer_bell(self.held.ring()));
    }

    /// Says that this process runs: for those who look at the segment. Claiming the end and waiting say it too, and a push does not, so one that only
    /// pushes seems older and older; whether it lives its lock says.
    pub fn beat(&self) {
        self.held.beat();
    }

    /// Which of the producers' places this is, from 0; with lanes, the lane.
    pub fn place(&self) -> usize {
        self.held.place()
    }

    /// How the consumer fares.
    ///
    /// ```
    /// use gimmal_shm::{Peer, Segment};
    ///
    /// let tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// assert_eq!(tx.peer(), Peer::Absent);
    /// let rx = Segment::passed(tx.share()?).line(64).consumer::<u64>()?;
    /// assert!(tx.peer().is_alive());
    /// # drop(rx);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn peer(&self) -> Peer {
        self.held.consumer()
    }

    /// Why nothing more can be pushed, if the segment is closed or superseded. One that an earlier run has left closed is so from the start.
    ///
    /// ```
    /// use gimmal_shm::{Fault, Segment};
    /// # let name = &format!("doc-fault-{}", std::process::id());
    ///
    /// let segment = || Segment::named(name).line(64);
    /// segment().producer::<u64>()?.close(); // an earlier run
    /// let mut tx = segment().producer::<u64>()?;
    /// if tx.fault() == Some(Fault::Closed) {
    ///     drop(tx);
    ///     tx = segment().replace().producer::<u64>()?;
    /// }
    /// assert_eq!(tx.push(7), Ok(()));
    /// # drop(tx);
    /// # Segment::named(name).remove()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fault(&self) -> Option<Fault> {
        self.end.body().is_closed().then(|| self.held.why_closed())
    }

    /// Closes the segment: nothing more can be pushed, by other producers either. What is in it can still be popped. Whoever sleeps
    /// is woken.
    ///
    /// ```
    /// use gimmal_shm::Fault;
    /// use gimmal_shm::Segment;
    ///
    /// let mut tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// let mut rx = Segment::passed(tx.share()?).line(64).consumer::<u64>()?;
    /// tx.push(7)?;
    /// tx.close();
    /// assert_eq!(tx.push(8), Err(Fault::Closed));
    /// assert_eq!(rx.pop()?, Some(7)); // what is left
    /// assert_eq!(rx.pop(), Err(Fault::Closed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&mut self) {
        crate::rings::close(self.held.mapped());
    }

    /// Elements in this producer's ring, 0 to what it can hold: a snapshot.
    pub fn len(&self) -> usize {
        self.end.stored()
    }

    /// Whether this producer's ring holds nothing: a snapshot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that a ring holds for certain.
    pub fn capacity(&self) -> usize {
        self.end.capacity()
    }

    /// Elements that [`offer`](Self::offer) has dropped since the segment was made, by this ring's producers, wrapping.
    pub fn dropped(&self) -> usize {
        self.end.body().dropped()
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

#[inline(always)]
fn push<T: Element, E>(end: &mut E, held: &Held, value: T) -> Result<(), Fault>
where
    E: raw::Producer<Body: raw::Body<Slot = mapped::Place> + mapped::Doubt>,
{
    // SAFETY: the segment was found to hold `T`, which `IntoBytes` says has no padding.
    unsafe { mapped::push(end, value) }.map_err(|fault| refused(held, fault))
}

/// Why a segment's ring refused a push.
#[inline(always)]
pub(crate) fn refused(held: &Held, fault: mapped::Fault) -> Fault {
    match fault {
        mapped::Fault::Full => Fault::Full,
        mapped::Fault::Closed => held.why_closed(),
        mapped::Fault::Corrupt => Fault::Corrupt,
    }
}

#[inline(always)]
pub(crate) fn ring(bell: Bell<'_>, notify: &impl Notify) {
    bell.ring(notify.is_reached(), || notify.wake(bell));
}

impl<T: Element, K: KindOf> Drop for Producer<T, K> {
    fn drop(&mut self) {
        if K::KIND != Kind::Mpsc && self.held.is_own() {
            self.end.body().give_up_producer();
        }
    }
}

impl<T: Element, K: KindOf> fmt::Debug for Producer<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer")
            .field("kind", &K::KIND)
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}
