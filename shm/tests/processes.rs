//! Two processes and one segment: messages, waiting, liveness, takeover.

mod common;

use common::{listen, play, say, Guard, Player, Scrap};
use gimmal::wait::{At, Park, Yield};
use gimmal_shm::kinds::{Index, KindOf, Lanes, Line, Mpsc};
use gimmal_shm::{End, Error, Fault, Peer, Segment};
use rustix::process::Signal;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Five words that must agree: a torn copy shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Message {
    id: u64,
    copies: [u64; 4],
}

impl Message {
    fn new(id: u64) -> Self {
        Self {
            id,
            copies: [id.wrapping_mul(0x9E37_79B9_7F4A_7C15); 4],
        }
    }

    fn is_whole(&self) -> bool {
        *self == Self::new(self.id)
    }
}

const COUNT: u64 = 20_000;

#[test]
fn child() {
    play(&[
        ("push-line", |name| {
            push_all(Segment::named(name).kind::<Line>())
        }),
        ("push-index", |name| {
            push_all(Segment::named(name).kind::<Index>())
        }),
        ("push-mpsc", |name| {
            push_all(Segment::named(name).kind::<Mpsc>())
        }),
        ("push-lanes", |name| {
            push_all(Segment::named(name).kind::<Lanes>())
        }),
        ("hold-producer", hold_producer),
        ("hold-consumer", hold_consumer),
        ("sleep", sleep_and_pop),
        ("fork", fork_and_die),
    ]);
}

fn push_all<K: KindOf>(segment: Segment<K>) {
    let mut tx = segment.producer::<Message>().unwrap();
    for id in 0..COUNT {
        tx.push_wait(Message::new(id), &mut Yield::new()).unwrap();
    }
    say("done");
    listen();
}

fn hold_producer(name: &str) {
    let mut tx = Segment::named(name).producer::<Message>().unwrap();
    let mut id = 0;
    say("held");
    loop {
        match listen().as_str() {
            "push" => {
                tx.push(Message::new(id)).unwrap();
                id += 1;
                say("pushed");
            }
            "peer" => say(&tx.peer().to_string()),
            _ => return,
        }
    }
}

fn hold_consumer(name: &str) {
    let rx = Segment::named(name).consumer::<Message>().unwrap();
    say("held");
    listen();
    drop(rx);
}

fn sleep_and_pop(name: &str) {
    let mut rx = Segment::named(name).consumer::<Message>().unwrap();
    let mut park = Park::shared();
    rx.declare(&mut park);
    say("asleep");
    loop {
        match rx.pop_wait(&mut park) {
            Ok(message) => say(&message.id.to_string()),
            Err(fault) => return say(&format!("{fault:?}")),
        }
    }
}

fn fork_and_die(name: &str) {
    let tx = Segment::named(name).producer::<Message>().unwrap();
    // SAFETY: the child only sleeps and ends, and no lock is held that it would need.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // Drops of a handle that a child never had touch nothing.
        drop(tx);
        // SAFETY: these may be called in a child of whatever process.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, 0);
            libc::sleep(20);
            libc::_exit(0);
        }
    }
    say(&child.to_string());
    listen();
}

/// The consumer's side of `push_all` with this many producers: each one's messages in order.
fn all_arrive<K: KindOf>(segment: Segment<K>, scrap: &Scrap, role: &str, producers: usize) {
    let mut rx = segment.consumer::<Message>().unwrap();
    let mut players: Vec<_> = (0..producers)
        .map(|_| Player::new(role, scrap.name()))
        .collect();
    let mut seen = vec![0; COUNT as usize];
    for _ in 0..COUNT * producers as u64 {
        let message = rx.pop_wait(&mut Yield::new()).unwrap();
        assert!(message.is_whole());
        seen[message.id as usize] += 1;
        // In order from each producer: at no time is a later one ahead of an earlier one.
        assert!(message.id == 0 || seen[message.id as usize - 1] >= seen[message.id as usize]);
    }
    assert!(seen.iter().all(|times| *times == producers));
    assert_eq!(rx.pop(), Ok(None));
    for player in &mut players {
        player.expect("done");
    }
    assert_eq!(rx.peer(), Peer::Alive);
    for mut player in players {
        player.tell("end");
        player.finish();
    }
    assert_eq!(rx.peer(), Peer::Absent);
}

