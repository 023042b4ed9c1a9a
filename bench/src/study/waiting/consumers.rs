//! The ways to wait that are compared.

use super::cell::Carrier;
use crate::clocks::{Plain, Source};
use gimmal::line_ring::Consumer;
use gimmal::wait::{Adaptive, Backoff, Bell, Clock, Deadline, Park, Spin, Wait, Yield};
use std::time::Duration;

/// The message that ends a cell.
pub const END: u64 = u64::MAX;

/// A way to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    Spin,
    Backoff,
    Yield,
    Park,
    /// With a budget in per cent.
    Adaptive(u32),
    /// Asleep for 200 µs at once.
    Nap,
    /// Asleep for 200 µs after 2000 polls.
    SpinNap,
    /// No ring: a counter as a futex, the least that a sleep and a wake can be.
    Futex,
}

/// Every way, in the order of the tables.
pub const WAYS: [Way; 10] = [
    Way::Spin,
    Way::Backoff,
    Way::Yield,
    Way::Park,
    Way::Adaptive(10),
    Way::Adaptive(25),
    Way::Adaptive(50),
    Way::Nap,
    Way::SpinNap,
    Way::Futex,
];

impl Way {
    /// In the tables.
    pub fn name(self) -> String {
        match self {
            Self::Spin => "Spin".into(),
            Self::Backoff => "Backoff".into(),
            Self::Yield => "Yield".into(),
            Self::Park => "Park".into(),
            Self::Adaptive(percent) => format!("Adaptive {percent} %"),
            Self::Nap => "sleep 200 µs".into(),
            Self::SpinNap => "2000 polls, sleep 200 µs".into(),
            Self::Futex => "bare futex".into(),
        }
    }

    /// What carries its messages.
    pub const fn carrier(self) -> Carrier {
        match self {
            Self::Park | Self::Adaptive(_) => Carrier::Ringing,
            Self::Futex => Carrier::Futex,
            _ => Carrier::Plain,
        }
    }
}

/// The invariant counter in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// Nanoseconds in a tick, with 32 fraction bits.
    scale: u64,
}

impl Counter {
    /// With so many nanoseconds in a tick.
    pub fn new(ns_per_tick: f64) -> Self {
        Self {
            scale: (ns_per_tick * 2_f64.powi(32)) as u64,
        }
    }
}

impl Clock for Counter {
    fn now(&mut self) -> u64 {
        ((u128::from(Plain::now()) * u128::from(self.scale)) >> 32) as u64
    }
}

/// Sleeps for a fixed time after some polls, as those do who have no bell.
#[derive(Clone, Copy, Debug)]
pub struct Naps {
    polls: u32,
}

impl Wait for Naps {
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        _: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        loop {
            for _ in 0..=self.polls {
                if let Some(found) = poll() {
                    return Some(found);
                }
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

/// A consumer's strategy, kept from cell to cell with what it has learnt.
#[derive(Debug)]
pub enum Waiter {
    Spin(Spin),
    Backoff(Backoff),
    Yield(Yield<fn()>),
    Park(Park),
    Adaptive(Box<Adaptive<Counter, Park>>),
    Naps(Naps),
}

impl Waiter {
    /// Of this way; none for a way that has no ring.
    pub fn new(way: Way, counter: Counter) -> Option<Self> {
        Some(match way {
            Way::Spin => Self::Spin(Spin),
            Way::Backoff => Self::Backoff(Backoff::default()),
            Way::Yield => Self::Yield(Yield::new()),
            Way::Park => Self::Park(Park::new()),
            Way::Adaptive(percent) => {
                Self::Adaptive(Box::new(Adaptive::new(percent, counter, Park::new())))
            }
            Way::Nap => Self::Naps(Naps { polls: 0 }),
            Way::SpinNap => Self::Naps(Naps { polls: 2000 }),
            Way::Futex => return None,
        })
    }

    /// Takes messages until the last, and calls `arrived` with each.
    pub fn consume(&mut self, rx: &mut Consumer<'_, u64>, arrived: impl FnMut(u64)) {
        match self {
            Self::Spin(strategy) => consume(rx, strategy, arrived),
            Self::Backoff(strategy) => consume(rx, strategy, arrived),
            Self::Yield(strategy) => consume(rx, strategy, arrived),
            Self::Park(strategy) => consume(rx, strategy, arrived),
            Self::Adaptive(strategy) => consume(rx, strategy.as_mut(), arrived),
            Self::Naps(strategy) => consume(rx, strategy, arrived),
        }
    }
}

fn consume<W: Wait>(rx: &mut Consumer<'_, u64>, strategy: &mut W, mut arrived: impl FnMut(u64)) {
    rx.declare(strategy);
    while let Ok(stamp) = rx.pop_wait(strategy) {
        if stamp == END {
            break;
        }
        arrived(stamp);
    }
}
