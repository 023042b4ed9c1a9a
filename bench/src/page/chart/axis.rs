//! An axis: where a value stands, and which values are written beside it.

use super::text::{self, FONT};

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Equal ratios at equal distances. A value of zero stands apart at the low end.
    Log,
    /// Shares of all samples: 0.9, 0.99 and 0.999 at equal distances.
    Nines,
}

/// A scale, the values that it holds, and the stretch of the picture that they are spread over.
#[derive(Clone, Debug)]
pub struct Axis {
    scale: Scale,
    unit: String,
    low: f64,
    high: f64,
    /// The least and the greatest of the values, to which there is a little room.
    values: [f64; 2],
    /// From tick to tick, where the axis begins and ends with one.
    step: Option<f64>,
    has_zero: bool,
    /// Where the axis begins and ends.
    edges: [f64; 2],
    /// Where its least and its greatest value stand.
    from: f64,
    to: f64,
}

/// The room of a zero on a logarithmic axis.
const ZERO: f64 = 26.0;

impl Axis {
    /// Around all of these values, from `from` to `to` in the picture.
    pub fn around(
        scale: Scale,
        unit: &str,
        values: impl IntoIterator<Item = f64>,
        [from, to]: [f64; 2],
    ) -> Self {
        let values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        let has_zero = scale == Scale::Log && values.contains(&0.0);
        let fits = |value: &f64| scale != Scale::Log || *value > 0.0;
        let (mut low, mut high) = values
            .iter()
            .copied()
            .filter(fits)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.5, 1.5);
        }
        let values = [low, high];
        match scale {
            Scale::Log => (low, high) = (low / 1.06, high * 1.06),
            Scale::Linear => (low, high) = padded(low, high),
            Scale::Nines => {}
        }
        Self {
            values,
            step: None,
            scale,
            unit: unit.to_owned(),
            low,
            high,
            has_zero,
            edges: [from, to],
            from,
            to,
        }
    }

    /// The same from one round value to another, so that no value lies beyond the last that is written.
    pub fn rounded(mut self) -> Self {
        let [low, high] = self.values;
        if low < high {
            (self.low, self.high) = (if self.low == 0.0 { 0.0 } else { low }, high);
        }
        match self.scale {
            Scale::Nines => {}
            Scale::Linear => {
                let step = self.step();
                self.step = Some(step);
                self.low = (self.low / step + 1e-9).floor() * step;
                self.high = (self.high / step - 1e-9).ceil() * step;
            }
            Scale::Log => {
                let (low, high) = (self.low, self.high);
                let all = || around(low, high, ends((high / low).log10()));
                self.low = all().rfind(|value| *value <= low).unwrap_or(low);
                self.high = all().find(|value| *value >= high).unwrap_or(high);
            }
        }
        self
    }

    /// The same with room between the ends of the axis and its values, so that no mark lies on the frame. A scale that begins at zero
    /// needs none there, if nothing stands at zero.
    pub fn inset(mut self, room: f64, from_zero: bool) -> Self {
        let forward = (self.to - self.from).signum();
        if !(from_zero && self.low == 0.0) {
            self.from += room * forward;
        }
        self.to -= room * forward;
        self
    }

    /// The same, with a linear scale reaching to zero: lengths from there are compared with each other.
    pub fn with_zero(mut self) -> Self {
        if self.scale == Scale::Linear {
            self.low = self.low.min(0.0);
            self.high = self.high.max(0.0);
            self.values = [self.values[0].min(0.0), self.values[1].max(0.0)];
        }
        self
    }

    /// Where the axis starts in the picture.
    pub fn start(&self) -> f64 {
        self.edges[0]
    }

    /// Where a value stands in the picture; beyond the ends, at the end.
    pub fn place(&self, value: f64) -> f64 {
        let forward = (self.to - self.from).signum();
        if self.has_zero && value <= 0.0 {
            return self.from;
        }
        let from = self.from + if self.has_zero { ZERO * forward } else { 0.0 };
        let (low, high) = (self.spread(self.low), self.spread(self.high));
        let value = self.spread(value.clamp(self.low, self.high));
        let share = if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        };
        tenth(from + share * (self.to - from))
    }

    fn spread(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
            Scale::Nines => -(1.0 - value.min(0.999_999_9)).log10(),
        }
    }

    /// Round values with their texts, no two of which touch, for an axis that lies (texts side by side) or stands. The round values
    /// of a logarithmic axis whose own are powers of two are these.
    pub fn ticks(&self, own: &[f64], lies: bool) -> Vec<(f64, String)> {
        let candidates = if self.scale == Scale::Log && is_doubling(own) {
            own.to_vec()
        } else {
            let mut round = self.round_values();
            if self.has_zero {
                round.insert(0, 0.0);
            }
            round
        };
        let mut kept: Vec<(f64, String)> = Vec::new();
        let mut free = f64::NEG_INFINITY;
        for value in candidates {
            let text = self.text(value);
            let half = if lies {
                text::width(&text, FONT) / 2.0 + 3.0
            } else {
                FONT * 0.6
            };
            let place = (self.place(value) - self.from).abs();
            if place - half >= free {
                free = place + half;
                kept.push((value, text));
            }
        }
        kept
    }

    fn round_values(&self) -> Vec<f64> {
        let values: Vec<f64> = match self.scale {
            Scale::Nines => vec![0.5, 0.9, 0.99, 0.999, 0.9999, 0.999_99],
            Scale::Linear => {
                let step = self.step();
                let first = (self.low / step - 1e-9).ceil() as i64;
                (first..first + 12)
                    .map(|count| count as f64 * step)
                    .collect()
            }
            Scale::Log if self.decades() > MANY => {
                let is_end = |value: &f64| [self.low, self.high].contains(value);
                around(self.low, self.high, ends(self.decades()))
                    .filter(|value| value.log10().fract() == 0.0 || is_end(value))
                    .collect()
            }
            Scale::Log => around(self.low, self.high, ends(self.decades())).collect(),
        };
        let slack = (self.high - self.low) * 1e-9;
        values
            .into_iter()
            .filter(|value| (self.low - slack..=self.high + slack).contains(value))
            .collect()
    }

    fn step(&self) -> f64 {
        let step = || round_step((self.high - self.low) / 5.0);
        self.step.unwrap_or_else(step)
    }

    fn decades(&self) -> f64 {
        (self.high / self.low).log10()
    }

    /// How it is spread, in a word for its title.
    pub const fn kind(&self) -> &'static str {
        match self.scale {
            Scale::Linear => "linear",
            Scale::Log => "log",
            Scale::Nines => "log of the rest",
        }
    }

    /// A value as it is written beside the axis.
    fn text(&self, value: f64) -> String {
        match self.scale {
            Scale::Nines => text::percent(value),
            Scale::Log if self.unit == "ns" => text::duration(value),
            _ => text::short(value),
        }
    }

    /// Whether its texts carry the unit.
    pub fn names_unit(&self) -> bool {
        self.scale == Scale::Nines || (self.scale == Scale::Log && self.unit == "ns")
    }
}