#[test]
fn messages_cross_processes_in_every_kind() {
    let _guard = Guard::new(120);
    for capacity in [1, 64, 1024] {
        let scrap = Scrap::new("line");
        all_arrive(scrap.segment().line(capacity), &scrap, "push-line", 1);
        let scrap = Scrap::new("index");
        all_arrive(scrap.segment().index(capacity), &scrap, "push-index", 1);
        let scrap = Scrap::new("mpsc");
        all_arrive(scrap.segment().mpsc(capacity, 3), &scrap, "push-mpsc", 3);
        let scrap = Scrap::new("lanes");
        all_arrive(scrap.segment().lanes(capacity, 3), &scrap, "push-lanes", 3);
    }
}

#[test]
fn an_end_that_lives_is_busy_and_one_that_died_is_taken_over() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("busy");
    let mut rx = scrap.segment().line(16).consumer::<Message>().unwrap();
    assert_eq!(rx.peer(), Peer::Absent);
    let mut player = Player::new("hold-producer", scrap.name());
    player.expect("held");
    player.tell("peer");
    player.expect("alive");
    assert_eq!(rx.peer(), Peer::Alive);
    let pid = player.pid().as_raw_nonzero().get() as u32;
    let again = scrap.segment().producer::<Message>().unwrap_err();
    let busy = Error::Busy {
        end: End::Producer,
        pid,
    };
    assert_eq!(again, busy);
    for _ in 0..3 {
        player.tell("push");
        player.expect("pushed");
    }
    assert_eq!(rx.pop(), Ok(Some(Message::new(0))));

    // A zombie's pid is there, but its end is not.
    player.kill_to_zombie();
    assert_eq!(rx.peer(), Peer::Dead);
    let mut tx = scrap.segment().producer::<Message>().unwrap();
    assert_eq!(rx.peer(), Peer::Alive);
    tx.push(Message::new(3)).unwrap();
    for id in 1..4 {
        assert_eq!(rx.pop(), Ok(Some(Message::new(id))));
    }
    drop(tx);
    assert_eq!(rx.peer(), Peer::Absent);
    assert_eq!(rx.epoch(), 1);
}

#[test]
fn a_stopped_process_still_holds_its_end() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("stopped");
    let tx = scrap.segment().line(16).producer::<Message>().unwrap();
    let mut player = Player::new("hold-consumer", scrap.name());
    player.expect("held");
    player.signal(Signal::STOP);
    while tx.peer() == Peer::Alive {
        std::thread::yield_now();
    }
    assert_eq!(tx.peer(), Peer::Stopped);
    let again = scrap.segment().consumer::<Message>().unwrap_err();
    assert!(matches!(again, Error::Busy { .. }));
    player.signal(Signal::CONT);
    while tx.peer() == Peer::Stopped {
        std::thread::yield_now();
    }
    assert_eq!(tx.peer(), Peer::Alive);
}

#[test]
fn a_child_does_not_inherit_the_end() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("fork");
    let rx = scrap.segment().line(16).consumer::<Message>().unwrap();
    let mut player = Player::new("fork", scrap.name());
    let child: i32 = player.hear().parse().unwrap();
    let child = rustix::process::Pid::from_raw(child).unwrap();
    assert_eq!(rx.peer(), Peer::Alive);
    player.kill();
    // The child lives on and holds nothing.
    rustix::process::test_kill_process(child).unwrap();
    assert_eq!(rx.peer(), Peer::Dead);
    rustix::process::kill_process(child, Signal::KILL).unwrap();
}

