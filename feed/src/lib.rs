//! A live market-data handler: a socket thread that only stamps messages and moves them into a ring, a consumer that keeps an
//! order book from them, and a simulated exchange to try both on.
//!
//! [`live::run`] is the whole of it. What it is made of can be used alone: the [`queue`] carries messages of any size over a ring of bytes,
//! [`sync::Sync`] says what to do with each diff, a [`handler::Handler`] keeps the books of several symbols.

mod address;
pub mod backoff;
pub mod book;
pub mod flood;
pub mod handler;
pub mod instrument;
pub mod live;
pub mod message;
pub mod queue;
pub mod record;
pub mod replay;
pub mod report;
pub mod simulate;
mod snapshots;
mod socket;
pub mod stop;
pub mod strategy;
pub mod sync;
pub mod ticker;
mod tls;
pub mod trouble;
pub mod units;
pub mod venue;
pub mod waits;
