//! A result for the terminal.

use super::result::{StudyResult, Table, Value, Verdict};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement};
use std::fmt::Write;

/// As wide as a terminal usually is.
const COLUMNS: u16 = 100;

/// The tables, the claim and the notes.
pub fn text(result: &StudyResult) -> String {
    let mut out = format!("{}\n", result.title);
    for each in &result.tables {
        out += &format!("\n{}\n", table(each));
    }
    if let Some(claim) = &result.claim {
        let verdict = match claim.verdict {
            Verdict::Confirmed => "confirmed",
            Verdict::Refuted => "refuted",
            Verdict::Undecided => "undecided",
        };
        out.push('\n');
        paragraph(
            &mut out,
            &format!("predicted ({}): {}", claim.record, claim.prediction),
        );
        paragraph(&mut out, &format!("{verdict}: {}", claim.margin));
    }
    if !result.notes.is_empty() {
        out.push('\n');
    }
    for note in &result.notes {
        paragraph(&mut out, note);
    }
    out
}

/// One table.
pub fn table(table: &Table) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn
        .load_preset(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(COLUMNS)
        .set_header(table.columns.iter().map(|column| match &column.unit {
            Some(unit) => format!("{}, {unit}", column.name),
            None => column.name.clone(),
        }));
    for row in &table.rows {
        drawn.add_row(row.iter().map(value));
    }
    for (index, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((1, 0));
        let text = |row: &Vec<Value>| matches!(row[index], Value::Text(_));
        if !table.rows.iter().any(text) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    // What a row is about is never broken over two lines.
    if let Some(first) = drawn.column_mut(0) {
        first.set_constraint(ColumnConstraint::ContentWidth);
    }
    let mut out = format!("{}\n", table.title);
    for line in drawn.lines() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.truncate(out.trim_end().len());
    out
}

fn value(value: &Value) -> String {
    match value {
        Value::Missing => "–".to_owned(),
        Value::Number(number) => short(*number),
        Value::Text(text) => text.clone(),
        Value::Within(within) => format!(
            "{} [{}, {}]",
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

fn paragraph(out: &mut String, text: &str) {
    let options = textwrap::Options::new(COLUMNS.into())
        .subsequent_indent("  ")
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    *out += &textwrap::fill(text, options);
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
    fn numbers_are_short() {
        let said = [0.123_f64, 1.0, 61.26, 3141.5, 1_000_000.0].map(short);
        assert_eq!(said, ["0.12", "1", "61.3", "3142", "1000000"]);
    }
}
