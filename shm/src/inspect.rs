//! Looking at a segment from outside: read only, and without becoming an end of it.

use crate::clock::{tick, TICKS_PER_SECOND};
use crate::geometry::CONSUMER;
use crate::identity::Identity;
use crate::mapped::Mapped;
use crate::mapping::Access;
use crate::name::{Name, DIRECTORY, PREFIX};
use crate::rings::{self, RingState};
use crate::{file, Error, Kind, OwnedTap, Peer, Tap};
use gimmal::shape::Shape;
use rustix::fs::OFlags;
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// A view of a segment that cannot change it. What it tells is a snapshot each time.
pub struct Inspection {
    mapped: Mapped,
    file: OwnedFd,
    name: Option<Name>,
}

/// How an end fares, and what its holder stated of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndState {
    /// Whether there is a holder, and lives.
    pub peer: Peer,
    /// Who claimed the end last, unless it was given back.
    pub holder: Option<Identity>,
    /// How often the end was claimed, wrapping.
    pub claims: u32,
    /// How long ago the holder last said that it runs: it does when it claims the end, and while it waits.
    pub last_beat: Option<Duration>,
}

impl Inspection {
    pub(crate) fn named(name: &Name, trusted: &[u32]) -> Result<Self, Error> {
        let file = file::open_to_read(&name.path(), trusted)?
            .ok_or_else(|| Error::NotFound(name.as_str().into()))?;
        let mapped = Mapped::open(file.as_fd(), Access::Read)?;
        Ok(Self {
            mapped,
            file,
            name: Some(name.clone()),
        })
    }

    pub(crate) fn passed(descriptor: &OwnedFd) -> Result<Self, Error> {
        file::check_sealed(descriptor.as_fd())?;
        let file = file::reopen(descriptor.as_fd(), OFlags::RDONLY)?;
        let mapped = Mapped::open(file.as_fd(), Access::Read)?;
        Ok(Self {
            mapped,
            file,
            name: None,
        })
    }

    /// The segment's kind.
    pub fn kind(&self) -> Kind {
        self.mapped.geometry.kind
    }

    /// The shape of each of its rings.
    pub fn shape(&self) -> &Shape {
        &self.mapped.geometry.shape
    }

    /// Bytes of the whole segment.
    pub fn size(&self) -> usize {
        self.mapped.geometry.size
    }

    /// How often a segment of this name was made, one in place of another.
    pub fn epoch(&self) -> u64 {
        self.mapped.fields.epoch
    }

    /// What its creator said that the elements mean.
    pub fn type_tag(&self) -> u64 {
        self.mapped.fields.type_tag
    }

    /// The process that made it.
    pub fn creator(&self) -> Identity {
        self.mapped.fields.creator
    }

    /// Whether this is still the segment that its name leads to.
    pub fn is_current(&self) -> bool {
        !self.mapped.header().is_superseded()
            && self
                .name
                .as_ref()
                .is_none_or(|name| file::leads_to(&name.path(), self.file.as_fd()).unwrap_or(true))
    }

    /// Each ring: one, or with lanes one a producer.
    pub fn rings(&self) -> Vec<RingState> {
        rings::states(&self.mapped)
    }

    /// Cells that the consumer skipped because the one of many producers that had claimed them died, wrapping.
    pub fn skipped(&self) -> usize {
        self.mapped.entry(CONSUMER).skipped()
    }

    /// Elements that were pushed to all rings from one look at them to the next.
    pub fn pushed_between(&self, earlier: &[RingState], later: &[RingState]) -> usize {
        let shape = self.shape();
        let pairs = earlier.iter().zip(later);
        pairs
            .map(|(earlier, later)| later.pushed_since(earlier, shape))
            .sum()
    }

    /// Watches the elements pass.
    ///
    /// ```
    /// use gimmal_shm::{Seen, Segment};
    /// # let name = &format!("doc-tap-{}", std::process::id());
    ///
    /// let mut tx = Segment::named(name).line(64).producer::<u64>()?;
    /// let seen = Segment::named(name).inspect()?;
    /// let mut tap = seen.tap()?;
    /// tx.push(7)?;
    /// let mut bytes = Vec::new();
    /// assert_eq!(tap.next(&mut bytes), Seen::Element { ring: 0 });
    /// assert_eq!(bytes, 7u64.to_ne_bytes());
    /// assert_eq!(tx.len(), 1); // it is still there
    /// # drop((tx, tap));
    /// # Segment::named(name).remove()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unwatchable`] for a ring by index of capacity 1.
    pub fn tap(&self) -> Result<Tap<'_>, Error> {
        Tap::new(&self.mapped)
    }

    /// Watches the elements pass, and keeps this view for it.
    ///
    /// # Errors
    /// As for [`tap`](Self::tap).
    pub fn into_tap(self) -> Result<OwnedTap, Error> {
        OwnedTap::new(self, |inspection| &inspection.mapped)
    }

    /// The consumer's end.
    pub fn consumer(&self) -> EndState {
        self.end(CONSUMER)
    }

    /// The producers' ends, as many as there may be.
    pub fn producers(&self) -> Vec<EndState> {
        let producers = 1..=self.mapped.geometry.producers;
        producers
            .map(|producer| self.end(CONSUMER + producer))
            .collect()
    }

    fn end(&self, number: usize) -> EndState {
        let entry = self.mapped.entry(number);
        let beat = entry.heartbeat();
        EndState {
            peer: Peer::at(self.file.as_fd(), &self.mapped, number),
            holder: entry.holder(),
            claims: entry.claims(),
            last_beat: (beat != 0).then(|| self.since(beat)),
        }
    }

    /// The time since a tick, by the frequency that the segment states.
    fn since(&self, beat: u64) -> Duration {
        let ticks = u128::from(tick().saturating_sub(beat)) * u128::from(TICKS_PER_SECOND);
        let nanoseconds = ticks / u128::from(self.mapped.fields.ticks_per_second);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }
}

impl fmt::Debug for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inspection")
            .field("name", &self.name)
            .field("kind", &self.kind())
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}

/// The names of all segments in `directory`, or in `/dev/shm`, in order.
///
/// ```
/// for name in gimmal_shm::names(None)? {
///     println!("{name}");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The directory cannot be read.
pub fn names(directory: Option<&Path>) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for file in std::fs::read_dir(directory.unwrap_or(Path::new(DIRECTORY)))? {
        if let Some(name) = file?
            .file_name()
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}
