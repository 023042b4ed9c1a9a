//! How long to wait before the next attempt: twice as long each time, up to a limit, and by chance up to half less, so that many clients do not
//! come back at once (M. Brooker, "Exponential backoff and jitter", AWS Architecture Blog, 2015, there "equal jitter").

use std::time::Duration;

/// The pauses between attempts.
#[derive(Clone, Debug)]
pub struct Backoff {
    least: Duration,
    most: Duration,
    failures: u32,
}

impl Backoff {
    /// Pauses of `least` at first and never more than `most`.
    pub const fn new(least: Duration, most: Duration) -> Self {
        Self {
            least,
            most,
            failures: 0,
        }
    }

    /// An attempt failed: how long to wait before the next.
    pub fn failed(&mut self) -> Duration {
        let pause = self.pause(self.failures);
        self.failures = self.failures.saturating_add(1);
        pause
    }

    /// An attempt succeeded: the next failure is the first.
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// How long to wait after so many failures before the last.
    pub fn pause(&self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        let whole = self.least.saturating_mul(factor).min(self.most);
        whole.mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pauses_double_up_to_the_limit(least in 1..1000_u64, most in 1000..100_000_u64, failures in 0..100_usize) {
            let [least, most] = [least, most].map(Duration::from_millis);
            let mut backoff = Backoff::new(least, most);
            let mut whole = least;
            for _ in 0..failures {
                let pause = backoff.failed();
                prop_assert!(whole / 2 <= pause && pause <= whole, "{:?} of {:?}", pause, whole);
                whole = (whole * 2).min(most);
            }
            backoff.succeeded();
            prop_assert!(backoff.failed() <= least);
        }
    }

    #[test]
    fn pauses_differ() {
        let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(1));
        let first = backoff.pause(0);
        assert!((0..100).any(|_| backoff.pause(0) != first));
    }
}
