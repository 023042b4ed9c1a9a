//! Arithmetic on free-running indices, cursors and stamps: pure and total, wrapping with the word.
//!
//! A *cursor* is an end's place in a ring published by line: `cell number << 8 | position`. A *stamp* is what a cell
//! carries: the cursor without the bits that say which cell it is.

/// Bits of a cursor below the cell number: the position in the cell.
pub const POSITION_BITS: u32 = 8;

/// One cell further, as a cursor.
pub const CELL: usize = 1 << POSITION_BITS;

/// The bits of a cursor that hold the position.
pub const POSITION: usize = CELL - 1;

/// The most cells a ring may have: at least two bits of a stamp must tell laps apart.
pub const MAX_CELLS: usize = 1 << (usize::BITS - 10);

/// The most slots a ring may have.
pub const MAX_SLOTS: usize = 1 << (usize::BITS - 2);

/// The first cursor of `cursor`'s cell.
#[inline(always)]
pub const fn cell_start(cursor: usize) -> usize {
    cursor & !POSITION
}

/// The free-running number of `cursor`'s cell.
#[inline(always)]
pub const fn cell_number(cursor: usize) -> usize {
    cursor >> POSITION_BITS
}

/// The element's place in `cursor`'s cell.
#[inline(always)]
pub const fn position(cursor: usize) -> usize {
    cursor & POSITION
}

/// The bits of a cursor that say which of `cells` cells it is in: the `mask` of what follows.
#[inline(always)]
pub const fn cell_mask(cells: usize) -> usize {
    (cells << POSITION_BITS) - CELL
}

/// The number of cells that a mask stands for.
#[inline(always)]
pub const fn cells_of(mask: usize) -> usize {
    cell_number(mask) + 1
}

/// The stamp of a cell whose published elements end at `cursor`.
#[inline(always)]
pub const fn stamp(cursor: usize, mask: usize) -> usize {
    cursor & !mask
}

/// The cursor that `stamp` stands for in the cell of `cursor`.
#[inline(always)]
pub const fn published(stamp: usize, cursor: usize, mask: usize) -> usize {
    stamp | (cursor & mask)
}

/// The stamp by which the cell of `cursor` is handed back for the next lap.
#[inline(always)]
pub const fn handed_back(cursor: usize, mask: usize) -> usize {
    // All bits below the lap set, and one more: the carry is the next lap.
    (cursor | mask | POSITION).wrapping_add(1)
}

/// `cursor` moved to the next cell.
#[inline(always)]
pub const fn next_cell(cursor: usize) -> usize {
    (cursor | POSITION).wrapping_add(1)
}

/// How many elements lie from cursor `head` to cursor `tail`, with `per_cell` in a cell; 0 if `tail` is behind.
#[inline]
pub const fn elements_between(head: usize, tail: usize, per_cell: usize) -> usize {
    let cells = (cell_start(tail).wrapping_sub(cell_start(head)) as isize) >> POSITION_BITS;
    let elements = cells * per_cell as isize + position(tail) as isize - position(head) as isize;
    if elements < 0 {
        0
    } else {
        elements as usize
    }
}

/// The cursor `count` elements after `cursor`.
#[inline]
pub const fn advance(cursor: usize, count: usize, per_cell: usize) -> usize {
    let place = position(cursor) + count;
    cell_start(cursor)
        .wrapping_add((place / per_cell) << POSITION_BITS)
        .wrapping_add(place % per_cell)
}

/// How many cells hold `capacity` elements for certain, `per_cell` in each; `None` if that is not representable.
pub const fn cells_for(capacity: usize, per_cell: usize) -> Option<usize> {
    if capacity == 0 {
        return None;
    }
    let cells = match (capacity - 1).div_ceil(per_cell).checked_add(1) {
        Some(cells) => cells,
        None => return None,
    };
    match cells.checked_next_power_of_two() {
        Some(cells) if cells <= MAX_CELLS => Some(cells),
        _ => None,
    }
}

/// The elements that `cells` cells hold for certain.
pub const fn line_capacity(cells: usize, per_cell: usize) -> usize {
    (cells - 1) * per_cell + 1
}

/// The bits of `tail`, with many producers, that hold a cell's number. Numbers wrap within them.
pub const NUMBER: usize = usize::MAX >> 1;

/// The bit of `tail` that says, with many producers, that no cell is claimed any more.
pub const SEALED: usize = !NUMBER;

