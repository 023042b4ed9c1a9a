//! By index a capacity is a power of two.

use gimmal::Ring;

static RING: Ring<u8, 3> = Ring::new();

fn main() {
    let _ = RING.split();
}
