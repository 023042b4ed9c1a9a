//! The end that pops.

use super::{passage, Cells, Passage, SingleCells, Slots};
use crate::held::Held;
use crate::producer::ring;
use crate::turns::Turns;
use crate::{rings, waits, Error, Fault, Kind, Peer};
use gimmal::raw::index::{self, ByIndex};
use gimmal::raw::line::{self, ByLine};
use gimmal::raw::mapped;
use gimmal::raw::mpsc::{self, ByCell, ErasedSingleCells};
use gimmal::raw::{Consumer as _, Ends, ErasedCells, ErasedSlots, Protocol};
use gimmal::wait::{Bell, Deadline, Notify, Wait};
use std::fmt;
use std::os::fd::OwnedFd;

/// A consumer's end, by the kind of its ring.
enum Popping {
    Index(index::Consumer<Slots>),
    Line(line::Consumer<Cells>),
    Mpsc(mpsc::Consumer<SingleCells>),
}

impl Popping {
    fn new(held: &Held, number: usize) -> Result<Self, Error> {
        let mapped = held.mapped();
        let (at, shape) = (mapped.ring(number), &mapped.geometry.shape);
        // SAFETY: as in `Pushing::new`, for the one consumer.
        unsafe {
            match mapped.geometry.kind {
                Kind::Index => {
                    let body = Slots::new(at, ErasedSlots::new(shape));
                    body.claim_consumer();
                    ByIndex::recover_consumer(body).map(Self::Index)
                }
                Kind::Line | Kind::Lanes => {
                    let body = Cells::new(at, ErasedCells::new(shape));
                    body.claim_consumer();
                    ByLine::recover_consumer(body).map(Self::Line)
                }
                Kind::Mpsc => {
                    let body = SingleCells::<()>::new(at, ErasedSingleCells::new(shape));
                    body.claim_consumer();
                    ByCell::recover_consumer(body).map(Self::Mpsc)
                }
            }
        }
        .map_err(|_| Error::Fault(Fault::Corrupt))
    }
}

/// A segment's [`Consumer`](crate::Consumer), for elements that are copied as bytes.
pub struct ErasedConsumer {
    ends: Turns<Popping>,
    held: Held,
    /// Whether inlined code has the end.
    is_given: bool,
}

// SAFETY: the ends are this handle's alone, and the mapping is the process's.
unsafe impl Send for ErasedConsumer {}

impl ErasedConsumer {
    pub(crate) fn new(held: Held) -> Result<Self, Error> {
        let rings = 0..held.mapped().geometry.rings();
        let ends = rings.map(|ring| Popping::new(&held, ring));
        Ok(Self {
            ends: Turns::new(ends.collect::<Result<_, _>>()?),
            held,
            is_given: false,
        })
    }

    /// Bytes of an element.
    #[inline]
    pub fn element_size(&self) -> usize {
        self.held.mapped().geometry.shape.element_size()
    }

    /// Takes the oldest element's bytes; false, and `element` as it was, if there is none now. Never waits, and never calls the kernel.
    ///
    /// # Errors
    /// As for [`Consumer::pop`](crate::Consumer::pop), and [`Fault::Given`].
    ///
    /// # Panics
    /// `element` is not as long as an element.
    #[inline]
    pub fn pop(&mut self, element: &mut [u8]) -> Result<bool, Fault> {
        assert_eq!(element.len(), self.element_size());
        if self.is_given {
            return Err(Fault::Given);
        }
        // SAFETY: just checked.
        unsafe { pop(&mut self.ends, &self.held, element) }.map(|found| found.is_some())
    }

