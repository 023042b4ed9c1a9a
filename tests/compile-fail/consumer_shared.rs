//! One thread at a time has an end.

use gimmal::Ring;

fn main() {
    let ring = Ring::<u8, 4>::new();
    let (_tx, end) = ring.split().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| end.len());
    });
}
