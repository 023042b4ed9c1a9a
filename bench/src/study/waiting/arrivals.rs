//! When messages are meant to be pushed.

/// How messages arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regime {
    /// One every 100 µs.
    Steady,
    /// 10,000 a second, independent of each other.
    Poisson,
    /// 100,000 a second for 5 ms, then none for 15 ms.
    Bursts,
}

/// Every regime, in the order of the tables.
pub const REGIMES: [Regime; 3] = [Regime::Steady, Regime::Poisson, Regime::Bursts];

const MILLISECOND: f64 = 1e6;
const GAP: f64 = 100_000.0;
const BURST_GAP: f64 = 10_000.0;
const BURST: f64 = 5.0 * MILLISECOND;
const CYCLE: f64 = 20.0 * MILLISECOND;

impl Regime {
    /// In the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady 10 kHz",
            Self::Poisson => "Poisson 10 kHz",
            Self::Bursts => "bursts of 100 kHz",
        }
    }

    /// The moments within this time, in nanoseconds from its start.
    pub fn schedule(self, nanoseconds: f64, random: &mut fastrand::Rng) -> Vec<f64> {
        let mut moments = Vec::new();
        let mut at = 0.0;
        loop {
            at += match self {
                Self::Steady => GAP,
                Self::Poisson => -(1.0 - random.f64()).ln() * GAP,
                Self::Bursts if (at + BURST_GAP) % CYCLE > BURST => CYCLE - at % CYCLE,
                Self::Bursts => BURST_GAP,
            };
            if at >= nanoseconds {
                return moments;
            }
            moments.push(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regimes_have_the_rates_that_they_say() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut count = |regime: Regime| regime.schedule(1e9, &mut random).len();
        assert_eq!(count(Regime::Steady), 9999);
        assert!((9500..10_500).contains(&count(Regime::Poisson)));
        let bursts = count(Regime::Bursts);
        assert!((24_900..25_100).contains(&bursts), "{bursts}");
    }

    #[test]
    fn a_burst_is_followed_by_silence() {
        let moments = Regime::Bursts.schedule(1e8, &mut fastrand::Rng::new());
        let gaps: Vec<f64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let silences = gaps.iter().filter(|&&gap| gap > 1e7).count();
        assert_eq!(silences, 4);
        assert!(gaps.iter().all(|&gap| gap > 1e7 || (gap - 1e4).abs() < 1.0));
        assert!(moments.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
