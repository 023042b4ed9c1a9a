//! A result for the terminal.

use super::result::{StudyResult, Table, Value};
use crate::probe::PLACEMENTS_IN_WORDS as PLACEMENTS;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width};
use std::fmt::Write;

/// As wide as a terminal usually is.
const COLUMNS: u16 = 100;

/// The tables, the claim and the notes.
pub fn text(result: &StudyResult) -> String {
    let mut out = format!("{}\n", result.title);
    if !result.placements().is_empty() {
        paragraph(&mut out, PLACEMENTS);
    }
    for each in &result.tables {
        out += &format!("\n{}\n", table(each));
    }
    if let Some(claim) = &result.claim {
        out.push('\n');
        paragraph(
            &mut out,
            &format!("predicted ({}): {}", claim.record, claim.prediction),
        );
        paragraph(
            &mut out,
            &format!("{}: {}", claim.verdict.words(), claim.margin),
        );
    }
    if !result.notes.is_empty() {
        out.push('\n');
    }
    for note in &result.notes {
        paragraph(&mut out, note);
    }
    out
}

/// One table. An interval stands beside its value or, where that is too wide, below it, but is never broken; what is broken over lines
/// is text.
pub fn table(table: &Table) -> String {
    let beside = drawn(table, " ");
    if widest(&beside) <= usize::from(COLUMNS) {
        return beside;
    }
    drawn(table, "\n")
}

fn widest(text: &str) -> usize {
    let widths = text.lines().map(|line| line.chars().count());
    widths.max().unwrap_or(0)
}

/// The table with this between a value and its interval.
fn drawn(table: &Table, between: &str) -> String {
    let mut drawn = comfy_table::Table::new();
    let heads = table.columns.iter().enumerate();
    drawn
        .load_preset(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(COLUMNS)
        .set_header(heads.map(|(index, column)| match &column.unit {
            Some(unit) if !table.is_long(index) => format!("{}, {unit}", column.name),
            _ => column.name.clone(),
        }));
    for row in &table.rows {
        let cells = row.iter().enumerate();
        drawn.add_row(cells.map(|(index, cell)| value(cell, table.is_long(index), between)));
    }
    for (index, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((1, 0));
        let cells = || table.rows.iter().map(|row| &row[index]);
        let widest = |cell: &Value| widest(&value(cell, table.is_long(index), between)) as u16;
        let is_prose = |cell: &Value| matches!(cell, Value::Text(text) if text.contains(' '));
        // What a row is about is never broken over two lines, nor is a number; a head may be.
        if index == 0 || !cells().any(is_prose) {
            let width = cells().map(widest).max().unwrap_or(0) + 1;
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        }
        if !cells().any(|cell| matches!(cell, Value::Text(_))) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = format!("{}\n", table.title);
    for line in drawn.lines() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.truncate(out.trim_end().len());
    out
}

fn value(value: &Value, long: bool, between: &str) -> String {
    let (unit, name) = if long { value.unit() } else { (1.0, "") };
    let short = |number: f64| short(number / unit);
    match value {
        Value::Missing => "–".to_owned(),
        Value::Number(number) => short(*number) + name,
        Value::Text(text) => text.clone(),
        Value::Within(within) => format!(
            "{}{name}{between}[{}, {}]",
            short(within.value),
            short(within.low),
            short(within.high)
        ),
    }
}

/// A number to about three digits; whole ones as they are.
fn short(number: f64) -> String {
    let digits = match number.abs() {
        _ if number.fract() == 0.0 => 0,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{number:.digits$}")
}

/// A text in lines, none of which ends within an interval.
fn paragraph(out: &mut String, text: &str) {
    const TOGETHER: char = '\u{a0}';
    let mut depth = 0;
    let held = text.chars().map(|letter| {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ' ' if depth > 0 => return TOGETHER,
            _ => {}
        }
        letter
    });
    let options = textwrap::Options::new(COLUMNS.into())
        .subsequent_indent("  ")
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    *out += &textwrap::fill(&held.collect::<String>(), options).replace(TOGETHER, " ");
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::result::examples;
    use super::*;

    #[test]
    fn everything_but_the_figures_is_said() {
        let said = text(&examples::result());
        for words in [
            "An example\n",
            "time, ns",
            "61.2 [60.5, 62]",
            "predicted (docs/adr/0000-example.md): it is fast",
            "confirmed: by 2 ns",
            "a note\n",
            "–",
        ] {
            assert!(said.contains(words), "{words} is not in {said}");
        }
        assert!(said
            .lines()
            .all(|line| line.chars().count() <= usize::from(COLUMNS)));
    }

    #[test]
    fn no_interval_is_broken_and_no_line_is_too_wide() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results");
        let mut studies = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path());
            let Ok(result) = StudyResult::from_json(&text.unwrap_or_default()) else {
                continue;
            };
            studies += 1;
            for line in super::text(&result).lines() {
                assert!(
                    line.chars().count() <= usize::from(COLUMNS),
                    "{}: {line}",
                    result.study
                );
                let count = |bracket| line.matches(bracket).count();
                assert_eq!(count('['), count(']'), "{}: {line}", result.study);
            }
        }
        assert!(studies > 5);
    }

    #[test]
    fn long_times_have_a_unit_each() {
        let mut table = Table::new("t", &[("p99", "ns"), ("p50", "ns")]);
        table.row([20_123_456.0.into(), 90.0.into()]);
        table.row([Value::within(4_321.0, 4_000.0, 150_000.0), 95.0.into()]);
        let drawn = super::table(&table);
        for words in ["20.1 ms", "4.32 µs [4, 150]", "p50, ns"] {
            assert!(drawn.contains(words), "{drawn}");
        }
        assert!(!drawn.contains("p99, ns"), "{drawn}");
    }

    #[test]
    fn placements_are_explained_where_there_are_any() {
        let mut result = examples::result();
        assert!(!text(&result).contains("near (cores"));
        result.tables[0].title = "Sizes, far".to_owned();
        assert!(
            text(&result).contains("far (cores that do not)"),
            "{}",
            text(&result)
        );
    }

    #[test]
    fn numbers_are_short() {
        let said = [0.123_f64, 1.0, 61.26, 3141.5, 1_000_000.0].map(short);
        assert_eq!(said, ["0.12", "1", "61.3", "3142", "1000000"]);
    }
}
