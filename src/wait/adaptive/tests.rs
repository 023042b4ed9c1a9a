use super::mean::Mean;
use super::quantile::{Quantile, FULL};
use super::*;
use crate::wait::Never;
use core::cell::Cell;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::vec::Vec;

/// P-square in floating point, with the same forgetting: what the integers must agree with.
struct Reference {
    share: f64,
    heights: Vec<f64>,
    places: [f64; 5],
}

impl Reference {
    fn new(share: f64) -> Self {
        Self {
            share,
            heights: Vec::new(),
            places: [1.0, 2.0, 3.0, 4.0, 5.0],
        }
    }

    fn observe(&mut self, value: f64) {
        if self.heights.len() < 5 {
            self.heights.push(value);
            self.heights.sort_by(f64::total_cmp);
            return;
        }
        let (q, n, p) = (&mut self.heights, &mut self.places, self.share);
        q[0] = q[0].min(value);
        q[4] = q[4].max(value);
        for i in 1..4 {
            if value < q[i] {
                n[i] += 1.0;
            }
        }
        n[4] += 1.0;
        for (i, share) in [(1, p / 2.0), (2, p), (3, (1.0 + p) / 2.0)] {
            let off = 1.0 + (n[4] - 1.0) * share - n[i];
            let d: f64 = if off > 1.0 - 1e-6 && n[i + 1] - n[i] > 1.0 {
                1.0
            } else if off < -1.0 + 1e-6 && n[i] - n[i - 1] > 1.0 {
                -1.0
            } else {
                continue;
            };
            let curved = q[i]
                + d / (n[i + 1] - n[i - 1])
                    * ((n[i] - n[i - 1] + d) * (q[i + 1] - q[i]) / (n[i + 1] - n[i])
                        + (n[i + 1] - n[i] - d) * (q[i] - q[i - 1]) / (n[i] - n[i - 1]));
            if q[i - 1] < curved && curved < q[i + 1] {
                q[i] = curved;
            } else if d > 0.0 {
                q[i] += (q[i + 1] - q[i]) / (n[i + 1] - n[i]);
            } else {
                q[i] -= (q[i] - q[i - 1]) / (n[i] - n[i - 1]);
            }
            n[i] += d;
        }
        if n[4] >= FULL as f64 {
            for i in 1..5 {
                n[i] = (1.0 + ((n[i] - 1.0) / 2.0).floor()).max(n[i - 1] + 1.0);
            }
            q[0] += (q[1] - q[0]) / 2.0;
            q[4] -= (q[4] - q[3]) / 2.0;
        }
    }
}

/// A stream of waits, spread evenly or exponentially, at some scale: their quantiles stand where values are many.
fn smooth_waits() -> impl Strategy<Value = Vec<u64>> {
    waits_of(2)
}

/// A stream of any waits: also those where a few are far from the rest. A quantile at the edge of such a gap hangs on one rounding.
fn waits() -> impl Strategy<Value = Vec<u64>> {
    waits_of(3)
}

fn waits_of(shapes: u32) -> impl Strategy<Value = Vec<u64>> {
    let scale = prop_oneof![Just(3_u64), Just(300), Just(100_000), Just(1 << 34)];
    (scale, 0..shapes, 5..12_000_usize).prop_perturb(|(scale, shape, count), mut random| {
        let mut draw = || random.random_range(0.0..1.0_f64);
        (0..count)
            .map(|_| match shape {
                0 => (draw() * scale as f64) as u64,
                1 => (-(1.0 - draw()).ln() * scale as f64) as u64,
                _ if draw() < 0.97 => scale + (draw() * 20.0) as u64,
                _ => 50 * scale,
            })
            .collect()
    })
}

