//! Named shared-memory segments that hold gimmal's rings, for processes on one Linux machine.
//!
//! A segment is a file in `/dev/shm` with a header and the very rings of the core crate (`docs/SEGMENTS.md`). One process is
//! its consumer, another its producer, or several are; whoever comes first creates it:
//!
//! ```
//! use gimmal_shm::Segment;
//! use zerocopy::{FromBytes, Immutable, IntoBytes};
//!
//! #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
//! #[repr(C)]
//! struct Tick {
//!     id: u64,
//!     price: i64,
//! }
//! # let name = &format!("doc-ticks-{}", std::process::id());
//!
//! // In one process:
//! let mut tx = Segment::named(name).line(1024).producer::<Tick>()?;
//! tx.push(Tick { id: 1, price: 100 })?;
//!
//! // In another:
//! let mut rx = Segment::named(name).line(1024).consumer::<Tick>()?;
//! assert_eq!(rx.pop()?.map(|tick| tick.price), Some(100));
//! # drop((tx, rx));
//! # Segment::named(name).remove()?;
//! # Ok::<(), gimmal_shm::Error>(())
//! ```
//!
//! # What may go wrong, and what happens then
//! - *A process dies*, at whatever moment. The other end is told ([`Fault::PeerDied`], [`Peer`]), what was pushed is still delivered,
//!   and the next process that asks for the end takes it over. At most the one element that a consumer was taking when it died is
//!   delivered twice.
//! - *A process writes nonsense* into the segment. Others deliver nonsense or [`Fault::Corrupt`]; they do not crash, hang, or touch memory
//!   outside it. That is why elements must be valid whatever their bytes are ([`Element`]), and are copied.
//! - *`/dev/shm` is full*: creating is [`Error::NoSpace`]. Memory once promised is there.
//! - *Somebody truncates the file of a named segment*: then accesses are fatal signals, which nothing here can keep off. Only its owner
//!   and root can, and an [`anonymous`](Segment::anonymous) segment is sealed against it.
//! - *A process forks*: the child does not inherit the end. It must not use the handle, whose memory is gone there, and may drop it.

#[cfg(not(target_os = "linux"))]
compile_error!("gimmal-shm needs Linux: locks of open file descriptions, memfd and O_TMPFILE");

mod claim;
mod clock;
mod consumer;
mod element;
mod erased;
mod error;
mod fault;
mod file;
mod geometry;
mod header;
mod held;
mod identity;
mod inspect;
mod kind;
pub mod kinds;
mod lock;
mod mapped;
mod mapping;
mod name;
mod peer;
mod producer;
mod rings;
mod segment;
mod slices;
mod tap;
mod turns;
mod waits;

pub use consumer::Consumer;
pub use element::Element;
pub use erased::{ErasedConsumer, ErasedProducer, Passage};
pub use error::{End, Error};
pub use fault::Fault;
pub use identity::Identity;
pub use inspect::{names, EndState, Inspection};
pub use kind::Kind;
pub use peer::Peer;
pub use producer::Producer;
pub use rings::RingState;
pub use segment::Segment;
pub use tap::{OwnedTap, Seen, Tap};
