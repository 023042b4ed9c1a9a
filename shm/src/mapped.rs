//! A segment in this process's memory.

use crate::geometry::{entry_offset, Geometry, CONSUMER, TABLE};
use crate::header::{Entry, Fields, Header};
use crate::mapping::{Access, Mapping};
use crate::Error;
use gimmal::layout::Control;
use gimmal::policy::Shared;
use gimmal::raw::mapped::Table;
use gimmal::raw::{attach, Attach};
use gimmal::wait::Bell;
use rustix::fs::fstat;
use std::mem::size_of;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;

/// A mapped segment whose header was checked, and the private copy of its geometry.
#[derive(Debug)]
pub(crate) struct Mapped {
    mapping: Mapping,
    pub geometry: Geometry,
    pub fields: Fields,
}

impl Mapped {
    /// Maps and checks the segment in this file.
    pub fn open(file: BorrowedFd<'_>, access: Access) -> Result<Self, Error> {
        let mapping = whole(file, access)?;
        let fields = match header(&mapping).published() {
            Ok(fields) => fields,
            Err(0) => return Err(Error::NotReady),
            Err(magic) => return Err(Error::NotASegment { magic }),
        };
        let geometry = Geometry::stated(&fields, mapping.len() as u64)?;
        let mapped = Self {
            mapping,
            geometry,
            fields,
        };
        mapped.check_rings()?;
        Ok(mapped)
    }

    /// Fills the file just made for a segment of this geometry, all zeros, and publishes it.
    pub fn fill(mapping: Mapping, geometry: Geometry, fields: Fields) -> Self {
        let mapped = Self {
            mapping,
            geometry,
            fields,
        };
        crate::rings::publish(&mapped);
        mapped.header().publish(&fields);
        mapped
    }

    /// Each ring states the shape that the segment's geometry gives it.
    fn check_rings(&self) -> Result<(), Error> {
        let shape = self.geometry.shape;
        let expected = Attach {
            kind: shape.kind(),
            element: Some((shape.element_size(), shape.element_align())),
        };
        for ring in 0..self.geometry.rings() {
            // SAFETY: the ring lies in the mapping, which others access atomically, if they keep to the protocol; what others do
            // is read atomically here.
            let found = unsafe { attach::<Shared>(self.ring(ring), shape.size(), expected) };
            if found != Ok(shape) {
                return Err(Error::Corrupt("a ring is not what the header says"));
            }
        }
        Ok(())
    }

    /// The mapped memory.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// What the segment states of itself.
    pub fn header(&self) -> &Header {
        header(&self.mapping)
    }

    /// What an end states of itself; the entry is the consumer's or that of one of the producers.
    pub fn entry(&self, entry: usize) -> &Entry {
        assert!(entry <= CONSUMER + self.geometry.producers);
        // SAFETY: the geometry's entries lie in the mapping, aligned, and are all atomics, valid for every bit pattern.
        unsafe {
            self.mapping
                .as_ptr()
                .add(entry_offset(entry))
                .cast()
                .as_ref()
        }
    }

    /// The core's view of the entries.
    pub fn table(&self) -> Table {
        // SAFETY: the geometry's table lies in the mapping, which lasts as long as whatever is attached to it.
        unsafe { Table::new(self.mapping.as_ptr().add(TABLE), self.geometry.producers) }
    }

    /// Where a ring begins.
    pub fn ring(&self, ring: usize) -> NonNull<u8> {
        assert!(ring < self.geometry.rings());
        let offset = self.geometry.rings_offset + ring * self.geometry.ring_size;
        // SAFETY: the geometry's rings lie in the mapping.
        unsafe { self.mapping.as_ptr().add(offset) }
    }

    /// What the consumer sleeps behind: one bell for all its rings.
    pub fn consumer_bell(&self) -> Bell<'_> {
        Bell::new(&self.control(0).header().consumer_bell)
    }

    /// What the producer of a ring sleeps behind.
    pub fn producer_bell(&self, ring: usize) -> Bell<'_> {
        Bell::new(&self.control(ring).header().producer_bell)
    }

    fn control(&self, ring: usize) -> &Control {
        // SAFETY: a ring begins with its control block, all atomics, and lies in the mapping, aligned.
        unsafe { self.ring(ring).cast().as_ref() }
    }
}

/// Maps all of a file that is long enough for a header.
fn whole(file: BorrowedFd<'_>, access: Access) -> Result<Mapping, Error> {
    let found = fstat(file).map_err(Error::os("look at the segment's file"))?;
    let len = usize::try_from(found.st_size).unwrap_or(0);
    if len < size_of::<Header>() {
        return Err(Error::NotReady);
    }
    Mapping::new(file, len, access)
}

fn header(mapping: &Mapping) -> &Header {
    debug_assert!(mapping.len() >= size_of::<Header>());
    // SAFETY: a mapping here is as long as a header at least and begins at a page; the header is all atomics.
    unsafe { mapping.as_ptr().cast().as_ref() }
}

/// Marks the segment in this file superseded, and closes its rings, if it is one.
pub(crate) fn supersede(file: BorrowedFd<'_>) -> Result<(), Error> {
    match Mapped::open(file, Access::Write) {
        Ok(mapped) => {
            mapped.header().supersede();
            crate::rings::close(&mapped);
            Ok(())
        }
        Err(error @ Error::Os { .. }) => Err(error),
        // No end can have attached to what does not check; but one that had before somebody overwrote the header learns of it.
        Err(_) => match whole(file, Access::Write) {
            Ok(mapping) => {
                header(&mapping).supersede();
                Ok(())
            }
            Err(Error::NotReady) => Ok(()),
            Err(error) => Err(error),
        },
    }
}

/// The epoch that the segment in this file states, 0 if it states none.
pub(crate) fn stated_epoch(file: BorrowedFd<'_>) -> u64 {
    whole(file, Access::Read)
        .ok()
        .and_then(|mapping| header(&mapping).published().ok())
        .map_or(0, |fields| fields.epoch)
}
