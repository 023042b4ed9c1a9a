//! A flag by which a run is asked to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Asks a run to end, from any thread. Clones are one flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks; whether that was done before.
    pub fn stop(&self) -> bool {
        // Read by `is_stopped`. Relaxed: nothing else is handed over with it.
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether somebody has asked.
    pub fn is_stopped(&self) -> bool {
        // Written by `stop`.
        self.0.load(Ordering::Relaxed)
    }
}
