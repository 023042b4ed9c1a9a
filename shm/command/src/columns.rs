//! How a table that is wider than the screen gives way: it loses its least important columns, and its first one is cut, with a mark.

/// Between two columns.
const GAP: usize = 1;
/// The first column is cut to this many letters before another is left out.
const SHORTEST: usize = 32;

/// Which columns are shown, and how wide each is.
#[derive(Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The columns' numbers, from the left.
    pub shown: Vec<usize>,
    /// Their widths.
    pub widths: Vec<usize>,
}

/// Fits columns that want to be so wide into `room`. They go in the order of `first_to_go`, as many as must; the first column, which is not among them, stays.
pub fn fit(wanted: &[usize], first_to_go: &[usize], room: usize) -> Fitted {
    let mut shown: Vec<usize> = (0..wanted.len()).collect();
    let others = |shown: &[usize]| -> usize {
        let others = shown.iter().filter(|column| **column > 0);
        others.map(|column| GAP + wanted[*column]).sum()
    };
    for column in first_to_go {
        if wanted[0].min(SHORTEST) + others(&shown) <= room {
            break;
        }
        shown.retain(|kept| kept != column);
    }
    let first = room.saturating_sub(others(&shown)).min(wanted[0]);
    let widths = shown.iter().map(|column| match column {
        0 => first,
        other => wanted[*other],
    });
    Fitted {
        widths: widths.collect(),
        shown,
    }
}

/// The text, cut in its middle to so many letters: names are often told apart by their ends.
pub fn cut(text: &str, width: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= width {
        return text.to_owned();
    }
    let Some(left) = width.checked_sub(1) else {
        return String::new();
    };
    let head = left.div_ceil(2);
    let tail = letters.len() - (left - head);
    letters[..head]
        .iter()
        .chain(&['…'])
        .chain(&letters[tail..])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_in_their_order_and_only_as_far_as_they_must() {
        let wanted = [10, 5, 6, 7];
        let at = |room| fit(&wanted, &[2, 3, 1], room);
        let fitted = |shown: &[usize], widths: &[usize]| Fitted {
            shown: shown.into(),
            widths: widths.into(),
        };
        assert_eq!(at(100), fitted(&[0, 1, 2, 3], &[10, 5, 6, 7]));
        assert_eq!(at(31), at(100));
        assert_eq!(at(30), fitted(&[0, 1, 3], &[10, 5, 7]));
        assert_eq!(at(23), fitted(&[0, 1], &[10, 5]));
        assert_eq!(at(15), fitted(&[0], &[10]));
        assert_eq!(at(7), fitted(&[0], &[7]));
    }

    #[test]
    fn a_long_first_column_is_cut_before_another_goes() {
        let long = fit(&[200, 5], &[1], 40);
        assert_eq!((long.shown, long.widths), (vec![0, 1], vec![34, 5]));
        let long = fit(&[200, 20], &[1], 40);
        assert_eq!((long.shown, long.widths), (vec![0], vec![40]));
    }

    #[test]
    fn what_is_cut_shows_it() {
        assert_eq!(cut("market-data-1", 13), "market-data-1");
        assert_eq!(cut("market-data-1", 8), "mark…a-1");
        assert_eq!(cut("market-data-1", 2), "m…");
        assert_eq!(cut("market-data-1", 1), "…");
        assert_eq!(cut("market-data-1", 0), "");
    }
}