// How far an estimate may be off is a matter of chance, so that each run draws the same streams.
proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(1985), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn quantiles_agree_with_floating_point(waits in smooth_waits(), thousandths in prop_oneof![Just(500_i64), Just(950)]) {
        let mut ours = Quantile::new(thousandths);
        let mut reference = Reference::new(thousandths as f64 / 1000.0);
        for &wait in &waits {
            ours.observe(wait);
            reference.observe(wait as f64);
        }
        let (ours, expected) = (ours.estimate().unwrap() as f64, reference.heights[2]);
        // Where values are rare, one rounding more or less moves a marker by a step.
        let spread = reference.heights[3] - reference.heights[1];
        prop_assert!((ours - expected).abs() <= 1.5 + 0.05 * spread + 0.01 * expected, "{ours} {expected} {spread}");
    }

    #[test]
    fn quantiles_stay_within_what_was_seen(waits in waits(), thousandths in prop_oneof![Just(500_i64), Just(950)]) {
        let mut quantile = Quantile::new(thousandths);
        for &wait in &waits {
            quantile.observe(wait);
        }
        let (least, greatest) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        let estimate = quantile.estimate().unwrap();
        prop_assert!((least..=greatest).contains(&&estimate), "{estimate} outside {least}..={greatest}");
    }

    #[test]
    fn means_agree_with_floating_point(waits in waits()) {
        let mut ours = Mean::new();
        let mut expected = 0.0;
        for (n, &wait) in waits.iter().enumerate() {
            ours.observe(wait);
            expected += (wait as f64 - expected) / (n + 1).min(4096) as f64;
        }
        let ours = ours.scaled() as f64 / 65536.0;
        prop_assert!((ours - expected).abs() <= 0.1 + 1e-4 * expected, "{ours} {expected}");
    }

    #[test]
    fn quantiles_are_near_the_true_ones(seed in any::<u64>()) {
        let mut random = seed | 1;
        let mut draw = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut median, mut high) = (Quantile::new(500), Quantile::new(950));
        for _ in 0..20_000 {
            let wait = (-(1.0 - draw()).ln() * 100_000.0) as u64;
            median.observe(wait);
            high.observe(wait);
        }
        let off = |quantile: &Quantile, truth: f64| {
            (quantile.estimate().unwrap() as f64 / truth - 1.0).abs()
        };
        prop_assert!(off(&median, 69_315.0) < 0.25, "{median:?}");
        prop_assert!(off(&high, 299_573.0) < 0.25, "{high:?}");
    }
}

#[test]
fn a_change_of_regime_is_followed_within_ten_thousand_values() {
    for (before, after) in [(1_000_000, 1000), (1000, 1_000_000)] {
        let (mut median, mut high) = (Quantile::new(500), Quantile::new(950));
        let mut mean = Mean::new();
        let jittered = |level: u64, n: u64| level - level / 10 + (n * 7919) % (level / 5);
        for n in 0..200_000 {
            median.observe(jittered(before, n));
            high.observe(jittered(before, n));
            mean.observe(jittered(before, n));
        }
        for n in 0..10_000 {
            median.observe(jittered(after, n));
            high.observe(jittered(after, n));
            mean.observe(jittered(after, n));
        }
        for quantile in [median, high] {
            let estimate = quantile.estimate().unwrap() as f64 / after as f64;
            assert!(
                (0.8..1.3).contains(&estimate),
                "{before} to {after}: {estimate}"
            );
        }
        let factor = mean.scaled() as f64 / 65536.0 / after as f64;
        // The mean remembers e^-2.4 of the difference.
        assert!(
            (0.8..100.0).contains(&factor),
            "{before} to {after}: {factor}"
        );
    }
}

#[test]
fn the_greatest_waits_overflow_nothing() {
    let mut quantile = Quantile::new(950);
    let mut mean = Mean::new();
    for n in 0..20_000_u64 {
        let wait = if n % 2 == 0 { LONGEST } else { 0 };
        quantile.observe(wait);
        mean.observe(wait);
    }
    assert!(quantile.estimate().unwrap() > LONGEST / 2);
    assert!(mean.scaled() >> 16 > LONGEST / 3);
    let mut account = Account::new(100);
    account.pay_in(u64::MAX);
    account.take(u64::MAX);
    assert_eq!(account.left(), 0);
    assert!(account.affords(u64::MAX, u64::MAX));
}

/// What a poll takes, in nanoseconds.
const POLL: u64 = 100;

/// A consumer in a world of its own, where a wake takes 8 µs.
struct World {
    now: Cell<u64>,
    next: Cell<u64>,
}

struct Asleep<'w>(&'w World);

impl Wait for Asleep<'_> {
    fn wait<R>(
        &mut self,
        _: Bell<'_>,
        _: &mut impl Deadline,
        mut poll: impl FnMut() -> Option<R>,
    ) -> Option<R> {
        let world = self.0;
        if world.next.get() > world.now.get() {
            world.now.set(world.next.get() + 8000);
        }
        poll()
    }
}

/// Messages come at these gaps. Returns the share of the waits that ended while spinning, and of the time that was spun.
fn live(percent: u32, gaps: impl Iterator<Item = u64>) -> (f64, f64) {
    let world = World {
        now: Cell::new(1000),
        next: Cell::new(1000),
    };
    let word = core::sync::atomic::AtomicU32::new(0);
    let mut adaptive = Adaptive::new(percent, || world.now.get(), Asleep(&world));
    let (mut messages, mut in_time, mut polls) = (0_u64, 0_u64, 0_u64);
    let mut start = 0;
    for (n, gap) in gaps.enumerate() {
        if n == 8_000 {
            (start, messages, in_time, polls) = (world.now.get(), 0, 0, 0);
        }
        world.next.set(world.next.get() + gap);
        adaptive.wait(Bell::new(&word), &mut Never, || {
            world.now.set(world.now.get() + POLL);
            polls += 1;
            (world.now.get() >= world.next.get()).then_some(())
        });
        messages += 1;
        in_time += u64::from(world.now.get() < world.next.get() + 1000);
    }
    let time = world.now.get() - start;
    let spun = POLL * polls;
    (in_time as f64 / messages as f64, spun as f64 / time as f64)
}

