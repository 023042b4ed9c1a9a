//! Getting hold of an end: creating a segment, attaching to one, replacing one.
//!
//! A segment comes into its name whole: it is made nameless, filled, published, its maker's end locked, and then linked. To replace
//! one, a process locks the old file's first byte and the ends that it takes the place of, looks whether the name still leads there,
//! marks the old segment superseded and renames the new one over it. Whoever locks an end looks at both afterwards, and begins
//! again if the segment was replaced meanwhile. A process may die between any two of these steps: locks go with it, and a
//! superseded segment that still has its name is replaced by the next one who wants it.

use crate::error::{End, KIND};
use crate::file::{self, reopen};
use crate::geometry::{end_lock, Geometry, ALL_PRODUCERS, CONSUMER};
use crate::held::Held;
use crate::lock::{is_locked, try_lock, Span, REPLACING};
use crate::mapped::{self, Mapped};
use crate::mapping::{Access, Mapping, Memory};
use crate::name::Name;
use crate::{Error, Kind};
use rustix::fs::OFlags;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What to do about a segment that is there, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Attach to it; create it if it is not there.
    Either,
    /// Create it; one that is there is an error.
    New,
    /// Create it in place of one that is there.
    Replace,
}

/// What the user wants, but for the place.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub end: End,
    pub kind: Kind,
    /// The element's size and alignment.
    pub element: (usize, usize),
    /// What to create; `None` to attach only.
    pub geometry: Option<Geometry>,
    pub opening: Opening,
    pub type_tag: u64,
    pub mode: u32,
    pub memory: Memory,
    pub trusted: Vec<u32>,
}

/// How long others may be replacing a segment.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks at what it does.
const PAUSE: Duration = Duration::from_millis(1);

/// Holds an end of the segment of this name.
pub(crate) fn named(name: &Name, wanted: &Wanted) -> Result<Held, Error> {
    let begin = Instant::now();
    loop {
        let done = match file::open(&name.path(), &wanted.trusted)? {
            None => create(name, wanted)?,
            Some(_) if wanted.opening == Opening::New => {
                return Err(Error::Exists(name.as_str().into()));
            }
            Some(old) if wanted.opening == Opening::Replace => replace(name, &old, wanted)?,
            Some(found) => attach(name, found, wanted)?,
        };
        let (error, pause) = match done {
            Step::Held(held) => return Ok(*held),
            Step::Again => (Error::Replacing, Duration::ZERO),
            Step::Wait(error) => (error, PAUSE),
        };
        if begin.elapsed() >= PATIENCE {
            return Err(error);
        }
        sleep(pause);
    }
}

/// What came of one look.
enum Step {
    Held(Box<Held>),
    /// The name leads elsewhere by now.
    Again,
    /// Another process is at it; this is the error if it takes too long.
    Wait(Error),
}

fn create(name: &Name, wanted: &Wanted) -> Result<Step, Error> {
    let Some(geometry) = wanted.geometry else {
        return Err(Error::NotFound(name.as_str().into()));
    };
    let made = Made::new(Some(name), geometry, 1, wanted)?;
    if !file::link(made.file.as_fd(), &name.path())? {
        return Ok(Step::Again);
    }
    made.held(Some(name)).map(|held| Step::Held(Box::new(held)))
}

/// A segment made and not named yet, with an end of it locked.
struct Made {
    mapped: Mapped,
    file: OwnedFd,
    entry: usize,
}

impl Made {
    fn new(
        name: Option<&Name>,
        geometry: Geometry,
        epoch: u64,
        wanted: &Wanted,
    ) -> Result<Self, Error> {
        let file = match name {
            Some(name) => file::make_nameless(name.directory(), geometry.size, wanted.mode)?,
            None => file::make_anonymous(geometry.size)?,
        };
        let mapping = Mapping::new(file.as_fd(), geometry.size, Access::Write)?;
        mapping.hold(wanted.memory)?;
        let entry = first_entry(wanted.end);
        if !try_lock(file.as_fd(), end_lock(entry))? {
            return Err(busy(wanted.end, None));
        }
        let fields = geometry.fields(wanted.type_tag, epoch);
        let mapped = Mapped::fill(mapping, geometry, fields);
        Ok(Self {
            mapped,
            file,
            entry,
        })
    }

