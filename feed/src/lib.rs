//! A live market-data handler: a socket thread that only stamps messages and moves them into a ring, a consumer that keeps an
//! order book from them, and a simulated exchange to try both on.

pub mod simulate;
pub mod venue;
