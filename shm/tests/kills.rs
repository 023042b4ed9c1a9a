//! SIGKILL at random moments: nothing torn, nothing committed lost, nothing delivered again, and a successor always takes over.
//!
//! `GIMMAL_KILLS` sets how many in all (500 unless set), `GIMMAL_SEED` the seed that a failure prints.

mod common;

use common::{play, say, Guard, Player, Scrap};
use fastrand::Rng;
use gimmal_shm::kinds::KindOf;
use gimmal_shm::{Consumer, Error, Fault, Producer, Segment};
use rustix::mm::{mmap_anonymous, MapFlags, ProtFlags};
use rustix::process::{
    kill_process, set_parent_process_death_signal, waitpid, Pid, Signal, WaitOptions,
};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Producers of the kinds that have many.
const PLACES: usize = 3;

#[test]
fn child() {
    play(&[
        ("line", |plan| kill_ends(plan, |name| name.line(20), 1)),
        ("index", |plan| kill_ends(plan, |name| name.index(16), 1)),
        ("lanes", |plan| {
            kill_ends(plan, |name| name.lanes(20, PLACES), PLACES)
        }),
        ("mpsc", |plan| {
            kill_ends(plan, |name| name.mpsc(16, PLACES), PLACES)
        }),
        ("creator", kill_creators),
    ]);
}

/// Five words that must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Message {
    place: u64,
    id: u64,
    copies: [u64; 3],
}

impl Message {
    fn new(place: u64, id: u64) -> Self {
        let copies = [(id << 8 | place).wrapping_mul(0x9E37_79B9_7F4A_7C15); 3];
        Self { place, id, copies }
    }
}

/// A list that children append to, whenever they are killed.
struct List {
    len: AtomicU64,
    /// Place and number of a message.
    entries: [[AtomicU64; 2]; 1 << 16],
}

impl List {
    /// Killed in the middle it appends nothing. Only one child at a time does it.
    fn push(&self, place: usize, id: u64) {
        let len = self.len.load(SeqCst);
        let entry = &self.entries[len as usize];
        entry[0].store(place as u64, SeqCst);
        entry[1].store(id, SeqCst);
        self.len.store(len + 1, SeqCst);
    }

    fn entries(&self) -> Vec<(usize, u64)> {
        let len = self.len.load(SeqCst) as usize;
        let entries = self.entries[..len].iter();
        entries
            .map(|[place, id]| (place.load(SeqCst) as usize, id.load(SeqCst)))
            .collect()
    }
}

/// What the ends note outside the segment, in memory that outlives them.
#[repr(C)]
struct Ledger {
    /// By producers' place: the last message that was to be pushed, and the last that was.
    tried: [AtomicU64; PLACES],
    done: [AtomicU64; PLACES],
    /// By producers' place: the messages that were being pushed when their producer died.
    doubts: [List; PLACES],
    /// By producers' place: the last message popped.
    seen: [AtomicU64; PLACES],
    /// The messages that were passed over.
    missing: List,
    /// What had been seen of each place when a consumer began.
    restarts: List,
    /// Messages torn or delivered again.
    wrong: AtomicU64,
}

