//! Where a segment is and what it is to be: how an end begins.

use crate::claim::{self, Opening, Wanted};
use crate::error::End;
use crate::geometry::Geometry;
use crate::held::Held;
use crate::kinds::{Index, KindOf, Lanes, Line, Mpsc};
use crate::mapping::Memory;
use crate::name::{Name, DIRECTORY};
use crate::{Consumer, Element, ErasedConsumer, ErasedProducer, Error, Inspection, Producer};
use gimmal::shape::ShapeError;
use std::alloc::Layout;
use std::fmt;
use std::marker::PhantomData;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// A segment, as one end of it describes it before it attaches or creates.
///
/// ```
/// use gimmal_shm::Segment;
/// # let name = &format!("doc-segment-{}", std::process::id());
///
/// let mut tx = Segment::named(name).line(1024).producer::<u64>()?;
/// let mut rx = Segment::named(name).line(1024).consumer::<u64>()?;
/// tx.push(7)?;
/// assert_eq!(rx.pop()?, Some(7));
/// # drop((tx, rx));
/// # Segment::named(name).remove()?;
/// # Ok::<(), gimmal_shm::Error>(())
/// ```
///
/// Whoever comes first creates the segment, in `/dev/shm`, with room for all of it; the other attaches. An end whose holder died is
/// taken over by the next who asks for it, with nothing lost that was pushed. A segment whose kind is given without a capacity
/// ([`kind`](Self::kind)) is attached to only.
pub struct Segment<K = Line> {
    place: Place,
    capacity: Option<usize>,
    producers: usize,
    opening: Opening,
    type_tag: u64,
    mode: u32,
    memory: Memory,
    trusted: Vec<u32>,
    kind: PhantomData<K>,
}

enum Place {
    Named { directory: PathBuf, name: String },
    Anonymous,
    Passed(OwnedFd),
}

impl Segment {
    /// The segment of this name: 1 to 240 letters, digits, `-`, `_` and `.`, the first no `.`.
    ///
    /// ```
    /// use gimmal_shm::{Error, Segment};
    ///
    /// let refused = Segment::named("no/slash").line(64).producer::<u64>();
    /// assert!(matches!(refused, Err(Error::Name(_))));
    /// ```
    pub fn named(name: &str) -> Self {
        Self::at(Place::Named {
            directory: DIRECTORY.into(),
            name: name.into(),
        })
    }

    /// A new segment without a name. Its descriptor ([`Producer::share`], [`Consumer::share`]) leads another process to it.
    ///
    /// ```
    /// use gimmal_shm::Segment;
    ///
    /// let mut tx = Segment::anonymous().line(64).producer::<u64>()?;
    /// let descriptor = tx.share()?; // to be inherited, or sent through a socket
    /// let mut rx = Segment::passed(descriptor).line(64).consumer::<u64>()?;
    /// tx.push(7)?;
    /// assert_eq!(rx.pop()?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn anonymous() -> Self {
        Self::at(Place::Anonymous)
    }

    /// The segment behind a descriptor that [`Producer::share`] or [`Consumer::share`] gave, in whichever process.
    pub fn passed(descriptor: OwnedFd) -> Self {
        Self::at(Place::Passed(descriptor))
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            capacity: None,
            producers: 1,
            opening: Opening::Either,
            type_tag: 0,
            mode: 0o600,
            memory: Memory::default(),
            trusted: Vec::new(),
            kind: PhantomData,
        }
    }
}

impl<K: KindOf> Segment<K> {
    /// One producer and one consumer, by line, for `capacity` elements at least: the least latency.
    pub fn line(self, capacity: usize) -> Segment<Line> {
        self.of(Some(capacity), 1)
    }

    /// One producer and one consumer, by index, for `capacity` elements, a power of two: the least memory.
    pub fn index(self, capacity: usize) -> Segment<Index> {
        self.of(Some(capacity), 1)
    }

