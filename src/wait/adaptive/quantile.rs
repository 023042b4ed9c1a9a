//! A quantile of a stream in constant memory: the P-square algorithm.
//!
//! R. Jain and I. Chlamtac, "The P² algorithm for dynamic calculation of quantiles and histograms without storing observations",
//! Communications of the ACM, 1985. Five markers stand at the least and the greatest value, at the quantile, and half-way between;
//! each value moves them towards where they should be, by a parabola through their neighbours.
//!
//! Here in integers with fraction bits, and with forgetting: the counts are halved when they are full, and the extremes drawn in.

/// Fraction bits of a height.
const FRACTION: u32 = 8;

/// Fraction bits of a marker's desired position.
const PLACE_FRACTION: u32 = 32;

/// The count at which all counts are halved.
pub(super) const FULL: i64 = 2048;

/// A quantile of the latest values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quantile {
    /// Of the values that lie below each marker, as fractions.
    shares: [i64; 5],
    /// The markers' values, with fraction bits; they rise.
    heights: [i64; 5],
    /// How many values lie at or below each marker; they rise, by 1 at least.
    places: [i64; 5],
    /// Values seen before there are five markers.
    first: usize,
}

impl Quantile {
    /// The quantile of so many thousandths.
    pub(super) const fn new(thousandths: i64) -> Self {
        let share = (thousandths << PLACE_FRACTION) / 1000;
        let whole = 1 << PLACE_FRACTION;
        Self {
            shares: [0, share / 2, share, (whole + share) / 2, whole],
            heights: [0; 5],
            places: [1, 2, 3, 4, 5],
            first: 0,
        }
    }

    /// The estimate in nanoseconds; none before the fifth value.
    pub(super) fn estimate(&self) -> Option<u64> {
        (self.first == 5).then_some((self.heights[2] >> FRACTION) as u64)
    }

    /// Takes in a value, of 2^40 at most.
    pub(super) fn observe(&mut self, value: u64) {
        let value = (value as i64) << FRACTION;
        if let Some(height) = self.heights.get_mut(self.first) {
            *height = value;
            self.first += 1;
            if self.first == 5 {
                sort(&mut self.heights);
            }
            return;
        }
        self.heights[0] = self.heights[0].min(value);
        self.heights[4] = self.heights[4].max(value);
        for marker in 1..4 {
            self.places[marker] += i64::from(value < self.heights[marker]);
        }
        self.places[4] += 1;
        for marker in 1..4 {
            self.adjust(marker);
        }
        if self.places[4] >= FULL {
            self.forget();
        }
    }

    /// Moves a marker by one place if it is a place or more from where it should be, and its neighbour leaves room.
    fn adjust(&mut self, marker: usize) {
        let desired = (1 << PLACE_FRACTION) + (self.places[4] - 1) * self.shares[marker];
        let off = desired - (self.places[marker] << PLACE_FRACTION);
        let above = self.places[marker + 1] - self.places[marker];
        let below = self.places[marker] - self.places[marker - 1];
        let step = if off >= 1 << PLACE_FRACTION && above > 1 {
            1
        } else if off <= -(1 << PLACE_FRACTION) && below > 1 {
            -1
        } else {
            return;
        };
        let rise = self.heights[marker + 1] - self.heights[marker];
        let fall = self.heights[marker] - self.heights[marker - 1];
        let bend = over((below + step) * rise, above) + over((above - step) * fall, below);
        let curved = self.heights[marker] + over(step * bend, above + below);
        let fits = self.heights[marker - 1] < curved && curved < self.heights[marker + 1];
        self.heights[marker] = if fits {
            curved
        } else if step > 0 {
            self.heights[marker] + over(rise, above)
        } else {
            self.heights[marker] - over(fall, below)
        };
        self.places[marker] += step;
    }

    /// Halves the counts, so that later values weigh more, and draws the extremes half-way in.
    fn forget(&mut self) {
        for marker in 1..5 {
            let halved = 1 + (self.places[marker] - 1) / 2;
            self.places[marker] = halved.max(self.places[marker - 1] + 1);
        }
        self.heights[0] += (self.heights[1] - self.heights[0]) / 2;
        self.heights[4] -= (self.heights[4] - self.heights[3]) / 2;
    }
}

/// Sorts five values, by exchanging neighbours: the general sort is a hundred times the code.
fn sort(values: &mut [i64; 5]) {
    for end in (1..5).rev() {
        for at in 0..end {
            if values[at] > values[at + 1] {
                values.swap(at, at + 1);
            }
        }
    }
}

/// Divides by a number of places, which is not 0 since places rise.
fn over(value: i64, places: i64) -> i64 {
    value.checked_div(places).unwrap_or(0)
}
