//! What a slot of a pool costs beside memory of the allocator: docs/adr/0014-pool.md.

mod kernels;

use super::result::{
    Axis, Claim, Disturbed, Figure, Findings, Form, Point, Series, Table, Verdict,
};
use super::Setup;
use crate::abi::{Kernel, Run};
use crate::stats::{self, Bound, Control, Estimate};
use crate::threads::Cell;
use crate::watchdog::Watchdog;
use anyhow::{ensure, Context, Result};
use std::ffi::CStr;
use std::sync::atomic::Ordering;

const RECORD: &str = "docs/adr/0014-pool.md";
const PREDICTION: &str = "Taking and giving back, as a part of the allocator's time: at most 1.0 on one thread and at most 1.0 across with the tagged list; \
     at most 0.5 and at most 0.5 with the owner's list.";

/// Objects in bytes.
const SIZES: [u32; 3] = [8, 48, 256];

/// One thread takes and gives back, or another gives back.
const WAYS: [&str; 2] = ["one thread", "across"];

/// A store, the allocator that it stands beside, and the most of the allocator's time that it was predicted to take.
const SUBJECTS: [(&str, &str, Option<f64>); 7] = [
    ("pool-rust", "box", Some(1.0)),
    ("owner-rust", "box", Some(0.5)),
    ("pool-cpp", "malloc", Some(1.0)),
    ("owner-cpp", "malloc", Some(0.5)),
    ("pool-c", "malloc", None),
    ("box", "box", None),
    ("malloc", "malloc", None),
];

/// One store beside its allocator.
struct Beside {
    way: &'static str,
    bytes: u32,
    store: &'static str,
    bound: Option<f64>,
    kernels: [Kernel; 2],
    /// Nanoseconds of the two, a pair of runs each.
    pairs: Vec<[f64; 2]>,
    /// Pairs in which the system took a thread off its core.
    dropped: u64,
}

impl Beside {
    fn ratio(&self) -> Option<Estimate> {
        Estimate::of(self.pairs.iter().map(|[own, beside]| own / beside))
    }

    fn nanoseconds(&self, which: usize) -> Option<Estimate> {
        Estimate::of(self.pairs.iter().map(|pair| pair[which]))
    }
}