#[test]
fn a_sleeper_is_woken_across_processes_and_told_of_a_death() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("sleep");
    let mut tx = scrap.segment().line(16).producer::<Message>().unwrap();
    let park = Park::shared();
    let mut player = Player::new("sleep", scrap.name());
    player.expect("asleep");
    for id in 0..200 {
        tx.push_notify(Message::new(id), &park).unwrap();
        player.expect(&id.to_string());
    }
    tx.close();
    player.expect("Closed");

    let scrap = Scrap::new("sleep");
    let rx = scrap.segment().line(16).consumer::<Message>().unwrap();
    let mut dying = Player::new("hold-producer", scrap.name());
    dying.expect("held");
    drop(rx);
    let mut player = Player::new("sleep", scrap.name());
    player.expect("asleep");
    dying.tell("push");
    dying.expect("pushed");
    player.expect("0");
    dying.tell("push");
    dying.kill();
    assert!(["1", "PeerDied"].contains(&player.hear().as_str()));
}

#[test]
fn a_producer_that_waits_is_told_that_the_consumer_died() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("full");
    let mut tx = scrap.segment().line(1).producer::<Message>().unwrap();
    let mut player = Player::new("hold-consumer", scrap.name());
    player.expect("held");
    while tx.push(Message::new(1)).is_ok() {}
    let mut looks = 0;
    let mut soon = At::after(1000, || {
        looks += 1;
        looks
    });
    let waited = tx.push_wait_until(Message::new(2), &mut Yield::new(), &mut soon);
    assert_eq!(waited, Err(Fault::TimedOut));
    player.kill();
    assert_eq!(tx.push(Message::new(2)), Err(Fault::Full));
    assert!(!tx.offer(Message::new(2)));
    assert_eq!(tx.dropped(), 1);
    let waited = tx.push_wait(Message::new(2), &mut Yield::new());
    assert_eq!((waited, tx.peer()), (Err(Fault::PeerDied), Peer::Dead));
}

#[test]
fn an_end_of_a_replaced_segment_is_told() {
    let _guard = Guard::new(60);
    let scrap = Scrap::new("replaced");
    let mut rx = scrap.segment().line(16).consumer::<Message>().unwrap();
    let mut old = scrap.segment().producer::<Message>().unwrap();
    let replace = || scrap.segment().line(64).replace();
    let busy = replace().producer::<Message>().unwrap_err();
    assert!(matches!(busy, Error::Busy { .. }), "{busy:?}");
    old.push(Message::new(1)).unwrap();
    drop(old);

    let mut tx = replace().producer::<Message>().unwrap();
    assert_eq!(tx.epoch(), 2);
    assert!(!rx.is_current());
    // What was in it is still delivered.
    assert_eq!(rx.pop(), Ok(Some(Message::new(1))));
    assert_eq!(rx.pop(), Err(Fault::Superseded));
    assert_eq!(rx.pop_wait(&mut Yield::new()), Err(Fault::Superseded));

    let mut rx = scrap.segment().consumer::<Message>().unwrap();
    assert!(rx.is_current());
    tx.push(Message::new(2)).unwrap();
    assert_eq!(rx.pop(), Ok(Some(Message::new(2))));

    drop(rx);
    let new = replace().consumer::<Message>().unwrap();
    assert_eq!(tx.push(Message::new(3)), Err(Fault::Superseded));
    assert_eq!(new.epoch(), 3);
}

#[test]
fn a_segment_without_a_name_is_passed_by_its_descriptor() {
    let _guard = Guard::new(60);
    let mut tx = Segment::anonymous().line(16).producer::<Message>().unwrap();
    let passed = || Segment::passed(tx.share().unwrap());
    let again = passed().producer::<Message>().unwrap_err();
    assert!(matches!(again, Error::Busy { .. }), "{again:?}");
    let mut rx = passed().consumer::<Message>().unwrap();
    assert_eq!(tx.peer(), Peer::Alive);
    assert_eq!(passed().inspect().unwrap().consumer().peer, Peer::Alive);
    tx.push(Message::new(5)).unwrap();
    assert_eq!(rx.pop(), Ok(Some(Message::new(5))));
    // Nobody can make accesses to it faults.
    let descriptor = tx.share().unwrap();
    let writable = std::fs::OpenOptions::new()
        .write(true)
        .open(format!(
            "/proc/self/fd/{}",
            std::os::fd::AsRawFd::as_raw_fd(&descriptor)
        ))
        .unwrap();
    assert!(writable.set_len(0).is_err());
    drop(rx);
    assert_eq!(tx.peer(), Peer::Absent);
}
