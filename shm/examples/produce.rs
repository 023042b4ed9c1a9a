//! Sends ticks to whoever runs the example `consume`: `cargo run -p gimmal-shm --example produce -- NAME [COUNT]`.

use gimmal::wait::Park;
use gimmal_shm::{Error, Segment};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Tick {
    id: u64,
    price: f64,
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or("ticks".into());
    let count = arguments
        .next()
        .map_or(1000, |count| count.parse().expect("a count"));

    let mut tx = Segment::named(&name).line(1024).producer::<Tick>()?;
    let park = Park::shared();
    for id in 0..count {
        let tick = Tick { id, price: 100.0 };
        tx.push_wait(tick, &mut park.clone())?;
        tx.notify(&park);
    }
    tx.close();
    Ok(())
}
