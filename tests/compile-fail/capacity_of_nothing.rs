//! A ring of no slots, cells or elements is none.

use gimmal::{LineRing, Mpsc, Ring};

static RING: Ring<u8, 0> = Ring::new();
static LINES: LineRing<u8, 0> = LineRing::new();
static MANY: Mpsc<u8, 0> = Mpsc::new();

fn main() {
    let _ = (RING.split(), LINES.split(), MANY.split());
}
