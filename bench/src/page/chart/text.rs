//! Texts in figures: numbers, how wide a text is, and how texts keep out of each other's way.

/// The size of letters, in units of the picture.
pub const FONT: f64 = 12.0;
/// From line to line.
pub const LINE: f64 = 14.0;

/// No less than the width of a text, whatever the font of the reader's system.
pub fn width(text: &str, size: f64) -> f64 {
    let letters = text.chars().map(|letter| match letter {
        'i' | 'j' | 'l' | 't' | 'f' | '.' | ',' | ':' | ' ' | '[' | ']' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' | '→' => 0.95,
        letter if letter.is_uppercase() => 0.72,
        _ => 0.6,
    });
    letters.sum::<f64>() * size
}

/// A text in lines of this width, broken at blanks, and after hyphens in words that are wider.
pub fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let words = text.split_whitespace().flat_map(|word| {
        let whole = width(word, FONT) <= room;
        let parts: Vec<&str> = if whole {
            vec![word]
        } else {
            word.split_inclusive(['-', '_', ':', '/']).collect()
        };
        let last = parts.len() - 1;
        parts
            .into_iter()
            .enumerate()
            .map(move |(index, part)| (part.to_owned(), index == last))
            .collect::<Vec<_>>()
    });
    let mut blank = false;
    for (word, ends) in words {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), FONT) <= room => {
                if blank {
                    line.push(' ');
                }
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
        blank = ends;
    }
    lines
}

/// Moves the tops of boxes, given with their heights, so that none overlaps another and all are between two bounds, if there is
/// room. They keep their order.
pub fn spread(boxes: &[(f64, f64)], [least, most]: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|one, other| boxes[*one].0.total_cmp(&boxes[*other].0));
    let mut tops = vec![0.0; boxes.len()];
    let mut free = least;
    for &index in &order {
        tops[index] = boxes[index].0.max(free);
        free = tops[index] + boxes[index].1;
    }
    let mut free = most;
    for &index in order.iter().rev() {
        tops[index] = tops[index].min(free - boxes[index].1);
        free = tops[index];
    }
    // More than there is room for goes beyond the lower bound rather than over each other.
    let mut free = least;
    for &index in &order {
        tops[index] = tops[index].max(free);
        free = tops[index] + boxes[index].1;
    }
    tops
}

/// A number to three digits or so, or to the last if it is whole.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value}");
    }
    let decimals = match value.abs() {
        size if size < 1e-4 => return format!("{value:.2e}"),
        size if size < 0.01 => 5,
        size if size < 0.1 => 4,
        size if size < 1.0 => 3,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// A round number as short as it goes.
pub fn short(value: f64) -> String {
    let (value, suffix) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, " G"),
        size if size >= 1e6 => (value / 1e6, " M"),
        _ => (value, ""),
    };
    if value != 0.0 && value.abs() < 1e-3 {
        return format!("{value:e}");
    }
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{suffix}")
}

/// Nanoseconds in the unit that suits them.
pub fn duration(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        size if size >= 1e9 => (nanoseconds / 1e9, "s"),
        size if size >= 1e6 => (nanoseconds / 1e6, "ms"),
        size if size >= 1e3 => (nanoseconds / 1e3, "µs"),
        _ => (nanoseconds, "ns"),
    };
    format!("{} {unit}", short(value))
}

/// A share as a percentage, with all its nines.
pub fn percent(share: f64) -> String {
    if share == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{:.6}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_spread_in_order_and_stay_inside() {
        let boxes = [(50.0, 14.0), (48.0, 14.0), (52.0, 28.0), (5.0, 14.0)];
        let tops = spread(&boxes, [0.0, 80.0]);
        let mut sorted: Vec<(f64, f64)> = tops
            .iter()
            .zip(boxes)
            .map(|(top, (_, height))| (*top, top + height))
            .collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(
            sorted.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-9),
            "{sorted:?}"
        );
        assert!(sorted[0].0 >= 0.0 && sorted[3].1 <= 80.0, "{sorted:?}");
        assert!(tops[1] < tops[0] && tops[0] < tops[2]);
    }

    #[test]
    fn long_texts_are_broken_where_they_can_be() {
        assert_eq!(
            wrapped("acquire and release", 70.0),
            ["acquire", "and", "release"]
        );
        assert_eq!(
            wrapped("moodycamel-readerwriterqueue", 120.0),
            ["moodycamel-", "readerwriterqueue"]
        );
        assert_eq!(wrapped("one two", 200.0), ["one two"]);
    }

    #[test]
    fn numbers_keep_their_digits() {
        let all = [
            0.0,
            65536.0,
            123.46,
            12.345,
            1.234_5,
            0.123_45,
            0.012_345,
            0.001_234_5,
            1.2e-7,
        ];
        let texts = all.map(number);
        assert_eq!(
            texts,
            ["0", "65536", "123", "12.3", "1.23", "0.123", "0.0123", "0.00123", "1.20e-7"]
        );
        assert_eq!(
            ["500 ns", "1.5 µs", "2 ms"],
            [500.0, 1500.0, 2e6].map(duration)
        );
        assert_eq!(["0.5", "1024", "2.5 M"], [0.5, 1024.0, 2.5e6].map(short));
        assert_eq!(["50 %", "99.99 %"], [0.5, 0.9999].map(percent));
    }
}
