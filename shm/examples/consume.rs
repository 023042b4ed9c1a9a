//! Counts the ticks of the example `produce`, and goes on where a consumer before it died:
//! `cargo run -p gimmal-shm --example consume -- NAME`.

use gimmal::wait::Park;
use gimmal_shm::{Error, Fault, Segment};
use std::thread::sleep;
use std::time::Duration;
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
    let mut next = None;
    let mut is_told = false;
    loop {
        match rx.pop_wait(&mut park) {
            Ok(tick) => {
                if next.is_some_and(|next| next != tick.id) {
                    eprintln!("tick {} out of turn", tick.id);
                }
                next = Some(tick.id + 1);
                is_told = false;
                ticks += 1;
                turnover += tick.price;
                // The producer may wait for room.
                if ticks % 256 == 0 {
                    rx.notify(&park);
                }
            }
            // Once a death, of which the wait tells every 50 ms.
            Err(Fault::PeerDied) if is_told => {}
            Err(Fault::PeerDied) => {
                eprintln!("the producer died: waiting for another");
                is_told = true;
            }
            Err(Fault::Closed) => break,
            Err(fault) => return Err(fault.into()),
        }
    }
    println!("{ticks} ticks, turnover {turnover}");
    // Who has closed it may not have given its end back yet.
    while rx.peer().is_alive() {
        sleep(Duration::from_millis(1));
    }
    drop(rx);
    segment().remove()
}
