//! Sends ticks to whoever runs the example `consume`, numbered from FIRST on, and goes on where a producer before it died:
//! `cargo run -p gimmal-shm --example produce -- NAME [COUNT [FIRST]]`.

use gimmal::wait::Park;
use gimmal_shm::{Error, Fault, Segment};
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
    let mut number = |default| {
        let number = arguments.next();
        number.map_or(default, |number| number.parse().expect("a number"))
    };
    let (count, first) = (number(1000), number(0));
    let segment = || Segment::named(&name).line(1024);

    let mut tx = segment().producer::<Tick>()?;
    if tx.fault() == Some(Fault::Closed) {
        // An earlier run is over, and has left its segment.
        drop(tx);
        tx = segment().replace().producer()?;
    }
    let park = Park::shared();
    for id in first..first + count {
        let tick = Tick { id, price: 100.0 };
        tx.push_wait(tick, &mut park.clone())?;
        tx.notify(&park);
    }
    tx.close();
    Ok(())
}
