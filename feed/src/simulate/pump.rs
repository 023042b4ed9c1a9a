//! The thread that sends the streams.

use super::state::{Delivery, Shared};
use std::time::{Duration, Instant};

/// Sends until the exchange stops.
pub(super) fn run(shared: &Shared) {
    let mut pace = shared.options.rate.map(Pace::new);
    while let Some((listeners, deliveries)) = shared.next() {
        for delivery in deliveries {
            if let (Some(pace), Delivery::Text { .. }) = (&mut pace, &delivery) {
                let time = pace.wait();
                if !time.is_zero() {
                    shared.pause(time);
                }
            }
            for listener in &listeners {
                // Its connection is gone if it cannot be sent, and is forgotten by its own thread.
                if listener.wants(&delivery) {
                    let _ = listener.sender.send(delivery.clone());
                }
            }
        }
    }
}

/// When messages are due.
struct Pace {
    step: Duration,
    due: Instant,
}

impl Pace {
    fn new(rate: f64) -> Self {
        Self {
            step: Duration::from_secs_f64(1.0 / rate),
            due: Instant::now(),
        }
    }

    /// How long to wait for the next message. Time lost is made up for a tenth of a second, and forgotten beyond.
    fn wait(&mut self) -> Duration {
        let now = Instant::now();
        let late = now.checked_sub(Duration::from_millis(100)).unwrap_or(now);
        self.due = self.due.max(late) + self.step;
        self.due.saturating_duration_since(now)
    }
}
