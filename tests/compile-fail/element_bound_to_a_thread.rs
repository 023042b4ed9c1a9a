//! What must stay on its thread does not go through a ring.

use gimmal::Ring;
use std::rc::Rc;

static RING: Ring<Rc<u8>, 4> = Ring::new();

fn main() {
    let ring = Ring::<Rc<u8>, 4>::new();
    let (mut tx, _rx) = ring.split().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || tx.push(Rc::new(1)).is_ok());
    });
    let _ = RING.split();
}