/// Measures everything.
///
/// # Errors
///
/// If an object did not arrive as it was sent, or a kernel is missing.
pub fn findings(setup: &mut Setup) -> Result<Findings> {
    let mut all = plan()?;
    let rounds = setup.amount(80, 16);
    let progress = setup.progress(rounds)?;
    let mut rng = fastrand::Rng::new();
    let mut watchdog = Watchdog::new()?;
    for _ in 0..rounds {
        let mut order: Vec<usize> = (0..all.len()).collect();
        rng.shuffle(&mut order);
        for at in order {
            let beside = &mut all[at];
            watchdog.start(&format!(
                "{} of {} bytes, {}",
                beside.store, beside.bytes, beside.way
            ));
            let first = rng.usize(..2);
            let mut pair = [None; 2];
            for which in [first, 1 - first] {
                // Moves what is allocated next, so that nothing keeps the luck of one address.
                let shift: Vec<u8> = Vec::with_capacity(64 * rng.usize(1..=1024));
                pair[which] = time(setup, &beside.kernels[which], beside.way)?;
                drop(shift);
            }
            match pair {
                [Some(own), Some(other)] => beside.pairs.push([own, other]),
                _ => beside.dropped += 1,
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(tell(&all))
}

fn plan() -> Result<Vec<Beside>> {
    let kernels = kernels::all();
    let find = |store: &str, way: &str, bytes: u32| {
        let found = kernels.iter().find(|kernel| {
            // SAFETY: a kernel's strings are constants that end in a zero.
            let [queue, benchmark] =
                [kernel.queue, kernel.benchmark].map(|text| unsafe { CStr::from_ptr(text) });
            queue.to_bytes() == store.as_bytes()
                && benchmark.to_bytes() == way.as_bytes()
                && kernel.payload == bytes
        });
        found
            .copied()
            .with_context(|| format!("no kernel for {store}, {way}, {bytes} bytes"))
    };
    let mut all = Vec::new();
    for way in WAYS {
        for bytes in SIZES {
            for (store, allocator, bound) in SUBJECTS {
                all.push(Beside {
                    way,
                    bytes,
                    store,
                    bound,
                    kernels: [find(store, way, bytes)?, find(allocator, way, bytes)?],
                    pairs: Vec::new(),
                    dropped: 0,
                });
            }
        }
    }
    Ok(all)
}

/// Nanoseconds an object; `None` if the system took a thread off its core.
fn time(setup: &mut Setup, kernel: &Kernel, way: &str) -> Result<Option<f64>> {
    let objects = if way == WAYS[0] {
        setup.amount(200_000, 100_000)
    } else {
        setup.amount(50_000, 30_000)
    };
    let hint = setup.options.hint as usize;
    let mut cell = Cell::new(kernel, 0);
    // Touches the memory, and lets the allocator settle.
    let warm = Run::new(objects / 10 + 1, u64::MAX, &[]);
    cell.run(&mut setup.crew, hint, &warm);
    let run = Run::new(objects, u64::MAX, &[]);
    let switches = cell.run(&mut setup.crew, hint, &run);
    let wrong =
        run.wrong_led.load(Ordering::Relaxed) | run.wrong_followed.0.load(Ordering::Relaxed);
    ensure!(wrong == 0, "an object did not arrive as it was sent");
    let ns = setup.clock.ns(run.ticks.load(Ordering::Relaxed)) / objects as f64;
    Ok((switches == 0).then_some(ns))
}

fn tell(all: &[Beside]) -> Findings {
    let mut findings = Findings::new("A pool's slots beside the allocator's memory");
    for way in WAYS {
        let mut table = Table::new(
            &format!("Taken and given back: {way}"),
            &[
                ("bytes", ""),
                ("store", ""),
                ("an object", "ns"),
                ("from the allocator", "ns"),
                ("ratio", ""),
                ("predicted at most", ""),
                ("verdict", ""),
                ("pairs", ""),
            ],
        );
        for beside in all.iter().filter(|beside| beside.way == way) {
            table.row([
                u64::from(beside.bytes).into(),
                beside.store.into(),
                beside.nanoseconds(0).into(),
                beside.nanoseconds(1).into(),
                beside.ratio().into(),
                beside.bound.into(),
                beside
                    .bound
                    .and_then(|bound| judge(all, beside, bound))
                    .map(stats::Verdict::name)
                    .into(),
                (beside.pairs.len() as u64).into(),
            ]);
        }
        findings.tables.push(table);
        findings.figures.push(figure(all, way));
    }
    findings.disturbed = Some(Disturbed {
        of: "pairs".to_owned(),
        kept: all.iter().map(|beside| beside.pairs.len() as u64).sum(),
        dropped: all.iter().map(|beside| beside.dropped).sum(),
    });
    findings.claim = Some(claim(all));
    findings.notes.push(
        "Across, the time holds the passage of the object through a LineRing, which is the same beside the allocator; Rust's handle has 16 bytes, a Box and C++'s pointer 8."
            .into(),
    );
    findings
        .notes
        .push("box beside box and malloc beside malloc are the controls: where one misses 1, what stands beside that allocator is void.".into());
    findings
}

/// On one store; the allocator beside itself is the control.
fn judge(all: &[Beside], beside: &Beside, bound: f64) -> Option<stats::Verdict> {
    let allocator = SUBJECTS
        .iter()
        .find(|(store, ..)| *store == beside.store)
        .map(|(_, allocator, _)| *allocator);
    let control = all.iter().find(|other| {
        (other.way, other.bytes) == (beside.way, beside.bytes) && Some(other.store) == allocator
    });
    let control = Control::of(control.and_then(Beside::ratio).as_ref());
    Some(stats::Verdict::on(
        &beside.ratio()?,
        Bound::AtMost(bound),
        control,
    ))
}

fn claim(all: &[Beside]) -> Claim {
    let judged: Vec<_> = all
        .iter()
        .filter_map(|beside| {
            let bound = beside.bound?;
            Some((beside, bound, judge(all, beside, bound)))
        })
        .collect();
    let every = |wanted| {
        judged
            .iter()
            .all(|(_, _, verdict)| *verdict == Some(wanted))
    };
    let any = |wanted| {
        judged
            .iter()
            .any(|(_, _, verdict)| *verdict == Some(wanted))
    };
    let verdict = if any(stats::Verdict::Misses) {
        Verdict::Refuted
    } else if every(stats::Verdict::Holds) {
        Verdict::Confirmed
    } else {
        Verdict::Undecided
    };
    let worst = judged
        .iter()
        .filter_map(|(beside, bound, _)| Some((beside, bound, beside.ratio()?.median)))
        .max_by(|(_, one, a), (_, other, b)| (a / **one).total_cmp(&(b / **other)));
    let margin = worst.map_or_else(String::new, |(beside, bound, ratio)| {
        format!(
            "worst: {}, {} bytes, {}: {ratio:.2} of the allocator's time, at most {bound} predicted",
            beside.store, beside.bytes, beside.way
        )
    });
    Claim {
        record: RECORD.into(),
        prediction: PREDICTION.into(),
        verdict,
        margin,
    }
}

fn figure(all: &[Beside], way: &str) -> Figure {
    let series = SUBJECTS
        .iter()
        .filter(|(store, allocator, _)| store != allocator);
    Figure {
        title: format!("Part of the allocator's time: {way}"),
        caption:
            "The median ratio of an object's time within pairs of runs, with its 95 % interval."
                .into(),
        x: Axis::linear("object", "B"),
        y: Axis::linear("ratio to the allocator", ""),
        form: Form::Bars,
        series: series
            .map(|(store, ..)| Series {
                name: (*store).into(),
                points: all
                    .iter()
                    .filter(|beside| beside.way == way && beside.store == *store)
                    .filter_map(|beside| {
                        let ratio = beside.ratio()?;
                        Some(Point {
                            label: Some(format!("{} B", beside.bytes)),
                            ..Point::of(f64::from(beside.bytes), &ratio)
                        })
                    })
                    .collect(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair alike but for a little noise; `ratio` is of the store to its allocator.
    fn measured(ratio: impl Fn(&Beside) -> f64) -> Vec<Beside> {
        let mut all = plan().unwrap();
        for beside in &mut all {
            let ratio = ratio(beside);
            beside.pairs = (-3..=3)
                .map(|noise| [(10.0 + 0.01 * f64::from(noise)) * ratio, 10.0])
                .collect();
        }
        all
    }

    fn as_predicted(beside: &Beside) -> f64 {
        beside.bound.map_or(1.0, |bound| 0.9 * bound)
    }

    #[test]
    fn every_store_outlives_more_objects_than_it_has_slots() {
        use crate::threads::{allowed_cores, choose_cores, Crew};
        let cores = choose_cores(None, &allowed_cores().unwrap(), |_, _| false).unwrap();
        let mut crew = Crew::new(cores, false).unwrap();
        let mut watchdog = Watchdog::new().unwrap();
        for kernel in kernels::all() {
            let mut cell = Cell::new(&kernel, 0);
            for hint in 0..kernel.by_hint.len() {
                watchdog.start(&format!("{kernel:?} with hint {hint}"));
                let run = Run::new(5000, u64::MAX, &[]);
                cell.run(&mut crew, hint, &run);
                let wrong = run.wrong_led.load(Ordering::Relaxed)
                    | run.wrong_followed.0.load(Ordering::Relaxed);
                assert_eq!(wrong, 0, "{kernel:?} with hint {hint}");
                assert_ne!(run.ticks.load(Ordering::Relaxed), 0);
            }
        }
    }

    #[test]
    fn every_store_has_its_bound_to_keep() {
        let claim = claim(&measured(as_predicted));
        assert_eq!(claim.verdict, Verdict::Confirmed, "{}", claim.margin);
        for store in ["pool-rust", "owner-rust", "pool-cpp", "owner-cpp"] {
            for way in WAYS {
                let slow =
                    |beside: &Beside| (beside.store, beside.way, beside.bytes) == (store, way, 48);
                let all = measured(|beside| {
                    if slow(beside) {
                        1.1
                    } else {
                        as_predicted(beside)
                    }
                });
                let claim = super::claim(&all);
                assert_eq!(claim.verdict, Verdict::Refuted, "{store} {way}");
                assert!(
                    claim
                        .margin
                        .contains(&format!("{store}, 48 bytes, {way}: 1.10")),
                    "{}",
                    claim.margin
                );
            }
        }
    }

    #[test]
    fn a_control_that_misses_voids_what_stands_beside_that_allocator() {
        for (allocator, stores) in [
            ("box", ["pool-rust", "owner-rust"]),
            ("malloc", ["pool-cpp", "owner-cpp"]),
        ] {
            let all = measured(|beside| match beside.store {
                store if store == allocator => 1.1,
                _ => as_predicted(beside),
            });
            for beside in all.iter().filter(|beside| beside.bound.is_some()) {
                let verdict = judge(&all, beside, beside.bound.unwrap()).unwrap();
                assert_eq!(
                    verdict == stats::Verdict::Void,
                    stores.contains(&beside.store),
                    "{}",
                    beside.store
                );
            }
            assert_eq!(claim(&all).verdict, Verdict::Undecided);
        }
    }

    #[test]
    fn nothing_is_judged_on_few_pairs() {
        let mut all = measured(as_predicted);
        all.iter_mut().for_each(|beside| beside.pairs.truncate(5));
        assert_eq!(claim(&all).verdict, Verdict::Undecided);
        all.iter_mut().for_each(|beside| beside.pairs.clear());
        assert_eq!(claim(&all).verdict, Verdict::Undecided);
        assert_eq!(tell(&all).tables.len(), WAYS.len());
    }
}
