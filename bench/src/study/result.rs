//! What a study found, as it stands in its JSON file: the same form for every study, so that whoever draws it need know none.

use crate::probe::{Placement, PLACEMENTS};
use crate::report::{Machine, Taken};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The version of this form.
pub const SCHEMA: u32 = 1;

/// A study's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyResult {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The name on the command line.
    pub study: String,
    /// What was asked.
    pub title: String,
    /// How it was called.
    pub command: String,
    /// When, and by which version; none in results of versions that did not say.
    #[serde(default)]
    pub taken: Option<Taken>,
    /// Where it ran.
    pub machine: Machine,
    /// What was left out, where the study looks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<Disturbed>,
    /// What had been predicted, and what became of it.
    pub claim: Option<Claim>,
    /// The figures as tables.
    pub tables: Vec<Table>,
    /// What there is to draw.
    pub figures: Vec<Figure>,
    /// What a reader must know beside.
    pub notes: Vec<String>,
}

/// What a study hands to the frame, which adds the circumstances.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// What was asked.
    pub title: String,
    /// What was left out, where the study looks for it.
    pub disturbed: Option<Disturbed>,
    /// What had been predicted, and what became of it.
    pub claim: Option<Claim>,
    /// The figures as tables.
    pub tables: Vec<Table>,
    /// What there is to draw.
    pub figures: Vec<Figure>,
    /// What a reader must know beside.
    pub notes: Vec<String>,
}

/// What was measured and left out, since something else had the cores meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disturbed {
    /// Such as `pairs`.
    pub of: String,
    /// How many count.
    pub kept: u64,
    /// How many do not.
    pub dropped: u64,
}

impl Disturbed {
    /// One more.
    pub fn count(&mut self, kept: bool) {
        if kept {
            self.kept += 1;
        } else {
            self.dropped += 1;
        }
    }

    /// In percent.
    pub fn percent(&self) -> u64 {
        (100 * self.dropped)
            .checked_div(self.kept + self.dropped)
            .unwrap_or(0)
    }

    /// In words.
    pub fn words(&self) -> String {
        let Self { of, kept, dropped } = self;
        format!(
            "{dropped} of {} {of} ({} %) were left out, since something else had a core meanwhile",
            kept + dropped,
            self.percent()
        )
    }
}

/// A prediction that was recorded before anything was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The file of the record, from the root of the work tree.
    pub record: String,
    /// The prediction in words.
    pub prediction: String,
    /// What the measurement says.
    pub verdict: Verdict,
    /// By how much.
    pub margin: String,
}

/// On a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every part of it came true.
    Confirmed,
    /// Some part of it did not.
    Refuted,
    /// The measurement does not tell.
    Undecided,
    /// The measurement was not one to judge by.
    Unjudged,
}

impl Verdict {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
            Self::Unjudged => "no verdict",
        }
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Table {
    pub title: String,
    pub columns: Vec<Column>,
    /// Each as long as `columns`.
    pub rows: Vec<Vec<Value>>,
}

/// A column's head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Column {
    pub name: String,
    pub unit: Option<String>,
}

/// What stands in a table's cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Nothing.
    Missing,
    /// A number.
    Number(f64),
    /// Words.
    Text(String),
    /// A number that is known within bounds.
    Within(Interval),
}

/// A number that is known within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Something to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Figure {
    pub title: String,
    pub caption: String,
    pub x: Axis,
    pub y: Axis,
    pub form: Form,
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Axis {
    pub label: String,
    pub unit: String,
    pub log: bool,
}

/// How a figure is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Points joined in the order of x.
    Lines,
    /// Points alone.
    Points,
    /// A bar for each point, which has a label.
    Bars,
    /// The share of samples (y) at each value (x).
    Density,
    /// The value (y) that a share of samples (x, in percent) does not exceed; the axis stretches towards 100.
    Percentiles,
}

/// What one colour stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Series {
    pub name: String,
    pub points: Vec<Point>,
}