    fn held(self, name: Option<&Name>) -> Result<Held, Error> {
        let probe = reopen(self.file.as_fd(), OFlags::RDONLY)?;
        Ok(Held::new(self.mapped, self.entry, probe, name.cloned()))
    }
}

fn first_entry(end: End) -> usize {
    match end {
        End::Consumer => CONSUMER,
        End::Producer => CONSUMER + 1,
    }
}

fn busy(end: End, mapped: Option<&Mapped>) -> Error {
    let holder = mapped.and_then(|mapped| mapped.entry(first_entry(end)).holder());
    Error::Busy {
        end,
        pid: holder.map_or(0, |holder| holder.pid),
    }
}

/// Holds an end of the segment in a file, which no name need lead to.
pub(crate) fn descriptor(passed: BorrowedFd<'_>, wanted: &Wanted) -> Result<Held, Error> {
    file::check_sealed(passed)?;
    // The descriptor passed is one description with the sender's: a lock would be both's.
    let found = reopen(passed, OFlags::RDWR)?;
    let mapped = Mapped::open(found.as_fd(), Access::Write)?;
    check(&mapped, wanted)?;
    let entry = lock_end(found.as_fd(), &mapped, wanted.end)?
        .ok_or_else(|| busy(wanted.end, Some(&mapped)))?;
    mapped.mapping().hold(wanted.memory)?;
    let probe = reopen(found.as_fd(), OFlags::RDONLY)?;
    Ok(Held::new(mapped, entry, probe, None))
}

/// Holds an end of a new segment that has no name.
pub(crate) fn anonymous(wanted: &Wanted) -> Result<Held, Error> {
    let geometry = wanted.geometry.ok_or(Error::NotReady)?;
    Made::new(None, geometry, 1, wanted)?.held(None)
}

fn attach(name: &Name, found: OwnedFd, wanted: &Wanted) -> Result<Step, Error> {
    let mapped = Mapped::open(found.as_fd(), Access::Write)?;
    if mapped.header().is_superseded() {
        return match wanted.geometry {
            // Whoever marked it has died since, or is about to rename: then `replace` finds out.
            Some(_) => replace(name, &found, wanted),
            None => Ok(Step::Wait(Error::Superseded)),
        };
    }
    check(&mapped, wanted)?;
    let path = name.path();
    let Some(entry) = lock_end(found.as_fd(), &mapped, wanted.end)? else {
        return if is_locked(found.as_fd(), REPLACING)? {
            Ok(Step::Wait(Error::Replacing))
        } else if mapped.header().is_superseded() || !file::leads_to(&path, found.as_fd())? {
            Ok(Step::Again)
        } else {
            // Whoever was replacing it may have given up between the two looks.
            match lock_end(found.as_fd(), &mapped, wanted.end)? {
                Some(_) => Ok(Step::Again),
                None => Err(busy(wanted.end, Some(&mapped))),
            }
        };
    };
    if mapped.header().is_superseded() || !file::leads_to(&path, found.as_fd())? {
        return Ok(Step::Again);
    }
    mapped.mapping().hold(wanted.memory)?;
    let probe = reopen(found.as_fd(), OFlags::RDONLY)?;
    let held = Held::new(mapped, entry, probe, Some(name.clone()));
    Ok(Step::Held(Box::new(held)))
}

