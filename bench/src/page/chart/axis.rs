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
    has_zero: bool,
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
        match scale {
            Scale::Log => (low, high) = (low / 1.06, high * 1.06),
            Scale::Linear => (low, high) = padded(low, high),
            Scale::Nines => {}
        }
        Self {
            scale,
            unit: unit.to_owned(),
            low,
            high,
            has_zero,
            from,
            to,
        }
    }

    /// The same, with a linear scale reaching to zero: lengths from there are compared with each other.
    pub fn with_zero(mut self) -> Self {
        if self.scale == Scale::Linear {
            self.low = self.low.min(0.0);
            self.high = self.high.max(0.0);
        }
        self
    }

    /// Where the axis starts in the picture.
    pub fn start(&self) -> f64 {
        self.from
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

    /// Round values with their texts, no two of which touch, for an axis that lies (texts side by side) or stands. Where the
    /// axis has few values of its own, or powers of two alone, those.
    pub fn ticks(&self, own: &[f64], lies: bool) -> Vec<(f64, String)> {
        let doubling = own.len() > 1 && own.iter().all(|value| value.log2().fract() == 0.0);
        let few = (2..=9).contains(&own.len()) && self.scale != Scale::Nines;
        let candidates = if few || (doubling && self.scale == Scale::Log) {
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
                let step = round_step((self.high - self.low) / 5.0);
                let first = (self.low / step).ceil() as i64;
                (first..first + 12)
                    .map(|count| count as f64 * step)
                    .collect()
            }
            Scale::Log => {
                let decades = (self.high / self.low).log10();
                let steps: &[f64] = match decades {
                    many if many > 2.5 => &[1.0],
                    some if some > 0.9 => &[1.0, 2.0, 5.0],
                    _ => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
                };
                let first = self.low.log10().floor() as i32;
                (first..=first + decades.ceil() as i32 + 1)
                    .flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)))
                    .collect()
            }
        };
        let slack = (self.high - self.low) * 1e-9;
        values
            .into_iter()
            .filter(|value| (self.low - slack..=self.high + slack).contains(value))
            .collect()
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
    fn ticks_are_the_values_themselves_where_these_are_few() {
        let own = [16.0, 64.0, 256.0, 1024.0];
        let ticks = axis(Scale::Log, &own).ticks(&own, true);
        assert_eq!(
            ticks.iter().map(|(value, _)| *value).collect::<Vec<_>>(),
            own
        );
        let crowded = [1.0, 1.001, 1.002, 9.0];
        assert_eq!(axis(Scale::Linear, &crowded).ticks(&crowded, true).len(), 2);
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
