//! What the tests share.

#![allow(dead_code, reason = "each test uses a part of it")]

use gimmal_engine::{Price, Quantity, RiskEvent};
use std::process::abort;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::Duration;

/// Ends the process if the test is not done in so many seconds: a hang is a failure.
pub fn within(seconds: u64, test: impl FnOnce()) {
    let (done, watched) = channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if watched.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            eprintln!("the test hangs");
            abort();
        }
    });
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(test));
    drop(done);
    watchdog.join().unwrap();
    if let Err(payload) = outcome {
        std::panic::resume_unwind(payload);
    }
}

/// An event that scores 950.
pub fn event(id: u64) -> RiskEvent {
    RiskEvent {
        id,
        timestamp: id + 1,
        price: Price::from_raw(50_000_000),
        quantity: Quantity::whole(20_000),
        ..RiskEvent::default()
    }
}
