//! Rings in memory that other processes can write: what shared-memory segments instantiate.
//!
//! The algorithms are those of every ring, under the policy [`Segment`]: an end that finds a count above K, a foreign lap or two ends further
//! apart than the ring is long reports [`Corrupt`], and goes on as if the ring were empty or full. Whatever the other side writes, an end reads and
//! writes nothing outside the ring, and each call ends after a bounded number of steps: places, geometry and lap are private to the end, and
//! addresses are masked. What it may do is deliver nonsense.
//!
//! An end is made in four steps:
//! 1. Map the memory and check it once: [`attach::<Segment>`](super::attach) gives a private [`Shape`](crate::shape::Shape). (Whoever creates
//!    the segment zeroes it, and publishes the shape by [`Ends::publish`](super::Ends::publish).)
//! 2. Take the end: by the operating system's lock, not by the claim bytes, which its owner's death would leave set.
//! 3. Make a body: [`Mapped::new`] with a geometry from the shape, [`Cells`](super::Cells), [`Slots`](super::Slots) or
//!    [`SingleCells`](super::SingleCells) where the type is known, [`ErasedCells`](super::ErasedCells) and its kin where it is not.
//! 4. [`Protocol::recover_producer`](super::Protocol::recover_producer) or
//!    [`recover_consumer`](super::Protocol::recover_consumer): also for a new ring and after an orderly exit, since `enter` and `resume` trust the
//!    words in the ring.
//!
//! With many producers each stands at a body [`declaring`](Mapped::declaring) by its line of a [`Table`], and a consumer that finds nothing for a while asks
//! [`Table::skip_dead`] for the cell of a producer that died in the middle of a push.
//!
//! A process that only looks takes a [`Tap`](super::Tap) on a body [`watching`](Mapped::watching).
//!
//! Then [`push`] and [`pop`], or [`push_bytes`] and [`pop_bytes`]. A slot is a [`Place`], which copies by atomic words and never lends a reference:
//! the handles that lend ([`crate::producer::Producer`], [`crate::consumer::Consumer`]) do not accept such an end.

mod body;
mod ends;
mod place;
mod table;

pub use crate::error::Corrupt;
pub use crate::policy::Segment;
pub use body::{Doubt, Mapped};
pub use ends::{pop, pop_bytes, push, push_bytes, Fault};
pub use place::Place;
pub use table::{Declare, Intent, Table};