    /// Wakes a producer that waits for room: after any pops. With lanes, that of the lane popped last.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        ring(self.held.mapped().producer_bell(self.ends.last()), notify);
    }

    /// Takes the oldest element's bytes, and waits for one: [`Consumer::pop_wait_until`](crate::Consumer::pop_wait_until).
    ///
    /// # Errors
    /// As for that, and [`Fault::Given`].
    ///
    /// # Panics
    /// As for [`pop`](Self::pop).
    pub fn pop_wait_until(
        &mut self,
        element: &mut [u8],
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<(), Fault> {
        assert_eq!(element.len(), self.element_size());
        if self.is_given {
            return Err(Fault::Given);
        }
        let held = &self.held;
        waits::for_element(
            &mut self.ends,
            held,
            strategy,
            deadline,
            // SAFETY: just checked.
            |ends| unsafe { pop(ends, held, element) },
            |ends| {
                skip_dead(ends, held);
            },
        )
    }

    /// Gives up what producers of one ring were pushing when they died: [`Consumer::skip_dead`](crate::Consumer::skip_dead).
    pub fn skip_dead(&mut self) -> usize {
        skip_dead(&mut self.ends, &self.held)
    }

    /// Says how this end will sleep while it waits.
    pub fn declare(&self, strategy: &mut impl Wait) {
        strategy.declare(self.held.mapped().consumer_bell());
    }

    /// Says that this process runs.
    pub fn beat(&self) {
        self.held.beat();
    }

    /// How the producer fares; with many, the one that fares best.
    pub fn peer(&self) -> Peer {
        self.held.any_producer()
    }

    /// Why nothing more will come once the segment is empty, if it is closed or superseded.
    pub fn fault(&self) -> Option<Fault> {
        let is_closed = |end: &Popping| each!(Popping, end, end => end.is_closed());
        let are_closed = self.ends.iter().all(is_closed);
        are_closed.then(|| self.held.why_closed())
    }

    /// Closes the segment, and wakes whoever sleeps.
    pub fn close(&mut self) {
        rings::close(self.held.mapped());
    }

    /// Elements in the segment: a snapshot.
    pub fn len(&self) -> usize {
        let stored = |end: &Popping| each!(Popping, end, end => end.stored());
        self.ends.iter().map(stored).sum()
    }

    /// Whether the segment holds nothing: a snapshot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that each ring holds for certain.
    pub fn capacity(&self) -> usize {
        self.held.mapped().geometry.shape.capacity()
    }

    /// Elements that the producers' `offer` has dropped, wrapping.
    pub fn dropped(&self) -> usize {
        let dropped = |end: &Popping| each!(Popping, end, end => end.body().dropped());
        self.ends.iter().map(dropped).fold(0, usize::wrapping_add)
    }

    /// How often a segment of this name was made.
    pub fn epoch(&self) -> u64 {
        self.held.mapped().fields.epoch
    }

    /// The bell behind which this end sleeps, and the producer's; with lanes, that of the lane popped last.
    pub fn bells(&self) -> (Bell<'_>, Bell<'_>) {
        let mapped = self.held.mapped();
        (
            mapped.consumer_bell(),
            mapped.producer_bell(self.ends.last()),
        )
    }

    /// For inlined code, which takes the end over: from then on this handle pops nothing, [`Fault::Given`]. `None` for a segment of many producers.
    ///
    /// # Errors
    /// [`Fault::Given`] if inlined code has the end already.
    pub fn passage(&mut self) -> Result<Option<Passage>, Fault> {
        if self.held.mapped().geometry.kind.has_many_producers() {
            return Ok(None);
        }
        let place = match self.ends.iter().next() {
            _ if self.is_given => return Err(Fault::Given),
            Some(Popping::Index(end)) => end.place(),
            Some(Popping::Line(end)) => end.place(),
            Some(Popping::Mpsc(_)) | None => return Ok(None),
        };
        self.is_given = true;
        Ok(Some(passage(&self.held, 0, place)))
    }

    /// A descriptor that leads another process to this segment: [`Consumer::share`](crate::Consumer::share).
    ///
    /// # Errors
    /// The process has too many open.
    pub fn share(&self) -> std::io::Result<OwnedFd> {
        self.held.probe().try_clone()
    }
}

/// # Safety
/// The rings' elements have as many bytes.
#[inline(always)]
unsafe fn pop(
    ends: &mut Turns<Popping>,
    held: &Held,
    element: &mut [u8],
) -> Result<Option<()>, Fault> {
    let mut take = |ends: &mut Turns<Popping>| {
        ends.find(|end| {
            // SAFETY: the caller's word.
            let popped = unsafe { each!(Popping, end, end => mapped::pop_bytes(end, element)) };
            popped.map(|is_there| is_there.then_some(()))
        })
        .map_err(|_| Fault::Corrupt)
    };
    if let Some(()) = take(ends)? {
        return Ok(Some(()));
    }
    let is_closed = |end: &Popping| each!(Popping, end, end => end.is_closed());
    if !ends.iter().all(is_closed) {
        return Ok(None);
    }
    // Closed, and only then found empty: nothing is left.
    match take(ends)? {
        Some(()) => Ok(Some(())),
        None => Err(held.why_closed()),
    }
}

fn skip_dead(ends: &mut Turns<Popping>, held: &Held) -> usize {
    let table = held.mapped().table();
    let mut skipped = 0;
    for end in ends.iter_mut() {
        let Popping::Mpsc(end) = end else { continue };
        // A lap at most: a hostile producer could make more of them for ever.
        for _ in 0..end.capacity() {
            if !table.skip_dead(end, |place| held.is_alive(place)) {
                break;
            }
            skipped += 1;
        }
    }
    skipped
}

impl Drop for ErasedConsumer {
    fn drop(&mut self) {
        if self.held.is_own() {
            let give_up = |end: &Popping| each!(Popping, end, end => end.body().give_up_consumer());
            self.ends.iter().for_each(give_up);
        }
    }
}

impl fmt::Debug for ErasedConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErasedConsumer")
            .field("kind", &self.held.mapped().geometry.kind)
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}
