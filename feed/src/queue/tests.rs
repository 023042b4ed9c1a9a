use super::*;
use gimmal::wait::{Spin, Yield};
use std::thread;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);

type Received = (Head, u64, Vec<u8>);

fn take(receiver: &mut Receiver<'_>, time: Duration) -> Result<Received, WaitError> {
    let ticks = Ticks::start();
    receiver.receive(&mut Spin, &mut ticks.after(time), |head, missing, text| {
        (head, missing, text.to_vec())
    })
}

/// A text of any length whose bytes tell where they belong.
fn text(number: u64, length: usize) -> Vec<u8> {
    (0..length as u64)
        .map(|at| (number * 31 + at * 7) as u8)
        .collect()
}

#[test]
fn texts_of_every_length_come_out_as_they_went_in() {
    let queue = Queue::new(Size::K4);
    let (mut sender, mut receiver) = queue.split().unwrap();
    // More than two laps, so that every part of a record is cut by the wrap.
    for (number, length) in (0..1500_u64).chain([4096 - 24]).enumerate() {
        let number = number as u64;
        let sent = text(number, length as usize);
        assert_eq!(sender.offer(3, number * 5, &sent), Offered::Sent);
        let expected = Head {
            session: 3,
            number,
            at: number * 5,
        };
        assert_eq!(take(&mut receiver, SOON), Ok((expected, 0, sent)));
    }
    assert_eq!(
        take(&mut receiver, Duration::ZERO),
        Err(WaitError::TimedOut)
    );
    assert_eq!(receiver.try_receive(|head, _, _| head.number), None);
    sender.offer(1, 0, b"");
    assert_eq!(receiver.try_receive(|head, _, _| head.number), Some(1501));
}

#[test]
fn what_finds_no_room_is_dropped_and_counted() {
    let queue = Queue::new(Size::K4);
    let (mut sender, mut receiver) = queue.split().unwrap();
    // 1024 bytes each, so that four fill the ring.
    for number in 0..7 {
        assert_eq!(sender.has_room(1000), number < 4);
        let expected = if number < 4 {
            Offered::Sent
        } else {
            Offered::Dropped
        };
        assert_eq!(sender.offer(1, 0, &text(number, 1000)), expected);
    }
    assert!(!sender.has_room(0) && !sender.has_room(usize::MAX));
    // Too large for any ring of this size.
    assert_eq!(sender.offer(1, 0, &[0; 4096 - 23]), Offered::Dropped);
    assert_eq!((sender.produced(), sender.dropped()), (8, 4));
    assert_eq!(receiver.depth(), (4096, 4096));
    assert_eq!(receiver.offered(), (8, 4), "known at once");
    for number in 0..4 {
        let (head, missing, received) = take(&mut receiver, SOON).unwrap();
        assert_eq!(
            (head.number, missing, received),
            (number, 0, text(number, 1000))
        );
    }
    assert_eq!(receiver.dropped(), 0, "not known before the next record");
    assert_eq!(sender.offer(1, 0, b""), Offered::Sent);
    let (head, missing, received) = take(&mut receiver, SOON).unwrap();
    assert_eq!((head.number, missing, received.len()), (8, 4, 0));
    assert_eq!((receiver.consumed(), receiver.dropped()), (5, 4));
}

#[test]
fn what_is_left_is_counted_apart() {
    let queue = Queue::new(Size::K4);
    let (mut sender, mut receiver) = queue.split().unwrap();
    for number in 0..7 {
        sender.offer(1, 0, &text(number, 1000));
    }
    take(&mut receiver, SOON).unwrap();
    assert_eq!(receiver.discard(), 3);
    assert_eq!(receiver.discard(), 0);
    assert_eq!(receiver.consumed(), 1);
    assert_eq!(receiver.depth(), (0, 4096));
    assert_eq!(receiver.offered(), (7, 3));
}

#[test]
fn a_closed_queue_takes_nothing_and_keeps_what_it_has() {
    let queue = Queue::new(Size::K4);
    let (mut sender, mut receiver) = queue.split().unwrap();
    assert!(queue.split().is_err());
    assert_eq!(sender.offer(1, 0, b"one"), Offered::Sent);
    receiver.close();
    assert!(sender.is_closed());
    assert_eq!(sender.offer(1, 0, b"two"), Offered::Closed);
    assert_eq!((sender.produced(), sender.dropped()), (1, 0));
    assert_eq!(take(&mut receiver, SOON).unwrap().2, b"one");
    assert_eq!(take(&mut receiver, SOON), Err(WaitError::Closed));
}

#[test]
fn two_threads_lose_nothing_that_is_not_counted() {
    let queue = Queue::new(Size::K64);
    let (mut sender, mut receiver) = queue.split().unwrap();
    let mut received = 0;
    let sender = thread::scope(|scope| {
        let sending = scope.spawn(move || {
            for number in 0..50_000_u64 {
                sender.offer(1, number, &text(number, (number % 700) as usize));
            }
            sender.close();
            (sender.produced(), sender.dropped())
        });
        let ticks = Ticks::start();
        let mut missed = 0;
        loop {
            let taken = receiver.receive(
                &mut Yield::new(),
                &mut ticks.after(SOON),
                |head, missing, sent| {
                    assert_eq!(head.number, head.at);
                    assert_eq!(head.number, received + missed + missing);
                    assert_eq!(sent, text(head.number, (head.number % 700) as usize));
                    missed += missing;
                    received += 1;
                },
            );
            match taken {
                Ok(()) => {}
                Err(WaitError::Closed) => break,
                Err(WaitError::TimedOut) => panic!("nothing for a minute"),
            }
        }
        sending.join().unwrap()
    });
    assert_eq!(sender.0, 50_000);
    assert_eq!(received + sender.1, 50_000);
    assert_eq!(receiver.consumed(), received);
}
