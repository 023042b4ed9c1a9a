//! The end that pushes.

use super::{passage, Cells, Passage, SingleCells, Slots};
use crate::held::Held;
use crate::producer::{refused, ring};
use crate::{rings, waits, Error, Fault, Kind, Peer};
use gimmal::raw::index::{self, ByIndex};
use gimmal::raw::line::{self, ByLine};
use gimmal::raw::mapped::{self, Intent};
use gimmal::raw::mpsc::{self, ByCell, ErasedSingleCells};
use gimmal::raw::{Ends, ErasedCells, ErasedSlots, Producer as _, Protocol};
use gimmal::wait::{Bell, Deadline, Notify, Wait};
use std::fmt;
use std::os::fd::OwnedFd;

/// A producer's end, by the kind of its ring.
enum Pushing {
    Index(index::Producer<Slots>),
    Line(line::Producer<Cells>),
    Mpsc(mpsc::Producer<SingleCells<Intent>>),
}

impl Pushing {
    /// The end that `held` is.
    fn new(held: &Held) -> Result<Self, Error> {
        let mapped = held.mapped();
        let (at, shape) = (mapped.ring(held.ring()), &mapped.geometry.shape);
        // SAFETY: the ring has the geometry's shape and lies in the mapping, which the handle keeps as long as the end; the lock held
        // says that no other producer exists in this place.
        unsafe {
            match mapped.geometry.kind {
                Kind::Index => {
                    let body = Slots::new(at, ErasedSlots::new(shape));
                    body.claim_producer();
                    ByIndex::recover_producer(body).map(Self::Index)
                }
                Kind::Line | Kind::Lanes => {
                    let body = Cells::new(at, ErasedCells::new(shape));
                    body.claim_producer();
                    ByLine::recover_producer(body).map(Self::Line)
                }
                Kind::Mpsc => {
                    let intent = mapped.table().intent(held.place());
                    let intent = intent.expect("the places held are the table's");
                    let body = SingleCells::<()>::new(at, ErasedSingleCells::new(shape));
                    ByCell::recover_producer(body.declaring(intent)).map(Self::Mpsc)
                }
            }
        }
        .map_err(|_| Error::Fault(Fault::Corrupt))
    }

    /// # Safety
    /// The ring's elements have as many bytes.
    #[inline(always)]
    unsafe fn push(&mut self, held: &Held, element: &[u8]) -> Result<(), Fault> {
        // SAFETY: the caller's word.
        let pushed = unsafe { each!(Self, self, end => mapped::push_bytes(end, element)) };
        pushed.map_err(|fault| refused(held, fault))
    }
}

/// A segment's [`Producer`](crate::Producer), for elements that are copied as bytes.
pub struct ErasedProducer {
    end: Pushing,
    held: Held,
    /// Whether inlined code has the end.
    is_given: bool,
}

// SAFETY: the end is this handle's alone, and the mapping is the process's.
unsafe impl Send for ErasedProducer {}

impl ErasedProducer {
    pub(crate) fn new(held: Held) -> Result<Self, Error> {
        Ok(Self {
            end: Pushing::new(&held)?,
            held,
            is_given: false,
        })
    }

    /// Bytes of an element.
    #[inline]
    pub fn element_size(&self) -> usize {
        self.held.mapped().geometry.shape.element_size()
    }

    /// Pushes an element of these bytes. Never waits, and never calls the kernel.
    ///
    /// # Errors
    /// As for [`Producer::push`](crate::Producer::push), and [`Fault::Given`].
    ///
    /// # Panics
    /// `element` is not as long as an element.
    #[inline]
    pub fn push(&mut self, element: &[u8]) -> Result<(), Fault> {
        assert_eq!(element.len(), self.element_size());
        if self.is_given {
            return Err(Fault::Given);
        }
        // SAFETY: just checked.
        unsafe { self.end.push(&self.held, element) }
    }

    /// Pushes an element, or drops and counts it if the ring is full: [`Fault::Full`] then.
    ///
    /// # Errors
    /// As for [`push`](Self::push).
    ///
    /// # Panics
    /// As for [`push`](Self::push).
    #[inline]
    pub fn offer(&mut self, element: &[u8]) -> Result<(), Fault> {
        let pushed = self.push(element);
        if pushed == Err(Fault::Full) {
            match &self.end {
                Pushing::Index(end) => ByIndex::count_dropped(end.body()),
                Pushing::Line(end) => ByLine::count_dropped(end.body()),
                Pushing::Mpsc(end) => ByCell::count_dropped(end.body()),
            }
        }
        pushed
    }

