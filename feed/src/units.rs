//! Numbers as people read them.

/// A time in nanoseconds, to three digits.
pub fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let decimals = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    let decimals = if unit == "ns" { 0 } else { decimals };
    format!("{value:.decimals$} {unit}")
}

/// So many of something: its name in the plural, unless there is one.
pub fn count(number: u64, name: &str) -> String {
    let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {word}{plural} {rest}").trim_end().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(count(1, "gap"), "1 gap");
        assert_eq!(count(0, "gap"), "0 gaps");
        assert_eq!(
            count(2, "request for a snapshot"),
            "2 requests for a snapshot"
        );
    }

    #[test]
    fn times_have_three_digits_and_a_unit() {
        for (nanoseconds, expected) in [
            (7.0, "7 ns"),
            (999.0, "999 ns"),
            (1234.0, "1.23 µs"),
            (56_780.0, "56.8 µs"),
            (999_400.0, "999 µs"),
            (61_323_900.0, "61.3 ms"),
            (2e9, "2.00 s"),
        ] {
            assert_eq!(time(nanoseconds), expected);
        }
    }
}