/// Locks the end, or the first free one of many producers'; `None` if none is free.
fn lock_end(file: BorrowedFd<'_>, mapped: &Mapped, end: End) -> Result<Option<usize>, Error> {
    let entries = match end {
        End::Consumer => CONSUMER..CONSUMER + 1,
        End::Producer => CONSUMER + 1..CONSUMER + 1 + mapped.geometry.producers,
    };
    for entry in entries {
        if try_lock(file, end_lock(entry))? {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// Whether the segment is what the user wants.
fn check(mapped: &Mapped, wanted: &Wanted) -> Result<(), Error> {
    let same = |what, asked: u64, found: u64| {
        if asked == found {
            Ok(())
        } else {
            Err(Error::Mismatch { what, asked, found })
        }
    };
    let found = &mapped.geometry;
    same(KIND, wanted.kind as u64, found.kind as u64)?;
    let (size, align) = wanted.element;
    let shape = &found.shape;
    same("elements of size", size as u64, shape.element_size() as u64)?;
    same(
        "elements of alignment",
        align as u64,
        shape.element_align() as u64,
    )?;
    if wanted.type_tag != 0 {
        same("type tag", wanted.type_tag, mapped.fields.type_tag)?;
    }
    let Some(asked) = &wanted.geometry else {
        return Ok(());
    };
    same(
        "capacity",
        asked.shape.capacity() as u64,
        shape.capacity() as u64,
    )?;
    same("producers", asked.producers as u64, found.producers as u64)
}

/// Puts a new segment in the place of `old`, which was found under the name.
fn replace(name: &Name, old: &OwnedFd, wanted: &Wanted) -> Result<Step, Error> {
    let Some(geometry) = wanted.geometry else {
        return Err(Error::NotFound(name.as_str().into()));
    };
    // The locks go with `old`, at the end.
    if !try_lock(old.as_fd(), REPLACING)? {
        return Ok(Step::Wait(Error::Replacing));
    }
    if !file::leads_to(&name.path(), old.as_fd())? {
        return Ok(Step::Again);
    }
    if !try_lock(old.as_fd(), ends_of(wanted.end))? {
        let mapped = Mapped::open(old.as_fd(), Access::Read).ok();
        return Err(busy(wanted.end, mapped.as_ref()));
    }
    let epoch = mapped::stated_epoch(old.as_fd()).wrapping_add(1);
    let made = Made::new(Some(name), geometry, epoch, wanted)?;
    mapped::supersede(old.as_fd())?;
    file::link_over(made.file.as_fd(), name)?;
    if !file::leads_to(&name.path(), made.file.as_fd())? {
        // Somebody removes and links files by hand.
        return Ok(Step::Again);
    }
    made.held(Some(name)).map(|held| Step::Held(Box::new(held)))
}

/// The locks of all who may hold such an end.
fn ends_of(end: End) -> Span {
    match end {
        End::Consumer => end_lock(CONSUMER),
        End::Producer => ALL_PRODUCERS,
    }
}

/// Removes the segment of this name. Unless `by_force`, it must be a whole segment, and no end may have a live holder.
pub(crate) fn remove(name: &Name, trusted: &[u32], by_force: bool) -> Result<(), Error> {
    let begin = Instant::now();
    loop {
        let found = match file::open(&name.path(), trusted) {
            Ok(Some(found)) => found,
            Ok(None) => {
                file::unlink(&name.next_path())?;
                return Err(Error::NotFound(name.as_str().into()));
            }
            // No end of this process's user is there: only the name is left to remove.
            Err(_) if by_force => return file::unlink(&name.path()),
            Err(error) => return Err(error),
        };
        if !try_lock(found.as_fd(), REPLACING)? || !file::leads_to(&name.path(), found.as_fd())? {
            if begin.elapsed() >= PATIENCE {
                return Err(Error::Replacing);
            }
            sleep(PAUSE);
            continue;
        }
        if !by_force {
            for end in [End::Consumer, End::Producer] {
                if !try_lock(found.as_fd(), ends_of(end))? {
                    let mapped = Mapped::open(found.as_fd(), Access::Read).ok();
                    return Err(busy(end, mapped.as_ref()));
                }
            }
            // Only a segment is removed without being asked twice.
            Mapped::open(found.as_fd(), Access::Read)?;
        }
        mapped::supersede(found.as_fd())?;
        file::unlink(&name.next_path())?;
        return file::unlink(&name.path());
    }
}