/// A consumer that works for some time, then waits as long again and again, and now and then longer; polls take 12 ns.
fn live_at_short_waits(percent: u32, work: u64) -> f64 {
    let now = Cell::new(0);
    let next = Cell::new(0);
    let spun = Cell::new(0);
    let word = core::sync::atomic::AtomicU32::new(0);
    struct UntilNext<'t>(&'t Cell<u64>, &'t Cell<u64>);
    impl Wait for UntilNext<'_> {
        fn wait<R>(
            &mut self,
            _: Bell<'_>,
            _: &mut impl Deadline,
            mut poll: impl FnMut() -> Option<R>,
        ) -> Option<R> {
            self.0.set(self.0.get().max(self.1.get()));
            poll()
        }
    }
    let mut adaptive = Adaptive::new(percent, || now.get(), UntilNext(&now, &next));
    let mut start = (0, 0);
    for n in 0..100_000_u64 {
        if n == 50_000 {
            start = (now.get(), spun.get());
        }
        now.set(now.get() + if n < 25_000 { 1500 } else { work });
        next.set(now.get() + if n % 1000 == 0 { 5000 } else { 370 });
        adaptive.wait(Bell::new(&word), &mut Never, || {
            if now.get() >= next.get() {
                return Some(());
            }
            now.set(now.get() + 12);
            spun.set(spun.get() + 12);
            None
        });
    }
    (spun.get() - start.1) as f64 / (now.get() - start.0) as f64
}

#[test]
fn spins_that_end_before_a_look_at_the_clock_are_paid_for() {
    for percent in [10, 25, 50] {
        for work in [300, 420, 700, 1000, 2000] {
            let spun = live_at_short_waits(percent, work);
            let budget = f64::from(percent) / 100.0;
            assert!(spun <= budget + 0.01, "{percent} {work}: {spun}");
        }
    }
    assert!(
        live_at_short_waits(50, 1000) > 0.2,
        "what the budget buys is spent"
    );
}

fn bursts() -> impl Iterator<Item = u64> {
    (0..24_000).map(|n| if n % 500 == 499 { 15_000_000 } else { 10_000 })
}

fn poisson() -> impl Iterator<Item = u64> {
    let mut random = 88_172_645_463_325_252_u64;
    (0..24_000).map(move |_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let uniform = ((random >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
        (-uniform.ln() * 100_000.0) as u64
    })
}

#[test]
fn half_a_core_buys_bursts_at_their_own_duty() {
    let (in_time, spun) = live(50, bursts());
    assert!(in_time > 0.99, "{in_time}");
    assert!((0.24..0.27).contains(&spun), "{spun}");
}

#[test]
fn what_a_budget_does_not_buy_it_does_not_spend() {
    for percent in [10, 25, 50] {
        let steady = (0..24_000).map(|_| 100_000);
        let (in_time, spun) = live(percent, steady);
        assert!(in_time < 0.01 && spun < 0.02, "{percent}: {in_time} {spun}");
    }
    for percent in [10, 25] {
        let (_, spun) = live(percent, poisson());
        assert!(spun < 0.02, "{percent}: {spun}");
    }
}

#[test]
fn no_budget_is_exceeded() {
    for percent in [0, 10, 50, 100, 1000] {
        for (in_time, spun) in [live(percent, bursts()), live(percent, poisson())] {
            let budget = f64::from(percent.min(100)) / 100.0;
            assert!(spun <= budget + 0.01, "{percent}: {spun}");
            assert!(percent < 1000 || in_time > 0.97, "{percent}: {in_time}");
        }
    }
}

#[test]
fn a_deadline_ends_a_spin_and_a_sleep() {
    struct Nothing;
    impl Wait for Nothing {
        fn wait<R>(
            &mut self,
            _: Bell<'_>,
            deadline: &mut impl Deadline,
            _: impl FnMut() -> Option<R>,
        ) -> Option<R> {
            assert_eq!(deadline.left(), 0);
            None
        }
    }
    struct Passed;
    impl Deadline for Passed {
        fn left(&mut self) -> u64 {
            0
        }
    }
    let word = core::sync::atomic::AtomicU32::new(0);
    let mut now = 0;
    let mut adaptive = Adaptive::new(
        50,
        || {
            now += 1000;
            now
        },
        Nothing,
    );
    for _ in 0..10 {
        let found: Option<()> = adaptive.wait(Bell::new(&word), &mut Passed, || None);
        assert_eq!(found, None);
    }
}