/// A point, with the bounds of y where they are known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the keys say what they are")]
pub struct Point {
    pub x: f64,
    pub y: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Findings {
    /// Nothing found yet.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            ..Self::default()
        }
    }
}

impl Table {
    /// A table without rows; a column is its name and its unit, empty if it has none.
    pub fn new(title: &str, columns: &[(&str, &str)]) -> Self {
        let column = |&(name, unit): &(&str, &str)| Column {
            name: name.to_owned(),
            unit: (!unit.is_empty()).then(|| unit.to_owned()),
        };
        Self {
            title: title.to_owned(),
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If it is not as long as there are columns.
    pub fn row(&mut self, row: impl Into<Vec<Value>>) {
        let row = row.into();
        assert_eq!(row.len(), self.columns.len(), "a row of {}", self.title);
        self.rows.push(row);
    }
}

impl Table {
    /// Whether a column holds times so long that each is better told in a unit of its own.
    pub fn is_long(&self, column: usize) -> bool {
        const LONG: f64 = 1e5;
        let values = self.rows.iter().filter_map(|row| row.get(column));
        let largest = values.map(Value::largest).fold(0.0, f64::max);
        self.columns[column].unit.as_deref() == Some("ns") && largest >= LONG
    }
}

impl Value {
    fn largest(&self) -> f64 {
        match self {
            Self::Number(value) => value.abs(),
            Self::Within(within) => within.high.abs().max(within.value.abs()),
            Self::Missing | Self::Text(_) => 0.0,
        }
    }

    /// How many nanoseconds the unit has that suits a time, and its name behind a number: one for the value and its bounds, so that
    /// they compare.
    pub fn unit(&self) -> (f64, &'static str) {
        let value = match self {
            Self::Number(value) => *value,
            Self::Within(within) => within.value,
            Self::Missing | Self::Text(_) => return (1.0, ""),
        };
        match value.abs() {
            size if size >= 1e6 => (1e6, " ms"),
            size if size >= 1e3 => (1e3, " µs"),
            _ => (1.0, " ns"),
        }
    }

    /// A number within bounds.
    pub const fn within(value: f64, low: f64, high: f64) -> Self {
        Self::Within(Interval { value, low, high })
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<crate::stats::Estimate> for Value {
    fn from(estimate: crate::stats::Estimate) -> Self {
        match estimate.interval {
            Some([low, high]) => Self::within(estimate.median, low, high),
            None => Self::Number(estimate.median),
        }
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl Axis {
    /// An axis with even steps.
    pub fn linear(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
            log: false,
        }
    }

    /// An axis with even ratios.
    pub fn log(label: &str, unit: &str) -> Self {
        Self {
            log: true,
            ..Self::linear(label, unit)
        }
    }
}

impl Series {
    /// Of points without bounds.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| Point {
            x,
            y,
            ..Point::default()
        });
        Self {
            name: name.to_owned(),
            points: points.collect(),
        }
    }
}

impl Point {
    /// A point of an estimate, with its bounds if it has any.
    pub fn of(x: f64, estimate: &crate::stats::Estimate) -> Self {
        let [low, high] = [0, 1].map(|end| estimate.interval.map(|interval| interval[end]));
        Self {
            x,
            y: estimate.median,
            low,
            high,
            label: None,
        }
    }
}

impl StudyResult {
    /// As JSON that can be read back.
    ///
    /// # Errors
    ///
    /// If a figure is no number.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        let back = Self::from_json(&text).context("a figure is no number")?;
        anyhow::ensure!(back == *self, "a figure is no number");
        Ok(text)
    }

    /// Whether it was a quick look.
    pub fn is_quick(&self) -> bool {
        self.command.split(' ').any(|word| word == "--quick")
    }

    /// The placements of the cores that its tables name, from the nearest on.
    pub fn placements(&self) -> Vec<&'static str> {
        let texts = self.tables.iter().flat_map(|table| {
            let cells = table.rows.iter().flatten();
            let texts = cells.filter_map(|cell| match cell {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            });
            texts.chain([table.title.as_str()])
        });
        let words: BTreeSet<&str> = texts
            .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()))
            .collect();
        let all = PLACEMENTS.into_iter().map(Placement::name);
        all.filter(|placement| words.contains(placement)).collect()
    }

    /// From JSON.
    ///
    /// # Errors
    ///
    /// If the text is no such result.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).context("not the result of a study")
    }
}