impl Ledger {
    /// Zeros, shared with children.
    fn new() -> &'static Self {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: at an address of the kernel's choice; never unmapped; all zeros are a ledger.
        unsafe {
            let nowhere = std::ptr::null_mut();
            mmap_anonymous(nowhere, size_of::<Self>(), protection, MapFlags::SHARED)
                .unwrap()
                .cast::<Self>()
                .as_ref()
                .unwrap()
        }
    }

    /// A producer begins in a place: its predecessor's last message may have been pushed or not.
    fn begin_producer(&self, place: usize) {
        let tried = self.tried[place].load(SeqCst);
        if tried > self.done[place].load(SeqCst) {
            self.doubts[place].push(place, tried);
            self.done[place].store(tried, SeqCst);
        }
    }

    /// A consumer begins: its predecessor may have popped one message and not noted it.
    fn begin_consumer(&self) {
        for (place, seen) in self.seen.iter().enumerate() {
            self.restarts.push(place, seen.load(SeqCst));
        }
    }

    fn note(&self, message: Message) {
        let place = message.place as usize;
        let seen = self
            .seen
            .get(place)
            .map_or(u64::MAX, |seen| seen.load(SeqCst));
        let is_whole = message == Message::new(message.place, message.id);
        if !is_whole || message.id <= seen || message.id > seen + 100 {
            self.wrong.fetch_add(1, SeqCst);
            return;
        }
        (seen + 1..message.id).for_each(|id| self.missing.push(place, id));
        self.seen[place].store(message.id, SeqCst);
    }

    /// Each message that did not arrive was being pushed by a producer that died, or popped by a consumer that did.
    fn check(&self) {
        assert_eq!(self.wrong.load(SeqCst), 0, "torn, or delivered again");
        let doubts: BTreeSet<_> = self.doubts.iter().flat_map(List::entries).collect();
        // Consumers that die in a row before they note anything have each popped the next message.
        let mut deaths = BTreeMap::new();
        for restart in self.restarts.entries() {
            *deaths.entry(restart).or_insert(0) += 1;
        }
        let popped: BTreeSet<_> = deaths
            .into_iter()
            .flat_map(|((place, seen), deaths)| {
                let doubts = &doubts;
                let certain = (seen + 1..).filter(move |id| !doubts.contains(&(place, *id)));
                certain.take(deaths).map(move |id| (place, id))
            })
            .collect();
        let missing: BTreeSet<_> = self.missing.entries().into_iter().collect();
        let lost: Vec<_> = missing.difference(&doubts).collect();
        assert!(
            lost.iter().all(|message| popped.contains(message)),
            "{lost:?}"
        );
        let restarts = self.restarts.entries().len() / PLACES;
        assert!(lost.len() <= restarts, "{lost:?} at {restarts} deaths");
    }
}

fn push_on<K: KindOf>(mut tx: Producer<Message, K>, ledger: &Ledger) -> ! {
    let place = tx.place();
    ledger.begin_producer(place);
    loop {
        let id = ledger.tried[place].load(SeqCst) + 1;
        ledger.tried[place].store(id, SeqCst);
        loop {
            match tx.push(Message::new(place as u64, id)) {
                Ok(()) => break,
                Err(Fault::Full) => std::thread::yield_now(),
                Err(fault) => panic!("{fault:?}"),
            }
        }
        ledger.done[place].store(id, SeqCst);
    }
}

fn pop_on<K: KindOf>(mut rx: Consumer<Message, K>, ledger: &Ledger) -> ! {
    ledger.begin_consumer();
    let mut idle = 0;
    loop {
        match rx.pop() {
            Ok(Some(message)) => {
                ledger.note(message);
                idle = 0;
            }
            Ok(None) => {
                idle += 1;
                if idle % 64 == 0 {
                    rx.skip_dead();
                }
                std::thread::yield_now();
            }
            Err(fault) => panic!("{fault:?}"),
        }
    }
}

/// Runs this in a child, which it never leaves.
fn fork(what: impl FnOnce()) -> Pid {
    // SAFETY: the other threads of this process only wait, so that none can hold a lock that the child needs.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        set_parent_process_death_signal(Some(Signal::KILL)).unwrap();
        let is_good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(what)).is_ok();
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(if is_good { 0 } else { 42 }) };
    }
    Pid::from_raw(pid).unwrap()
}

/// Kills a child and waits until nothing of it is left. It must not have ended by itself.
fn kill(child: Pid) {
    kill_process(child, Signal::KILL).unwrap();
    let (_, status) = waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap();
    assert!(status.signaled(), "an end gave up: {status:?}");
}

/// Mostly within a claim or the first messages, sometimes long after.
fn pause(rng: &mut Rng) {
    let most = [30, 300, 3000][rng.usize(0..3)];
    std::thread::sleep(Duration::from_micros(rng.u64(0..most)));
}

/// The plan is a segment's name, a number of kills and a seed.
fn read(plan: &str) -> (String, u64, Rng) {
    let parts: Vec<_> = plan.split(' ').collect();
    let seed = parts[2].parse().unwrap();
    (
        parts[0].into(),
        parts[1].parse().unwrap(),
        Rng::with_seed(seed),
    )
}

