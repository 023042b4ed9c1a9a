//! One end of a segment as a process in Rust: what `shm/end.h` says.

use gimmal::wait::Park;
use gimmal_shm::kinds::KindOf;
use gimmal_shm::{Fault, Segment};
use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

/// Its number, and what must follow from it.
type Message = [u64; 2];

const CAPACITY: usize = 1024;
const PRODUCERS: usize = 3;
const TAG: u64 = 0x6761;

fn message(id: u64) -> Message {
    [id, id.wrapping_mul(0x9E37_79B9_7F4A_7C15)]
}

/// Plays the role that these arguments tell, and ends.
pub fn play(arguments: &[&str]) -> ! {
    // A process that hangs is ended.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(60));
        std::process::exit(3);
    });
    let name = Segment::named(arguments[1]).type_tag(TAG);
    match arguments[2] {
        "line" => part(name.line(CAPACITY), arguments),
        "index" => part(name.index(CAPACITY), arguments),
        "mpsc" => part(name.mpsc(CAPACITY, PRODUCERS), arguments),
        _ => part(name.lanes(CAPACITY, PRODUCERS), arguments),
    }
    std::process::exit(0);
}

fn part<K: KindOf>(segment: Segment<K>, arguments: &[&str]) {
    let number = |at: usize| arguments[at].parse().unwrap();
    if arguments[0] == "push" {
        push(segment, number(3), number(4), arguments[5]);
    } else {
        pop(segment, number(3));
    }
}

fn push<K: KindOf>(segment: Segment<K>, from: u64, count: u64, then: &str) {
    let mut tx = segment.producer::<Message>().unwrap();
    let mut park = Park::shared();
    for id in from..from + count {
        tx.push_wait(message(id), &mut park).unwrap();
        tx.notify(&park);
    }
    say("pushed", count, 0);
    if then == "close" {
        tx.close();
    } else {
        listen();
    }
}

fn pop<K: KindOf>(segment: Segment<K>, limit: u64) {
    let mut rx = segment.consumer::<Message>().unwrap();
    let mut park = Park::shared();
    rx.declare(&mut park);
    say("ready", 0, 0);
    let (mut count, mut first) = (0, 0);
    let mut next = HashMap::new();
    loop {
        match rx.pop_wait(&mut park) {
            Ok(found) => {
                let id = found[0];
                assert_eq!(found, message(id));
                if let Some(next) = next.insert(id >> 32, id + 1) {
                    assert_eq!(next, id);
                }
                if count == 0 {
                    first = id;
                }
                count += 1;
                rx.notify(&park);
                if count == limit {
                    say("popped", first, count);
                    listen();
                }
            }
            Err(Fault::Closed) => return say("closed", first, count),
            Err(Fault::PeerDied) => say("died", first, count),
            Err(fault) => panic!("{fault}"),
        }
    }
}

fn say(word: &str, one: u64, other: u64) {
    println!("{word} {one} {other}");
    std::io::stdout().flush().unwrap();
}

fn listen() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}
