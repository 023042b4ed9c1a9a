//! Trials in pairs: what a study times beside what it is compared with, by the method of the comparison.

use super::result::{Axis, Disturbed, Figure, Form, Point, Series, Table, Value};
use super::Setup;
use crate::catalog::Benchmark;
use crate::measure::Sample;
use crate::plan::{self, Group};
use crate::probe::{Divides, Placement, PLACEMENTS};
use crate::registry::Registry;
use crate::stand::{Stand, Subject};
use crate::stats::{Control, Estimate};
use anyhow::Result;
use std::time::{Duration, Instant};

/// What is timed, and beside what.
#[derive(Debug)]
pub struct Trial<K> {
    /// What the study knows it by.
    pub key: K,
    /// In the cells of a table, as long as the study's columns.
    pub label: Vec<Value>,
    /// What is timed.
    pub subject: Subject,
    /// What it is compared with.
    pub reference: Subject,
}

impl<K> Trial<K> {
    /// The group of what is timed.
    pub fn group(&self) -> &Group {
        self.subject.group()
    }
}

/// What came of a trial in one placement.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Nanoseconds, or million a second.
    pub value: Estimate,
    /// The same of the reference.
    pub reference: Estimate,
    /// The first as a multiple of the second, within a pair.
    pub ratio: Estimate,
    /// The reference beside itself.
    pub control: Control,
}

/// What came of all trials.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// The placements seen, from the nearest on.
    pub placements: Vec<Placement>,
    /// Of each trial, in each of these placements.
    by_trial: Vec<Vec<Option<Outcome>>>,
    /// Rounds run.
    pub rounds: u32,
    /// Pairs that were kept.
    pub kept: usize,
    /// Pairs that were not.
    pub dropped: usize,
}

/// How far the reference beside itself may be off: beyond that, something else than the subject made a difference.
const CONTROL_WITHIN: f64 = 0.01;

/// Runs every trial and every control once a round, in shuffled order, until the time is up.
///
/// # Errors
///
/// If the stand cannot be set up, or a queue delivered something else than what was sent.
pub fn run<K>(setup: &mut Setup, trials: &[Trial<K>], time: Duration) -> Result<Outcomes> {
    let registry = Registry::new();
    let progress = setup.progress(time.as_secs())?;
    let smoke = setup.options.smoke;
    let hint = setup.options.hint as usize;
    let clock = setup.clock;
    let mut stand = Stand::new(&registry, &mut setup.crew, clock, hint, smoke)?;

    let controls = controls(trials);
    let turns = trials.len() + controls.len();
    let mut samples: Vec<Vec<Sample>> = (0..turns).map(|_| Vec::new()).collect();
    let mut dropped = 0;
    let mut round = 0;
    let start = Instant::now();
    let mut before = stand.probe();
    while round == 0 || (!smoke && start.elapsed() < time) {
        for turn in plan::round(turns, stand.rng()) {
            let (subject, reference) = match trials.get(turn.queue) {
                Some(trial) => (&trial.subject, &trial.reference),
                None => {
                    let control = controls[turn.queue - trials.len()];
                    (control, control)
                }
            };
            progress.set_position(start.elapsed().as_secs());
            progress.set_message(subject.name.clone());
            let pair = stand.pair(subject, Some(reference), turn.first)?;
            let after = stand.probe();
            match pair {
                Some((value, reference)) if before.agrees(&after) => {
                    samples[turn.queue].push(Sample {
                        round,
                        value,
                        reference,
                        probe: before.between(&after),
                        singles: None,
                    });
                }
                _ => dropped += 1,
            }
            before = after;
        }
        round += 1;
    }
    progress.finish_and_clear();
    let of_trial: Vec<usize> = trials.iter().map(|trial| place(&controls, trial)).collect();
    Ok(Outcomes {
        rounds: round,
        dropped,
        ..judge(&samples, &of_trial)
    })
}

