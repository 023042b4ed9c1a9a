//! The ways in which the consumer may wait, to choose among at run time.

use crate::queue::Ticks;
use clap::ValueEnum;
use gimmal::wait::{Adaptive, Bell, Clock, Deadline, Park, Spin, Wait, Yield};
use serde::Serialize;
use std::fmt;
use std::hint::spin_loop;
use std::thread;
use std::time::Duration;

/// A way of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Poll without a pause: needs a core
    Spin,
    /// Let other threads run between polls
    Yield,
    /// Sleep 200 µs at a time, from the first on
    Sleep,
    /// Poll 2000 times, then sleep 200 µs at a time
    SpinSleep,
    /// Sleep until woken
    Park,
    /// Spin as far as half of a core allows, then sleep until woken
    Adaptive,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.to_possible_value();
        f.pad(name.as_ref().map_or("", |name| name.get_name()))
    }
}

impl Strategy {
    /// A waiter of this way.
    pub fn waiter(self, ticks: Ticks) -> Waiter<impl Clock> {
        match self {
            Self::Spin => Waiter::Spin(Spin),
            Self::Yield => Waiter::Yield(Yield::new()),
            Self::Sleep => Waiter::Nap(Nap { spins: 0 }),
            Self::SpinSleep => Waiter::Nap(Nap { spins: 2000 }),
            Self::Park => Waiter::Park(Park::new()),
            Self::Adaptive => {
                let adaptive = Adaptive::new(50, move || ticks.now(), Park::new());
                Waiter::Adaptive(Box::new(adaptive))
            }
        }
    }
}

/// Polls so many times, then sleeps a little between polls. Nobody needs to wake it.
pub struct Nap {
    spins: u32,
}

const NAP: Duration = Duration::from_micros(200);

impl Wait for Nap {
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        deadline: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        for _ in 0..self.spins {
            if let Some(found) = poll() {
                return Some(found);
            }
            spin_loop();
        }
        loop {
            if let Some(found) = poll() {
                return Some(found);
            }
            let left = Duration::from_nanos(deadline.left());
            if left.is_zero() {
                return None;
            }
            thread::sleep(NAP.min(left));
        }
    }
}

/// Waits as the [`Strategy`] that it was made of.
pub enum Waiter<C> {
    /// Polls.
    Spin(Spin),
    /// Yields.
    Yield(Yield<fn()>),
    /// Naps.
    Nap(Nap),
    /// Sleeps.
    Park(Park),
    /// Spins under a budget, then sleeps.
    Adaptive(Box<Adaptive<C, Park>>),
}

impl<C: Clock> Wait for Waiter<C> {
    fn wait<R>(
        &mut self,
        bell: Bell<'_>,
        deadline: &mut impl Deadline,
        poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        match self {
            Self::Spin(spin) => spin.wait(bell, deadline, poll),
            Self::Yield(yielding) => yielding.wait(bell, deadline, poll),
            Self::Nap(nap) => nap.wait(bell, deadline, poll),
            Self::Park(park) => park.wait(bell, deadline, poll),
            Self::Adaptive(adaptive) => adaptive.wait(bell, deadline, poll),
        }
    }

    fn declare(&mut self, bell: Bell<'_>) {
        match self {
            Self::Spin(spin) => spin.declare(bell),
            Self::Yield(yielding) => yielding.declare(bell),
            Self::Nap(nap) => nap.declare(bell),
            Self::Park(park) => park.declare(bell),
            Self::Adaptive(adaptive) => adaptive.declare(bell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Offered, Queue, Size};
    use gimmal::WaitError;

    #[test]
    fn every_way_of_waiting_gets_every_message() {
        for strategy in Strategy::value_variants() {
            let queue = Queue::new(Size::M1);
            let (mut sender, mut receiver) = queue.split().unwrap();
            let ticks = Ticks::start();
            let received = thread::scope(|scope| {
                scope.spawn(move || {
                    for number in 0..300_u64 {
                        assert_eq!(sender.offer(1, number, b"text"), Offered::Sent);
                        if number % 3 == 0 {
                            thread::sleep(Duration::from_micros(300));
                        }
                    }
                    sender.close();
                });
                let mut waiter = strategy.waiter(ticks);
                receiver.declare(&mut waiter);
                let mut received = Vec::new();
                loop {
                    let mut deadline = ticks.after(Duration::from_secs(60));
                    match receiver.receive(&mut waiter, &mut deadline, |head, _, _| head.at) {
                        Ok(at) => received.push(at),
                        Err(WaitError::Closed) => break received,
                        Err(WaitError::TimedOut) => panic!("{strategy}: nothing for a minute"),
                    }
                }
            });
            assert!(received.into_iter().eq(0..300), "{strategy}");
        }
    }
}