/// Whether all of these, more than one, are powers of two.
pub fn is_doubling(values: &[f64]) -> bool {
    values.len() > 1 && values.iter().all(|value| value.log2().fract() == 0.0)
}

/// The decades from which on only powers of ten are written.
const MANY: f64 = 2.5;

/// The round values of a decade, of which an axis of so many decades can begin and end with each.
const fn ends(decades: f64) -> &'static [f64] {
    if decades > 0.9 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    }
}

/// These multiples of the powers of ten from below `low` to above `high`, in order.
fn around(low: f64, high: f64, steps: &[f64]) -> impl DoubleEndedIterator<Item = f64> + '_ {
    let [first, last] = [low, high].map(|value| value.log10().floor() as i32);
    (first - 1..=last + 1)
        .flat_map(move |power| steps.iter().map(move |step| decimal(*step, power)))
}

/// A multiple of a power of ten, as exact as it goes.
fn decimal(step: f64, power: i32) -> f64 {
    match power {
        0.. => step * 10_f64.powi(power),
        _ => step / 10_f64.powi(-power),
    }
}

/// A little room at either end. What is far from all the same reaches to zero, so that heights compare.
fn padded(low: f64, high: f64) -> (f64, f64) {
    let low = if low > 0.0 && low < high / 2.0 {
        0.0
    } else {
        low
    };
    let room = ((high - low) * 0.04).max(high.abs() * 0.01).max(1e-9);
    let low = if low == 0.0 { 0.0 } else { low - room };
    (low, high + room)
}

/// The first of 1, 2, 5, 10, 20, ... that is no less.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power);
    step.into_iter()
        .find(|step| *step >= least * 0.999)
        .unwrap_or(10.0 * power)
}