    /// Up to `producers` producers at a time and one consumer, for `capacity` elements, a power of two, in one order.
    ///
    /// ```
    /// use gimmal_shm::Segment;
    ///
    /// let mut one = Segment::anonymous().mpsc(64, 2).producer::<u64>()?;
    /// let mut other = Segment::passed(one.share()?).mpsc(64, 2).producer::<u64>()?;
    /// let mut rx = Segment::passed(one.share()?).mpsc(64, 2).consumer::<u64>()?;
    /// one.push(1)?;
    /// other.push(2)?;
    /// assert_eq!((rx.pop()?, rx.pop()?), (Some(1), Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mpsc(self, capacity: usize, producers: usize) -> Segment<Mpsc> {
        self.of(Some(capacity), producers)
    }

    /// Up to `producers` producers at a time, each with a ring by line of its own for `capacity` elements at least, and one consumer that
    /// takes turns. Elements of one producer keep their order; there is none between those of two.
    ///
    /// ```
    /// use gimmal_shm::Segment;
    ///
    /// let mut one = Segment::anonymous().lanes(64, 2).producer::<u64>()?;
    /// let mut other = Segment::passed(one.share()?).lanes(64, 2).producer::<u64>()?;
    /// let mut rx = Segment::passed(one.share()?).lanes(64, 2).consumer::<u64>()?;
    /// one.push(1)?;
    /// other.push(2)?;
    /// assert_eq!(rx.pop()?.unwrap() + rx.pop()?.unwrap(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lanes(self, capacity: usize, producers: usize) -> Segment<Lanes> {
        self.of(Some(capacity), producers)
    }

    /// A segment of this kind and of any capacity, which somebody else creates.
    pub fn kind<L: KindOf>(self) -> Segment<L> {
        self.of(None, 1)
    }

    fn of<L: KindOf>(self, capacity: Option<usize>, producers: usize) -> Segment<L> {
        Segment {
            place: self.place,
            capacity,
            producers,
            opening: self.opening,
            type_tag: self.type_tag,
            mode: self.mode,
            memory: self.memory,
            trusted: self.trusted,
            kind: PhantomData,
        }
    }

    /// In this directory instead of `/dev/shm`. It must be of a file system in memory, or pushes wait for the disk.
    pub fn directory(mut self, path: impl Into<PathBuf>) -> Self {
        if let Place::Named { directory, .. } = &mut self.place {
            *directory = path.into();
        }
        self
    }

    /// Create the segment; one that is there already is [`Error::Exists`].
    ///
    /// ```
    /// use gimmal_shm::{Error, Segment};
    /// # let name = &format!("doc-new-{}", std::process::id());
    ///
    /// let tx = Segment::named(name).line(64).create_new().producer::<u64>()?;
    /// let second = Segment::named(name).line(64).create_new().consumer::<u64>();
    /// assert!(matches!(second, Err(Error::Exists(_))));
    /// # drop(tx);
    /// # Segment::named(name).remove()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_new(mut self) -> Self {
        self.opening = Opening::New;
        self
    }

    /// Create the segment in place of one that is there, whatever that is. Its ends get [`Error::Superseded`] and can attach again. If the
    /// end asked for has a live holder there, that is [`Error::Busy`]; with many producers, if any of them has.
    ///
    /// ```
    /// use gimmal_shm::{Fault, Segment};
    /// # let name = &format!("doc-replace-{}", std::process::id());
    ///
    /// let mut old = Segment::named(name).line(64).producer::<u64>()?;
    /// let rx = Segment::named(name).line(1024).replace().consumer::<u64>()?;
    /// assert_eq!(old.push(1), Err(Fault::Superseded));
    /// assert!(!old.is_current());
    /// assert_eq!(rx.epoch(), old.epoch() + 1);
    /// # drop((old, rx));
    /// # Segment::named(name).remove()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replace(mut self) -> Self {
        self.opening = Opening::Replace;
        self
    }

    /// A number that says what the elements mean; one who attaches with another gets [`Error::Mismatch`]. 0 when attaching takes any.
    ///
    /// ```
    /// use gimmal_shm::{Error, Segment};
    ///
    /// let tx = Segment::anonymous().line(64).type_tag(1).producer::<u64>()?;
    /// let other = Segment::passed(tx.share()?).line(64).type_tag(2).consumer::<u64>();
    /// assert!(matches!(other, Err(Error::Mismatch { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn type_tag(mut self, tag: u64) -> Self {
        self.type_tag = tag;
        self
    }

    /// The file's permissions, for a segment created; 0o600 unless said otherwise.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode & 0o777;
        self
    }

    /// Take files of this user too, not only this process's and root's. Who owns a named file can shrink it, and every access beyond its
    /// end is then a fatal signal.
    pub fn trust(mut self, uid: u32) -> Self {
        self.trusted.push(uid);
        self
    }

    /// Ask the kernel for huge pages, which it gives where `/sys/kernel/mm/transparent_hugepage/shmem_enabled` lets it.
    pub fn huge_pages(mut self) -> Self {
        self.memory.is_huge = true;
        self
    }

    /// Touch every page before the end is handed out, so that no push or pop is the first to.
    pub fn touch(mut self) -> Self {
        self.memory.is_touched = true;
        self
    }

    /// Keep the segment in memory: never swapped out. The limit is `ulimit -l`.
    pub fn lock_memory(mut self) -> Self {
        self.memory.is_locked = true;
        self
    }

    /// Becomes the producer, or one of them. The holder may move to another thread, and is alive as long as the handle.
    ///
    /// # Errors
    /// [`Error::Busy`] if a live process holds the end, and every other reason not to attach or create.
    pub fn producer<T: Element>(self) -> Result<Producer<T, K>, Error> {
        Producer::new(self.hold(End::Producer, Layout::new::<T>())?)
    }

    /// Becomes the consumer.
    ///
    /// # Errors
    /// As for [`producer`](Self::producer).
    pub fn consumer<T: Element>(self) -> Result<Consumer<T, K>, Error> {
        Consumer::new(self.hold(End::Consumer, Layout::new::<T>())?)
    }

    /// Becomes the producer, or one of them, of elements that are known by their size and alignment alone: for other languages.
    ///
    /// # Errors
    /// As for [`producer`](Self::producer).
    pub fn erased_producer(self, element: Layout) -> Result<ErasedProducer, Error> {
        ErasedProducer::new(self.hold(End::Producer, element)?)
    }

    /// Becomes the consumer of such elements.
    ///
    /// # Errors
    /// As for [`producer`](Self::producer).
    pub fn erased_consumer(self, element: Layout) -> Result<ErasedConsumer, Error> {
        ErasedConsumer::new(self.hold(End::Consumer, element)?)
    }

    /// Looks at the segment without becoming an end of it: read only.
    ///
    /// ```
    /// use gimmal_shm::{Peer, Segment};
    /// # let name = &format!("doc-inspect-{}", std::process::id());
    ///
    /// let tx = Segment::named(name).line(64).producer::<u64>()?;
    /// let seen = Segment::named(name).inspect()?;
    /// assert_eq!(seen.producers()[0].peer, Peer::Alive);
    /// assert_eq!(seen.consumer().peer, Peer::Absent);
    /// # drop((tx, seen));
    /// # Segment::named(name).remove()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every reason not to attach, but [`Error::Busy`].
    pub fn inspect(&self) -> Result<Inspection, Error> {
        match &self.place {
            Place::Named { directory, name } => {
                Inspection::named(&Name::new(directory, name)?, &self.trusted)
            }
            Place::Passed(descriptor) => Inspection::passed(descriptor),
            Place::Anonymous => Err(Error::NotReady),
        }
    }

    /// Removes the segment. What is in it is lost.
    ///
    /// ```
    /// use gimmal_shm::{Error, Segment};
    /// # let name = &format!("doc-remove-{}", std::process::id());
    ///
    /// let tx = Segment::named(name).line(64).producer::<u64>()?;
    /// assert!(matches!(Segment::named(name).remove(), Err(Error::Busy { .. })));
    /// drop(tx);
    /// Segment::named(name).remove()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Busy`] if an end has a live holder, [`Error::NotFound`] if there is no segment, or it has no name; and what [`inspect`](Self::inspect)
    /// says of a file that is no whole segment: only [`remove_by_force`](Self::remove_by_force) takes that away.
    pub fn remove(&self) -> Result<(), Error> {
        self.take_away(false)
    }

    /// As [`remove`](Self::remove), even if there are live ends: they get [`Error::Superseded`]; and even if what has the name is no segment, or is
    /// not to be trusted or read.
    ///
    /// # Errors
    /// As for `remove`, but [`Error::Busy`].
    pub fn remove_by_force(&self) -> Result<(), Error> {
        self.take_away(true)
    }

    fn take_away(&self, by_force: bool) -> Result<(), Error> {
        match &self.place {
            Place::Named { directory, name } => {
                claim::remove(&Name::new(directory, name)?, &self.trusted, by_force)
            }
            Place::Anonymous | Place::Passed(_) => Err(Error::NotFound("without a name".into())),
        }
    }

    fn hold(self, end: End, element: Layout) -> Result<Held, Error> {
        let element = (element.size(), element.align());
        let geometry = match self.capacity {
            Some(capacity) => {
                let shape =
                    K::shape(element.0, element.1, capacity).map_err(|error| match error {
                        ShapeError::Capacity => Error::Capacity {
                            kind: K::KIND,
                            asked: capacity,
                        },
                        other => other.into(),
                    })?;
                Some(Geometry::new(K::KIND, shape, self.producers)?)
            }
            None => None,
        };
        let wanted = Wanted {
            end,
            kind: K::KIND,
            element,
            geometry,
            opening: self.opening,
            type_tag: self.type_tag,
            mode: self.mode,
            memory: self.memory,
            trusted: self.trusted,
        };
        match &self.place {
            Place::Named { directory, name } => claim::named(&Name::new(directory, name)?, &wanted),
            Place::Anonymous => claim::anonymous(&wanted),
            Place::Passed(descriptor) => {
                use std::os::fd::AsFd;
                claim::descriptor(descriptor.as_fd(), &wanted)
            }
        }
    }
}

impl<K: KindOf> fmt::Debug for Segment<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Segment");
        match &self.place {
            Place::Named { directory, name } => shown.field("name", name).field("in", directory),
            Place::Anonymous => shown.field("name", &"none"),
            Place::Passed(descriptor) => shown.field("descriptor", descriptor),
        };
        shown
            .field("kind", &K::KIND)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}
