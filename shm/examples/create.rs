//! How long it takes to create a segment of 1 MiB and to attach to it: `cargo run --release -p gimmal-shm --example create`.

use gimmal_shm::{Error, Segment};
use std::time::{Duration, Instant};

type Message = [u64; 6];

/// One element a cell of 64 bytes: 1 MiB, less what is not cells.
const CAPACITY: usize = 1 << 14;
const ROUNDS: usize = 501;

fn main() -> Result<(), Error> {
    let name = format!("create-{}", std::process::id());
    let segment = || Segment::named(&name).line(CAPACITY);
    let (mut creates, mut attaches) = (Vec::new(), Vec::new());
    let mut size = 0;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let tx = segment().producer::<Message>()?;
        let created = Instant::now();
        let rx = segment().consumer::<Message>()?;
        attaches.push(created.elapsed());
        creates.push(created - begin);
        size = segment().inspect()?.size();
        drop((tx, rx));
        segment().remove()?;
    }
    println!(
        "{size} bytes: create {:?}, attach {:?} (medians of {ROUNDS})",
        median(creates),
        median(attaches)
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