/// A place in the picture, to a tenth.
pub fn tenth(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, values: &[f64]) -> Axis {
        Axis::around(scale, "", values.iter().copied(), [50.0, 350.0])
    }

    #[test]
    fn places_are_in_order_and_inside() {
        for scale in [Scale::Linear, Scale::Log] {
            for values in [
                vec![0.6, 1.0],
                vec![0.03, 12.0, 12.5],
                vec![1.0, 1.01],
                vec![0.0, 2.0, 1e6],
                vec![7.0],
            ] {
                let axis = axis(scale, &values);
                let places: Vec<f64> = values.iter().map(|value| axis.place(*value)).collect();
                assert!(
                    places.is_sorted() && places.iter().all(|x| (50.0..=350.0).contains(x)),
                    "{scale:?} {values:?}: {places:?}"
                );
                assert!(places.len() < 2 || places[0] < places[values.len() - 1]);
                assert!(!axis.ticks(&[], true).is_empty(), "{scale:?} {values:?}");
            }
        }
    }

    #[test]
    fn a_standing_axis_grows_upwards() {
        let axis = Axis::around(Scale::Log, "", [0.0, 1.0, 100.0], [300.0, 20.0]);
        assert!(axis.place(0.0) == 300.0 && axis.place(0.0) > axis.place(1.0));
        assert!(axis.place(1.0) > axis.place(100.0));
    }

    #[test]
    fn nines_are_evenly_apart() {
        let axis = axis(Scale::Nines, &[0.0, 0.9999]);
        let gap = axis.place(0.99) - axis.place(0.9);
        assert!((axis.place(0.9999) - axis.place(0.999) - gap).abs() < 0.2);
        let texts: Vec<String> = axis
            .ticks(&[], true)
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"]);
    }

    #[test]
    fn ticks_are_round_or_powers_of_two_on_a_logarithmic_axis_of_them() {
        let values = |scale, own: &[f64]| -> Vec<f64> {
            let ticks = axis(scale, own).rounded().ticks(own, true);
            ticks.iter().map(|(value, _)| *value).collect()
        };
        let own = [16.0, 64.0, 256.0, 1024.0];
        let doubling = axis(Scale::Log, &own).ticks(&own, true);
        assert_eq!(
            doubling.iter().map(|(value, _)| *value).collect::<Vec<_>>(),
            own
        );
        assert_eq!(
            values(Scale::Linear, &[6.879, 61.468, 99.996]),
            [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
        );
        assert_eq!(
            values(Scale::Linear, &[0.0, 16.0, 64.0, 256.0]),
            [0.0, 100.0, 200.0, 300.0]
        );
        assert_eq!(
            values(Scale::Log, &[3.0, 7.0, 11.0]),
            [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0]
        );
    }

    #[test]
    fn a_rounded_axis_has_a_tick_at_or_beyond_every_value() {
        for scale in [Scale::Linear, Scale::Log] {
            for values in [
                vec![80.1, -10.0, 110.0, -120.0],
                vec![0.38, 3.3],
                vec![90.0, 110_000.0],
                vec![0.99, 1.013],
                vec![0.012, 45.0],
                vec![7.0],
            ] {
                let axis = axis(scale, &values).rounded();
                let ticks = axis.ticks(&[], false);
                let shown = values
                    .iter()
                    .filter(|value| scale == Scale::Linear || **value > 0.0);
                for value in shown {
                    assert!(
                        ticks.iter().any(|(tick, _)| tick >= value)
                            && ticks.iter().any(|(tick, _)| tick <= value),
                        "{scale:?} {value} in {ticks:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_lies_on_the_frame_of_an_inset_axis() {
        let values = [0.0, 50.0, 100.0];
        let inset = axis(Scale::Linear, &values).rounded().inset(8.0, false);
        assert_eq!(
            (inset.start(), inset.place(0.0), inset.place(100.0)),
            (50.0, 58.0, 342.0)
        );
        let lengths = axis(Scale::Linear, &[10.0, 100.0])
            .rounded()
            .inset(8.0, true);
        assert_eq!(lengths.place(0.0), 50.0);
    }

    #[test]
    fn an_axis_of_lengths_starts_at_zero() {
        assert_eq!(
            axis(Scale::Linear, &[95.0, 100.0]).with_zero().place(0.0),
            50.0
        );
        assert!(axis(Scale::Linear, &[95.0, 100.0]).place(95.0) < 100.0);
    }
}
