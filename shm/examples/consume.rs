//! Counts the ticks of the example `produce`, and goes on where a consumer before it died:
//! `cargo run -p gimmal-shm --example consume -- NAME`.

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
    let name = std::env::args().nth(1).unwrap_or("ticks".into());
    let segment = || Segment::named(&name).line(1024);

    let mut rx = segment().consumer::<Tick>()?;
    let mut park = Park::shared();
    rx.declare(&mut park);
    let (mut ticks, mut turnover) = (0, 0.0);
    loop {
        match rx.pop_wait(&mut park) {
            Ok(tick) => {
                assert!(tick.id >= ticks, "ticks come in order");
                ticks += 1;
                turnover += tick.price;
                // The producer may wait for room.
                if ticks % 256 == 0 {
                    rx.notify(&park);
                }
            }
            Err(Fault::PeerDied) => eprintln!("the producer died: waiting for another"),
            Err(Fault::Closed) => break,
            Err(fault) => return Err(fault.into()),
        }
    }
    println!("{ticks} ticks, turnover {turnover}");
    drop(rx);
    segment().remove()
}