/// The references, each once.
fn controls<K>(trials: &[Trial<K>]) -> Vec<&Subject> {
    let mut controls: Vec<&Subject> = Vec::new();
    for trial in trials {
        if !controls.iter().any(|control| is(control, &trial.reference)) {
            controls.push(&trial.reference);
        }
    }
    controls
}

fn is(one: &Subject, other: &Subject) -> bool {
    one.name == other.name && one.group() == other.group()
}

fn place<K>(controls: &[&Subject], trial: &Trial<K>) -> usize {
    let place = controls
        .iter()
        .position(|control| is(control, &trial.reference));
    place.expect("every reference is a control")
}

/// Samples of the trials, then of the controls; `control` says for each trial which is its own.
fn judge(samples: &[Vec<Sample>], control: &[usize]) -> Outcomes {
    let divides = Divides::of(samples.iter().flatten().map(|sample| sample.probe.least()));
    let at = |sample: &Sample| divides.placement(sample.probe.least());
    let placements: Vec<Placement> = PLACEMENTS
        .into_iter()
        .filter(|placement| {
            samples
                .iter()
                .flatten()
                .any(|sample| at(sample) == *placement)
        })
        .collect();
    let (trials, controls) = samples.split_at(control.len());
    let ratio = |samples: &[Sample], placement| {
        let here = samples.iter().filter(|sample| at(sample) == placement);
        Estimate::of(here.map(Sample::relative))
    };
    let outcome = |samples: &[Sample], control: usize, placement| {
        let here = || samples.iter().filter(|sample| at(sample) == placement);
        Some(Outcome {
            value: Estimate::of(here().map(|sample| sample.value))?,
            reference: Estimate::of(here().filter_map(|sample| sample.reference))?,
            ratio: ratio(samples, placement)?,
            control: tolerant(ratio(&controls[control], placement)),
        })
    };
    let by_trial = trials.iter().zip(control).map(|(samples, &control)| {
        let each = placements.iter();
        each.map(|&placement| outcome(samples, control, placement))
            .collect()
    });
    Outcomes {
        by_trial: by_trial.collect(),
        placements: placements.clone(),
        kept: samples.iter().map(Vec::len).sum(),
        ..Outcomes::default()
    }
}

/// [`Control::of`], but an error too small to matter is none.
fn tolerant(ratio: Option<Estimate>) -> Control {
    let widened = ratio.map(|estimate| Estimate {
        interval: estimate
            .interval
            .map(|[low, high]| [low - CONTROL_WITHIN, high + CONTROL_WITHIN]),
        ..estimate
    });
    Control::of(widened.as_ref())
}

impl Outcomes {
    /// Of a trial by its number, in a placement that was seen.
    pub fn of(&self, trial: usize, placement: Placement) -> Option<&Outcome> {
        let place = self.placements.iter().position(|seen| *seen == placement)?;
        self.by_trial.get(trial)?.get(place)?.as_ref()
    }

    /// The trials of one benchmark as a table; `columns` head their labels.
    pub fn table<K>(
        &self,
        title: &str,
        columns: &[(&str, &str)],
        trials: &[Trial<K>],
        benchmark: Benchmark,
    ) -> Table {
        let mut heads = vec![("cores", "")];
        heads.extend(columns);
        heads.extend([
            ("measured", benchmark.unit()),
            ("beside it", benchmark.unit()),
        ]);
        heads.extend([("ratio", ""), ("pairs", ""), ("control", "")]);
        let mut table = Table::new(title, &heads);
        for &placement in &self.placements {
            for (number, trial) in trials.iter().enumerate() {
                if trial.group().benchmark != benchmark {
                    continue;
                }
                let Some(outcome) = self.of(number, placement) else {
                    continue;
                };
                let mut row = vec![placement.name().into()];
                row.extend(trial.label.iter().cloned());
                row.extend([outcome.value.median.into(), outcome.reference.median.into()]);
                row.push(outcome.ratio.into());
                row.push((outcome.ratio.count as u64).into());
                row.push(control_name(outcome.control).into());
                table.row(row);
            }
        }
        table
    }