/// Results for tests.
#[cfg(test)]
pub mod examples {
    use super::*;

    /// A result with one of everything.
    pub fn result() -> StudyResult {
        let mut table = Table::new("Sizes", &[("queue", ""), ("time", "ns"), ("lost", "")]);
        table.row([
            "line".into(),
            Value::within(61.25, 60.5, 62.0),
            Value::Missing,
        ]);
        table.row(["ring".into(), 100_u64.into(), "none".into()]);
        StudyResult {
            schema: SCHEMA,
            study: "example".to_owned(),
            title: "An example".to_owned(),
            command: "cargo xtask study example".to_owned(),
            taken: Some(Taken {
                date: "2026-11-30".to_owned(),
                version: "0.1.0".to_owned(),
                commit: None,
            }),
            machine: Machine::default(),
            disturbed: Some(Disturbed {
                of: "pairs".to_owned(),
                kept: 90,
                dropped: 10,
            }),
            claim: Some(Claim {
                record: "docs/adr/0000-example.md".to_owned(),
                prediction: "it is fast".to_owned(),
                verdict: Verdict::Confirmed,
                margin: "by 2 ns".to_owned(),
            }),
            tables: vec![table],
            figures: vec![Figure {
                title: "Times".to_owned(),
                caption: "by size".to_owned(),
                x: Axis::log("size", "B"),
                y: Axis::linear("time", "ns"),
                form: Form::Lines,
                series: vec![Series::new("line", [(8.0, 61.5)])],
            }],
            notes: vec!["a note".to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read_back_as_it_was() {
        let result = examples::result();
        let text = result.to_json().unwrap();
        assert_eq!(StudyResult::from_json(&text).unwrap(), result);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["claim"]["verdict"], "confirmed");
        assert_eq!(json["figures"][0]["form"], "lines");
        assert_eq!(
            json["tables"][0]["columns"][0]["unit"],
            serde_json::Value::Null
        );
        let row = &json["tables"][0]["rows"][0];
        assert_eq!(row[1]["low"], 60.5);
        assert!(row[0].is_string() && row[2].is_null());
        assert!(json["figures"][0]["series"][0]["points"][0]
            .get("low")
            .is_none());
    }

    #[test]
    fn unknown_keys_are_refused_wherever_they_stand() {
        let text = examples::result().to_json().unwrap();
        for (known, unknown) in [
            ("\"schema\": 1", "\"more\": 1, \"schema\": 1"),
            ("\"record\":", "\"more\": 1, \"record\":"),
            ("\"columns\":", "\"more\": 1, \"columns\":"),
            ("\"low\": 60.5", "\"more\": 1, \"low\": 60.5"),
            ("\"caption\":", "\"more\": 1, \"caption\":"),
            ("\"date\":", "\"more\": 1, \"date\":"),
            ("\"kept\":", "\"more\": 1, \"kept\":"),
            ("\"x\": 8.0", "\"more\": 1, \"x\": 8.0"),
        ] {
            let changed = text.replacen(known, unknown, 1);
            assert_ne!(changed, text);
            assert!(StudyResult::from_json(&changed).is_err(), "{unknown}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let mut result = examples::result();
        result.figures[0].series[0].points[0].y = f64::NAN;
        assert!(result.to_json().is_err());
        let mut result = examples::result();
        result.tables[0].rows[0][1] = f64::INFINITY.into();
        assert!(result.to_json().is_err());
    }
}
