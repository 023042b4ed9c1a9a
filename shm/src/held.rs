//! An end that this process holds: the mapping, and with it the lock.

use crate::clock::tick;
use crate::geometry::{end_lock, CONSUMER};
use crate::header::Entry;
use crate::identity::Identity;
use crate::kinds::KindOf;
use crate::lock::is_locked;
use crate::mapped::Mapped;
use crate::name::Name;
use crate::{file, Element, Fault, Kind, Peer};
use std::os::fd::{AsFd, OwnedFd};

/// A held end. The lock is the mapping's: it goes with it, and only with it.
#[derive(Debug)]
pub(crate) struct Held {
    mapped: Mapped,
    entry: usize,
    /// A description of the file that holds no lock: for looking at others' locks, and for passing on.
    probe: OwnedFd,
    /// What led to the file.
    name: Option<Name>,
    holder: Identity,
}

impl Held {
    /// The end of `entry`, whose lock the mapping's description holds.
    pub fn new(mapped: Mapped, entry: usize, probe: OwnedFd, name: Option<Name>) -> Self {
        let holder = Identity::own();
        mapped.entry(entry).claim(&holder);
        mapped.entry(entry).beat(tick());
        Self {
            mapped,
            entry,
            probe,
            name,
            holder,
        }
    }

    /// The segment.
    pub fn mapped(&self) -> &Mapped {
        &self.mapped
    }

    /// The ring that this end pushes to.
    ///
    /// # Safety
    /// The segment is of kind `K` and holds `T`; the end is a producer's. The body is used as long as the end is held, at most.
    pub unsafe fn pushed<T: Element, K: KindOf>(&self) -> K::Pushed<T> {
        let at = self.mapped.ring(self.ring());
        let shape = &self.mapped.geometry.shape;
        // SAFETY: the ring has the geometry's shape and lies, as the table does, in the mapping, which lasts as long as the end is held.
        unsafe { K::pushed::<T>(at, shape, &self.mapped.table(), self.place()) }
    }

    /// A ring that this end pops from.
    ///
    /// # Safety
    /// As for [`pushed`](Self::pushed), but the end is a consumer's.
    pub unsafe fn popped<T: Element, K: KindOf>(&self, ring: usize) -> K::Popped<T> {
        // SAFETY: the ring has the geometry's shape and lies in the mapping, which lasts as long as the end is held.
        unsafe { K::popped::<T>(self.mapped.ring(ring), &self.mapped.geometry.shape) }
    }

    /// A producer's place among the producers, from 0.
    pub fn place(&self) -> usize {
        self.entry - (CONSUMER + 1)
    }

    /// The ring that a producer pushes to.
    pub fn ring(&self) -> usize {
        match self.mapped.geometry.kind {
            Kind::Lanes => self.place(),
            _ => 0,
        }
    }

    /// A description of the file that holds no lock.
    pub fn probe(&self) -> &OwnedFd {
        &self.probe
    }

    /// Says that this end is alive.
    pub fn beat(&self) {
        self.own_entry().beat(tick());
    }

    fn own_entry(&self) -> &Entry {
        self.mapped.entry(self.entry)
    }

    /// How the end of this entry fares.
    pub fn peer(&self, entry: usize) -> Peer {
        Peer::at(self.probe.as_fd(), &self.mapped, entry)
    }

    /// Whether this process, not its parent, holds it.
    pub fn is_own(&self) -> bool {
        self.holder.pid == std::process::id()
    }

    /// How the consumer fares.
    pub fn consumer(&self) -> Peer {
        self.peer(CONSUMER)
    }

    /// How the producer fares that fares best.
    pub fn any_producer(&self) -> Peer {
        let mut best = Peer::Absent;
        for producer in self.producers() {
            match self.peer(producer) {
                Peer::Alive => return Peer::Alive,
                Peer::Stopped => best = Peer::Stopped,
                Peer::Dead if best == Peer::Absent => best = Peer::Dead,
                Peer::Dead | Peer::Absent => {}
            }
        }
        best
    }

    /// The entries of the producers.
    pub fn producers(&self) -> impl Iterator<Item = usize> {
        (1..=self.mapped.geometry.producers).map(|producer| CONSUMER + producer)
    }

    /// Whether a producer's place has a live holder. A lock that cannot be looked at is no reason to think it dead.
    pub fn is_alive(&self, place: usize) -> bool {
        let lock = end_lock(CONSUMER + 1 + place);
        is_locked(self.probe.as_fd(), lock).unwrap_or(true)
    }

    /// Whether the name still leads to this segment.
    pub fn is_current(&self) -> bool {
        let Some(name) = &self.name else {
            return !self.mapped.header().is_superseded();
        };
        let leads_here = file::leads_to(&name.path(), self.probe.as_fd());
        !self.mapped.header().is_superseded() && leads_here.unwrap_or(true)
    }

    /// Why a closed ring is closed.
    pub fn why_closed(&self) -> Fault {
        if self.mapped.header().is_superseded() {
            Fault::Superseded
        } else {
            Fault::Closed
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // In a child nothing is mapped there.
        if self.is_own() {
            self.own_entry().give_back();
        }
    }
}