    /// Wakes a consumer that sleeps: after any pushes.
    #[inline]
    pub fn notify(&self, notify: &impl Notify) {
        ring(self.held.mapped().consumer_bell(), notify);
    }

    /// Pushes an element, and waits for room: [`Producer::push_wait_until`](crate::Producer::push_wait_until).
    ///
    /// # Errors
    /// As for that, and [`Fault::Given`].
    ///
    /// # Panics
    /// As for [`push`](Self::push).
    pub fn push_wait_until(
        &mut self,
        element: &[u8],
        strategy: &mut impl Wait,
        deadline: &mut impl Deadline,
    ) -> Result<(), Fault> {
        assert_eq!(element.len(), self.element_size());
        if self.is_given {
            return Err(Fault::Given);
        }
        let (end, held) = (&mut self.end, &self.held);
        // SAFETY: just checked.
        waits::for_room(held, strategy, deadline, || unsafe {
            end.push(held, element)
        })
    }

    /// Says that this process runs.
    pub fn beat(&self) {
        self.held.beat();
    }

    /// Which of the producers' places this is, from 0; with lanes, the lane.
    pub fn place(&self) -> usize {
        self.held.place()
    }

    /// How the consumer fares.
    pub fn peer(&self) -> Peer {
        self.held.consumer()
    }

    /// Why nothing more can be pushed, if the segment is closed or superseded.
    pub fn fault(&self) -> Option<Fault> {
        let is_closed = each!(Pushing, &self.end, end => Ends::is_closed(end.body()));
        is_closed.then(|| self.held.why_closed())
    }

    /// Closes the segment, and wakes whoever sleeps.
    pub fn close(&mut self) {
        rings::close(self.held.mapped());
    }

    /// Elements in this producer's ring: a snapshot.
    pub fn len(&self) -> usize {
        each!(Pushing, &self.end, end => end.stored())
    }

    /// Whether this producer's ring holds nothing: a snapshot.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that a ring holds for certain.
    pub fn capacity(&self) -> usize {
        self.held.mapped().geometry.shape.capacity()
    }

    /// Elements that [`offer`](Self::offer) has dropped in this ring, wrapping.
    pub fn dropped(&self) -> usize {
        each!(Pushing, &self.end, end => end.body().dropped())
    }

    /// How often a segment of this name was made.
    pub fn epoch(&self) -> u64 {
        self.held.mapped().fields.epoch
    }

    /// The bell behind which this end sleeps, and the consumer's.
    pub fn bells(&self) -> (Bell<'_>, Bell<'_>) {
        let mapped = self.held.mapped();
        (
            mapped.producer_bell(self.held.ring()),
            mapped.consumer_bell(),
        )
    }

    /// For inlined code, which takes the end over: from then on this handle pushes nothing, [`Fault::Given`]. `None` with many producers in one ring,
    /// whose claims must be declared.
    ///
    /// # Errors
    /// [`Fault::Given`] if inlined code has the end already.
    pub fn passage(&mut self) -> Result<Option<Passage>, Fault> {
        let place = match &self.end {
            _ if self.is_given => return Err(Fault::Given),
            Pushing::Index(end) => end.place(),
            Pushing::Line(end) => end.place(),
            Pushing::Mpsc(_) => return Ok(None),
        };
        self.is_given = true;
        Ok(Some(passage(&self.held, self.held.ring(), place)))
    }

    /// A descriptor that leads another process to this segment: [`Producer::share`](crate::Producer::share).
    ///
    /// # Errors
    /// The process has too many open.
    pub fn share(&self) -> std::io::Result<OwnedFd> {
        self.held.probe().try_clone()
    }
}

impl Drop for ErasedProducer {
    fn drop(&mut self) {
        if self.held.is_own() {
            match &self.end {
                Pushing::Index(end) => end.body().give_up_producer(),
                Pushing::Line(end) => end.body().give_up_producer(),
                Pushing::Mpsc(_) => {}
            }
        }
    }
}

impl fmt::Debug for ErasedProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErasedProducer")
            .field("kind", &self.held.mapped().geometry.kind)
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}