fn kill_ends<K: KindOf>(plan: &str, segment: fn(Segment) -> Segment<K>, places: usize) {
    let (name, kills, mut rng) = read(plan);
    let segment = || segment(Segment::named(&name));
    let ledger = Ledger::new();
    let new_producer = || fork(|| push_on(segment().producer().unwrap(), ledger));
    let new_consumer = || fork(|| pop_on(segment().consumer().unwrap(), ledger));
    let mut producers: Vec<_> = (0..places).map(|_| new_producer()).collect();
    let mut consumer = new_consumer();
    for _ in 0..kills {
        pause(&mut rng);
        if rng.bool() {
            let victim = rng.usize(0..places);
            kill(producers[victim]);
            producers[victim] = new_producer();
        } else {
            kill(consumer);
            consumer = new_consumer();
        }
    }
    // All goes on: messages of everybody arrive.
    let seen = |place: usize| ledger.seen[place].load(SeqCst);
    let before: Vec<_> = (0..places).map(seen).collect();
    while (0..places).any(|place| seen(place) <= before[place] + 100) {
        std::thread::yield_now();
    }
    producers.into_iter().for_each(kill);
    kill(consumer);
    ledger.check();
    segment().remove().unwrap();
    say("good");
}

/// Makes and replaces segments, and gives them up, without end.
fn create_on(name: &str, seed: u64) -> ! {
    let mut rng = Rng::with_seed(seed);
    loop {
        let segment = || Segment::named(name).line(64);
        match rng.u8(0..4) {
            0 => drop(segment().replace().producer::<u64>().unwrap()),
            1 => drop(segment().replace().consumer::<u64>().unwrap()),
            2 => drop(segment().producer::<u64>().unwrap()),
            _ => Segment::named(name).remove().unwrap_or_else(|error| {
                assert_eq!(error, Error::NotFound(name.into()));
            }),
        }
    }
}

fn kill_creators(plan: &str) {
    let (name, kills, mut rng) = read(plan);
    let segment = || Segment::named(&name).line(64);
    for _ in 0..kills {
        let seed = rng.u64(..);
        let creator = fork(|| create_on(&name, seed));
        pause(&mut rng);
        kill(creator);
        // Whatever it left, there is a segment now, and both of its ends.
        let mut tx = segment().producer::<u64>().unwrap();
        let mut rx = segment().consumer::<u64>().unwrap();
        assert!(tx.is_current() && rx.is_current());
        tx.push(seed).unwrap();
        assert_eq!(rx.pop(), Ok(Some(seed)));
        drop((tx, rx));
        if rng.bool() {
            segment().remove().unwrap();
        }
    }
    match segment().remove() {
        Ok(()) | Err(Error::NotFound(_)) => say("good"),
        Err(error) => panic!("{error:?}"),
    }
}

/// A fifth of all kills, of ends of this kind or of creators.
fn survive(role: &str) {
    let number = |name: &str| {
        env::var(name)
            .ok()
            .map(|value| value.parse::<u64>().unwrap())
    };
    let kills = number("GIMMAL_KILLS").unwrap_or(500) / 5;
    let seed = number("GIMMAL_SEED").unwrap_or_else(|| fastrand::u64(..));
    let _guard = Guard::new(60 + kills / 10);
    let scrap = Scrap::new(role);
    let mut player = Player::new(role, &format!("{} {kills} {seed}", scrap.name()));
    assert_eq!(player.hear(), "good", "{role}, GIMMAL_SEED={seed}");
    player.finish();
    let files = std::fs::read_dir("/dev/shm").unwrap();
    let left = files.filter(|file| {
        let file = file.as_ref().unwrap().file_name();
        file.to_str()
            .is_some_and(|file| file.contains(scrap.name()))
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn ends_of_a_ring_by_line_survive_kills() {
    survive("line");
}

#[test]
fn ends_of_a_ring_by_index_survive_kills() {
    survive("index");
}

#[test]
fn ends_of_lanes_survive_kills() {
    survive("lanes");
}

#[test]
fn ends_of_a_ring_of_many_producers_survive_kills() {
    survive("mpsc");
}

#[test]
fn segments_survive_kills_of_their_creators() {
    survive("creator");
}