/// The number after `number`.
#[inline(always)]
pub const fn next_number(number: usize) -> usize {
    number.wrapping_add(1) & NUMBER
}

/// The cursor of cell `number`'s first element.
#[inline(always)]
pub const fn numbered(number: usize) -> usize {
    number << POSITION_BITS
}

/// How many numbers lie from `head` to `tail`; 0 if `tail` is behind.
#[inline]
pub const fn numbers_between(head: usize, tail: usize) -> usize {
    let numbers = tail.wrapping_sub(head) & NUMBER;
    if numbers > NUMBER / 2 {
        0
    } else {
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks one end through `steps` elements from `start`, calling `check` with the element's number and cursor.
    fn walk(start: usize, per_cell: usize, steps: usize, mut check: impl FnMut(usize, usize)) {
        let mut cursor = start;
        for step in 0..steps {
            check(step, cursor);
            cursor = cursor.wrapping_add(1);
            if position(cursor) == per_cell {
                cursor = cursor.wrapping_add(CELL - per_cell);
            }
        }
    }

    const STARTS: [usize; 4] = [0, CELL, usize::MAX - 3 * CELL + 1, usize::MAX - CELL + 1];

    #[test]
    fn advance_agrees_with_single_steps_across_the_wrap() {
        for start in STARTS {
            for per_cell in [1, 2, 3, 7, 56, 60] {
                walk(start, per_cell, 500, |step, cursor| {
                    assert_eq!(advance(start, step, per_cell), cursor);
                    assert_eq!(elements_between(start, cursor, per_cell), step);
                    assert_eq!(
                        elements_between(cursor, start, per_cell),
                        0,
                        "a tail behind its head counts nothing"
                    );
                });
            }
        }
    }

    #[test]
    fn a_stamp_and_the_cell_give_the_cursor_back() {
        for start in STARTS {
            for mask in [1, 2, 4, 64].map(cell_mask) {
                walk(start, 7, 2000, |_, cursor| {
                    for count in 0..=7 {
                        let end = cell_start(cursor) + count;
                        assert_eq!(published(stamp(end, mask), cursor, mask), end);
                    }
                });
            }
        }
    }

    #[test]
    fn a_cell_handed_back_is_free_for_exactly_its_next_lap() {
        for start in STARTS {
            for cells in [1, 2, 4, 64] {
                let mask = cell_mask(cells);
                assert_eq!(cells_of(mask), cells);
                let back = handed_back(start, mask);
                for later in 0..3 * cells {
                    let cursor = start.wrapping_add(later << POSITION_BITS);
                    if cursor & mask == start & mask {
                        assert_eq!(back == stamp(cursor, mask), later == cells);
                    }
                }
            }
        }
    }

    #[test]
    fn cells_hold_what_is_asked_wherever_the_ring_starts() {
        for per_cell in 1..=60 {
            for capacity in 1..=300 {
                let cells = cells_for(capacity, per_cell).unwrap();
                assert!(cells.is_power_of_two());
                assert!(line_capacity(cells, per_cell) >= capacity);
                // The consumer may stand at any position, holding back its whole cell.
                for at in 0..per_cell {
                    let held = cells * per_cell - at;
                    assert!(held >= capacity.min(line_capacity(cells, per_cell)));
                }
            }
        }
    }

    #[test]
    fn numbers_wrap_below_the_seal_and_their_cells_go_on() {
        for start in [0, 1, NUMBER - 3, NUMBER] {
            let mut number = start;
            for step in 0..300 {
                assert_eq!(number & SEALED, 0);
                assert_eq!(numbers_between(start, number), step);
                assert_eq!(numbers_between(next_number(number), number), 0);
                let next = next_number(number);
                assert_eq!(next_cell(numbered(number)), numbered(next));
                for cells in [1, 2, 64] {
                    let mask = cell_mask(cells);
                    let index = cell_number(numbered(number) & mask);
                    assert_eq!(index, number % cells);
                    let later = number.wrapping_add(cells) & NUMBER;
                    assert_eq!(
                        handed_back(numbered(number), mask),
                        stamp(numbered(later), mask)
                    );
                }
                number = next;
            }
        }
    }

    #[test]
    fn capacities_that_cannot_be_had_are_refused() {
        assert_eq!(cells_for(0, 7), None);
        assert_eq!(cells_for(usize::MAX, 1), None);
        assert_eq!(cells_for(MAX_CELLS + 1, 1), None);
        assert_eq!(cells_for(MAX_CELLS, 1), Some(MAX_CELLS));
    }
}