    /// A figure for each placement: the ratio over `x`, a line for each name that `of` gives to a trial. Trials that it gives none are
    /// left out.
    pub fn figures<K>(
        &self,
        title: &str,
        caption: &str,
        x: &Axis,
        trials: &[Trial<K>],
        of: impl Fn(&Trial<K>) -> Option<(String, f64)>,
    ) -> Vec<Figure> {
        let figure = |&placement: &Placement| {
            let mut series: Vec<Series> = Vec::new();
            for (number, trial) in trials.iter().enumerate() {
                let (Some((name, x)), Some(outcome)) = (of(trial), self.of(number, placement))
                else {
                    continue;
                };
                let point = Point::of(x, &outcome.ratio);
                match series.iter_mut().find(|series| series.name == name) {
                    Some(series) => series.points.push(point),
                    None => series.push(Series {
                        name,
                        points: vec![point],
                    }),
                }
            }
            Figure {
                title: format!("{title}, cores {}", placement.name()),
                caption: caption.to_owned(),
                x: x.clone(),
                y: Axis::linear("ratio", ""),
                form: Form::Lines,
                series,
            }
        };
        self.placements.iter().map(figure).collect()
    }

    /// What was left out.
    pub fn disturbed(&self) -> Disturbed {
        Disturbed {
            of: "pairs".to_owned(),
            kept: self.kept as u64,
            dropped: self.dropped as u64,
        }
    }

    /// How the figures came about.
    pub fn note(&self) -> String {
        format!(
            "{} rounds, each of every trial once in shuffled order and beside its reference; {} pairs kept, {} dropped, because the floor changed around \
             them or the system took a thread off its core. Ratios are medians over pairs with 95 % intervals. A control is the reference \
             beside itself: where its interval misses 1 by more than {CONTROL_WITHIN}, the trials beside it are void.",
            self.rounds, self.kept, self.dropped
        )
    }
}

const fn control_name(control: Control) -> &'static str {
    match control {
        Control::Passed => "passed",
        Control::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Probe;

    fn samples(ratio: f64, floor: f64) -> Vec<Sample> {
        let sample = |round: u32| Sample {
            round,
            value: 100.0 * ratio * (1.0 + f64::from(round % 3) / 1000.0),
            reference: Some(100.0),
            probe: Probe {
                cpp: floor,
                rust: floor,
            },
            singles: None,
        };
        (0..12).map(sample).collect()
    }

    #[test]
    fn placements_are_told_apart_and_controls_are_heeded() {
        let both = |near: f64, far: f64| {
            let mut all = samples(near, 55.0);
            all.extend(samples(far, 320.0));
            all
        };
        let outcomes = judge(
            &[
                both(0.5, 2.0),
                both(0.7, 0.7),
                both(1.0, 1.0),
                both(1.1, 1.0),
            ],
            &[0, 1],
        );
        assert_eq!(outcomes.placements, [Placement::Near, Placement::Far]);
        let median = |trial, placement| outcomes.of(trial, placement).unwrap().ratio.median;
        assert!((median(0, Placement::Near) - 0.5).abs() < 0.01);
        assert!((median(0, Placement::Far) - 2.0).abs() < 0.01);
        let control = |trial, placement| outcomes.of(trial, placement).unwrap().control;
        assert_eq!(control(0, Placement::Near), Control::Passed);
        assert_eq!(control(1, Placement::Near), Control::Failed);
        assert_eq!(control(1, Placement::Far), Control::Passed);
        assert!(outcomes.of(0, Placement::Sibling).is_none());
        assert!(
            outcomes.of(2, Placement::Near).is_none(),
            "a control is no trial"
        );
        assert_eq!(outcomes.kept, 96);
    }

    #[test]
    fn a_control_may_be_off_by_what_does_not_matter() {
        let control = |ratio| {
            tolerant(Estimate::of(
                samples(ratio, 55.0).iter().map(Sample::relative),
            ))
        };
        assert_eq!(control(1.008), Control::Passed);
        assert_eq!(control(0.985), Control::Failed);
        assert_eq!(control(1.02), Control::Failed);
    }
}
