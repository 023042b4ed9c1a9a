//! What ways of waiting make of the latency of a feed that is mostly quiet.

use crate::queue::{Offered, Queue, Size, Ticks};
use crate::report::{Latency, Times};
use crate::stop::Stop;
use crate::strategy::Strategy;
use anyhow::{ensure, Result};
use gimmal::WaitError;
use rustix::time::{clock_gettime, ClockId};
use serde::Serialize;
use std::thread;
use std::time::Duration;

/// What [`run`] works by.
#[derive(Clone, Debug)]
pub struct Options {
    /// The ways to compare.
    pub strategies: Vec<Strategy>,
    /// Messages to each.
    pub count: u64,
    /// The mean time between two messages; each is between half of it and half as much again.
    pub period: Duration,
    /// Ends it early.
    pub stop: Stop,
}

impl Options {
    /// Two ways of sleeping without being woken, and two of being woken.
    pub fn new() -> Self {
        Self {
            strategies: vec![
                Strategy::Sleep,
                Strategy::SpinSleep,
                Strategy::Park,
                Strategy::Adaptive,
            ],
            count: 1000,
            period: Duration::from_millis(5),
            stop: Stop::default(),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

/// What one way took.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The way of waiting.
    pub strategy: Strategy,
    /// Nanoseconds from the producer to the consumer.
    pub latency: Latency,
    /// The consumer's processor time, as a share of a core.
    pub processor: f64,
}

/// That it is to stop is seen so soon.
const LOOK: Duration = Duration::from_millis(100);
/// As long as a diff of a few levels.
const TEXT: [u8; 300] = [b'x'; 300];

/// Measures the ways one after the other, until somebody asks it to stop; `done` is told of each.
///
/// # Errors
/// If a message is lost.
pub fn run(options: &Options, done: &mut dyn FnMut(&Row)) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for strategy in &options.strategies {
        let row = measure(*strategy, options)?;
        done(&row);
        rows.push(row);
        if options.stop.is_stopped() {
            break;
        }
    }
    Ok(rows)
}

fn measure(strategy: Strategy, options: &Options) -> Result<Row> {
    let queue = Queue::new(Size::K64);
    let (mut sender, mut receiver) = queue.split()?;
    let ticks = Ticks::start();
    let mut times = Times::new();
    let period = options.period;
    let (processor, sent) = thread::scope(|scope| -> Result<_> {
        let sending = scope.spawn(move || {
            // The same times for every way.
            let mut random = fastrand::Rng::with_seed(1);
            for _ in 0..options.count {
                pause(period.mul_f64(0.5 + random.f64()), &options.stop);
                let is_over = options.stop.is_stopped();
                if is_over || sender.offer(1, ticks.now(), &TEXT) == Offered::Closed {
                    break;
                }
            }
            sender.close();
            sender.produced()
        });
        let mut waiter = strategy.waiter(ticks);
        receiver.declare(&mut waiter);
        let (start, used) = (ticks.now(), processor_time());
        loop {
            let mut deadline = ticks.after(Duration::from_secs(10) + period * 2);
            let taken = receiver.receive(&mut waiter, &mut deadline, |head, _, _| {
                times.record(ticks.now() - head.at);
            });
            match taken {
                Ok(()) => {}
                Err(WaitError::Closed) => break,
                Err(WaitError::TimedOut) => {
                    receiver.close();
                    ensure!(false, "{strategy}: nothing came");
                }
            }
        }
        let used = processor_time().saturating_sub(used);
        let share = used.as_nanos() as f64 / (ticks.now() - start) as f64;
        Ok((share, sending.join().expect("the sender does not panic")))
    })?;
    ensure!(
        receiver.consumed() == sent,
        "{strategy}: {} of {sent} messages came",
        receiver.consumed()
    );
    Ok(Row {
        strategy,
        latency: times.latency(),
        processor,
    })
}

/// Sleeps for so long, or until somebody asks to stop.
fn pause(mut time: Duration, stop: &Stop) {
    while !time.is_zero() && !stop.is_stopped() {
        let step = time.min(LOOK);
        thread::sleep(step);
        time -= step;
    }
}

/// What this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_measured_on_every_message() {
        let options = Options {
            count: 50,
            period: Duration::from_micros(500),
            ..Options::new()
        };
        let mut seen = Vec::new();
        let rows = run(&options, &mut |row| seen.push(row.strategy)).unwrap();
        assert_eq!(seen, options.strategies);
        for row in rows {
            assert_eq!(row.latency.count, 50, "{}", row.strategy);
            assert!(row.latency.p50 <= row.latency.p99);
        }
    }
}
