//! A ring on atomics that stop after every access, and the exploration of every order of accesses and deaths.
//!
//! A state is the memory and, for each party, the answers that its accesses have had: they determine where it stands. To go one step on, a
//! party's program is run again from its beginning with those answers, makes one more access, and is stopped before the next. Accesses
//! are in one order for all (sequentially consistent); what a weak memory adds is explored with loom, but for one thing: a party may
//! die when of two stores that may be exchanged only the later has arrived.
#![allow(dead_code)]

use gimmal::index::{cell_mask, position};
use gimmal::layout::{ConsumerWords, Header, ProducerWords, TargetPadding};
use gimmal::policy::Policy;
use gimmal::raw::mpsc::{declare, withdraw};
use gimmal::raw::{AcquireRelease, Body, IndexBody, LineBody};
use gimmal::sync::{Accumulate, Atomic, Atomics, CompareExchange, Ordering};
use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::rc::Rc;

/// What a program tells, or what is found out about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// A consumer has copied this element.
    Taken(usize),
    /// A consumer has copied parts of several elements.
    Torn,
    /// An end has found the ring corrupt, or could not recover.
    Corrupt,
    /// The consumer died.
    Died,
}

#[derive(Default)]
struct Machine {
    memory: Vec<usize>,
    answers: Vec<usize>,
    /// Accesses that are answered from before.
    old: usize,
    at: usize,
    /// Accesses at which the program is stopped.
    limit: usize,
    events: Vec<Event>,
    /// The last access, if it was a store.
    last: Option<Store>,
}

#[derive(Debug, Clone, Copy)]
struct Store {
    order: Ordering,
    at: usize,
}

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::default();
}

struct Stop;

/// One access; `access` returns what it answers.
fn step(access: impl FnOnce(&mut Machine) -> usize) -> usize {
    let answer = MACHINE.with_borrow_mut(|machine| {
        let at = machine.at;
        if at == machine.limit {
            return None;
        }
        machine.at += 1;
        if at < machine.old {
            return Some(machine.answers[at]);
        }
        machine.last = None;
        let answer = access(machine);
        if machine.limit != usize::MAX {
            machine.answers.push(answer);
        }
        Some(answer)
    });
    answer.unwrap_or_else(|| resume_unwind(Box::new(Stop)))
}

/// Tells what follows from the last access.
pub fn tell(event: Event) {
    MACHINE.with_borrow_mut(|machine| {
        // Told already when the access was made.
        if machine.at > machine.old {
            machine.events.push(event);
        }
    });
}

/// A place in the machine's memory.
#[derive(Debug, Clone, Copy)]
pub struct Loc(pub usize);

impl Loc {
    pub fn get(self) -> usize {
        step(|machine| machine.memory[self.0])
    }

    pub fn set(self, value: usize, order: Ordering) {
        step(|machine| {
            machine.last = Some(Store { order, at: self.0 });
            machine.memory[self.0] = value;
            0
        });
    }

    fn change(self, new: impl FnOnce(usize) -> usize) -> usize {
        step(|machine| {
            let old = machine.memory[self.0];
            machine.memory[self.0] = new(old);
            old
        })
    }
}

macro_rules! atomic {
    ($value:ty) => {
        impl Atomic<$value> for Loc {
            fn load(&self, _: Ordering) -> $value {
                self.get() as $value
            }

            fn store(&self, value: $value, order: Ordering) {
                self.set(value as usize, order);
            }
        }
    };
}

atomic!(usize);
atomic!(u32);
atomic!(u8);

impl CompareExchange<usize> for Loc {
    fn compare_exchange_weak(
        &self,
        current: usize,
        new: usize,
        _: Ordering,
        _: Ordering,
    ) -> Result<usize, usize> {
        let old = self.change(|old| if old == current { new } else { old });
        if old == current {
            Ok(old)
        } else {
            Err(old)
        }
    }

    fn compare_exchange(
        &self,
        current: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        self.compare_exchange_weak(current, new, success, failure)
    }
}

impl Accumulate<usize> for Loc {
    fn fetch_add(&self, value: usize, _: Ordering) -> usize {
        self.change(|old| old.wrapping_add(value))
    }

    fn fetch_or(&self, value: usize, _: Ordering) -> usize {
        self.change(|old| old | value)
    }
}

pub enum Stepped {}

impl Atomics for Stepped {
    type Word = Loc;
    type Half = Loc;
    type Byte = Loc;

    fn fence(_: Ordering) {}
    fn compiler_fence(_: Ordering) {}
}

/// As a segment's policy, without the look at the close; the control's does not check.
pub struct Stepping<const CHECKED: bool>;

impl<const CHECKED: bool> Policy for Stepping<CHECKED> {
    type Padding = TargetPadding;
    type Edges = AcquireRelease;
    const CLOSE: bool = false;
    const LOOK_AHEAD: usize = 0;
    const POLL_FOR_WRITING: bool = false;
    const CHECKED: bool = CHECKED;
}

const TAIL: usize = 0;
const HEAD: usize = 1;
const UNUSED: usize = 2;
const STAMPS: usize = 3;
/// Words of an element: its number, and that again inverted.
const WORDS: usize = 2;
pub const PRODUCERS: usize = 2;

struct Words {
    header: Header<Stepped>,
    producer: ProducerWords<Stepped>,
    consumer: ConsumerWords<Stepped>,
    stamps: Vec<Loc>,
    intents: Vec<Loc>,
}

/// When a producer among many declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declares {
    Never,
    BeforeClaim(usize),
    /// Wrong, for the control only.
    AfterClaim(usize),
    /// Declares nothing, and every time another wins the cell: a peer that never stops.
    Loses,
}

/// A ring of `COUNT` slots, or of `COUNT` cells of `PER_CELL` elements.
pub struct Ring<const COUNT: usize, const PER_CELL: usize, const CHECKED: bool = true> {
    words: Rc<Words>,
    declares: Declares,
}

impl<const COUNT: usize, const PER_CELL: usize, const CHECKED: bool> Clone
    for Ring<COUNT, PER_CELL, CHECKED>
{
    fn clone(&self) -> Self {
        self.declaring(self.declares)
    }
}

impl<const COUNT: usize, const PER_CELL: usize, const CHECKED: bool>
    Ring<COUNT, PER_CELL, CHECKED>
{
    const SLOTS: usize = STAMPS + COUNT;
    const INTENTS: usize = Self::SLOTS + COUNT * PER_CELL * WORDS;
    const LIVES: usize = Self::INTENTS + PRODUCERS;

    pub fn new() -> Self {
        let unused = || Loc(UNUSED);
        let words = Words {
            header: Header {
                magic: unused(),
                version: unused(),
                kind: unused(),
                word_size: unused(),
                log2_line: unused(),
                element_size: unused(),
                stride: unused(),
                slots_offset: unused(),
                log2_align: unused(),
                log2_count: unused(),
                per_cell: unused(),
                reserved: unused(),
                producer_claimed: unused(),
                consumer_claimed: unused(),
                closed: unused(),
                reserved2: unused(),
                consumer_bell: unused(),
                producer_bell: unused(),
            },
            producer: ProducerWords {
                tail: Loc(TAIL),
                stop: unused(),
                dropped: unused(),
            },
            consumer: ConsumerWords {
                head: Loc(HEAD),
                seen: unused(),
            },
            stamps: (STAMPS..Self::SLOTS).map(Loc).collect(),
            intents: (Self::INTENTS..Self::LIVES).map(Loc).collect(),
        };
        Self {
            words: Rc::new(words),
            declares: Declares::Never,
        }
    }

    /// The same ring for another party.
    pub fn declaring<const OTHER: bool>(&self, declares: Declares) -> Ring<COUNT, PER_CELL, OTHER> {
        Ring {
            words: Rc::clone(&self.words),
            declares,
        }
    }

    pub fn intents(&self) -> &[Loc] {
        &self.words.intents
    }

    pub fn life(&self, producer: usize) -> Loc {
        Loc(Self::LIVES + producer)
    }

    /// Writes an element, in several steps.
    pub fn write(&self, slot: usize, element: usize) {
        Loc(slot).set(element, Ordering::Relaxed);
        Loc(slot + 1).set(!element, Ordering::Relaxed);
    }

    /// Reads an element, in several steps, and tells of it.
    pub fn read(&self, slot: usize) -> usize {
        let element = Loc(slot).get();
        let is_whole = Loc(slot + 1).get() == !element;
        tell(if is_whole {
            Event::Taken(element)
        } else {
            Event::Torn
        });
        element
    }

    /// The memory of a ring after `prepare`.
    pub fn memory(&self, prepare: impl FnOnce()) -> Vec<usize> {
        let mut memory = vec![0; Self::LIVES + PRODUCERS];
        memory[Self::LIVES..].fill(1);
        freely(memory, prepare).0
    }

    /// The elements that an access has published.
    fn published(before: &[usize], after: &[usize], by_index: bool) -> Vec<usize> {
        let mut published = Vec::new();
        if by_index {
            let mut index = before[TAIL];
            while index != after[TAIL] {
                published.push(after[Self::SLOTS + index % COUNT * WORDS]);
                index = index.wrapping_add(1);
            }
            return published;
        }
        for cell in 0..COUNT {
            let [old, new] = [before, after].map(|memory| memory[STAMPS + cell]);
            if old & !0xff == new & !0xff {
                for place in position(old)..position(new) {
                    published.push(after[Self::SLOTS + (cell * PER_CELL + place) * WORDS]);
                }
            }
        }
        published
    }
}

// SAFETY: everything is in the machine's memory.
unsafe impl<const COUNT: usize, const PER_CELL: usize, const CHECKED: bool> Body
    for Ring<COUNT, PER_CELL, CHECKED>
{
    type Atomics = Stepped;
    type Policy = Stepping<CHECKED>;
    type Slot = usize;

    fn header(&self) -> &Header<Stepped> {
        &self.words.header
    }

    fn producer(&self) -> &ProducerWords<Stepped> {
        &self.words.producer
    }

    fn consumer(&self) -> &ConsumerWords<Stepped> {
        &self.words.consumer
    }

    fn corrupt(&self) {
        tell(Event::Corrupt);
    }
}

// SAFETY: as for `Body`.
unsafe impl<const COUNT: usize, const CHECKED: bool> IndexBody for Ring<COUNT, 1, CHECKED> {
    fn mask(&self) -> usize {
        COUNT - 1
    }

    fn slot(&self, index: usize) -> usize {
        Self::SLOTS + index % COUNT * WORDS
    }
}

// SAFETY: as for `Body`.
unsafe impl<const COUNT: usize, const PER_CELL: usize, const CHECKED: bool> LineBody
    for Ring<COUNT, PER_CELL, CHECKED>
{
    type Cell = usize;

    fn mask(&self) -> usize {
        cell_mask(COUNT)
    }

    fn per_cell(&self) -> usize {
        PER_CELL
    }

    fn cell(&self, cursor: usize) -> usize {
        (cursor >> 8) % COUNT
    }

    fn stamp(&self, cell: usize) -> &Loc {
        &self.words.stamps[cell]
    }

    fn slot(&self, cell: usize, position: usize) -> usize {
        Self::SLOTS + (cell * PER_CELL + position) * WORDS
    }

    fn winning(&self, cursor: usize) {
        if self.declares == Declares::Loses {
            let next = (cursor >> 8) + 1;
            Loc(TAIL).set(next, Ordering::Relaxed);
            self.words.stamps[next % COUNT].set(
                gimmal::index::stamp(next << 8, cell_mask(COUNT)),
                Ordering::Relaxed,
            );
        }
        if let Declares::BeforeClaim(producer) = self.declares {
            declare(&self.words.intents[producer], cursor);
        }
    }

    fn won(&self, cursor: usize) {
        if let Declares::AfterClaim(producer) = self.declares {
            declare(&self.words.intents[producer], cursor);
        }
    }

    fn lost(&self, _: usize) {
        if let Declares::BeforeClaim(producer) = self.declares {
            withdraw::<AcquireRelease>(&self.words.intents[producer]);
        }
    }

    fn fulfilled(&self, _: usize) {
        if let Declares::BeforeClaim(producer) | Declares::AfterClaim(producer) = self.declares {
            withdraw::<AcquireRelease>(&self.words.intents[producer]);
        }
    }
}

/// What a party does until it dies or is done.
pub type Program = Box<dyn Fn()>;

/// A party: its programs, one after the other, and those of whoever takes over when it dies. From one to the next nothing is remembered.
pub struct Party {
    pub lives: Vec<Vec<Program>>,
    /// The word that says that it lives.
    pub life: Option<Loc>,
    pub is_consumer: bool,
}

/// Where a party stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Standing {
    life: usize,
    program: usize,
    /// None when it is done or dead.
    answers: Option<Vec<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Vec<usize>,
    parties: Vec<Standing>,
    published: Vec<usize>,
    events: Vec<Event>,
    deaths: usize,
}

/// Runs `program` to its end on this memory, unstopped.
pub fn freely(memory: Vec<usize>, program: impl FnOnce()) -> (Vec<usize>, Vec<Event>) {
    MACHINE.set(Machine {
        memory,
        limit: usize::MAX,
        ..Machine::default()
    });
    program();
    let machine = MACHINE.take();
    (machine.memory, machine.events)
}

pub struct Model<'m, const COUNT: usize, const PER_CELL: usize> {
    pub ring: Ring<COUNT, PER_CELL>,
    pub by_index: bool,
    pub parties: Vec<Party>,
    /// How many may die.
    pub deaths: usize,
    /// Sets the ring up.
    pub prepare: &'m dyn Fn(),
    /// Takes what is left, when all are done or dead; then shows that the ring still works.
    pub settle: &'m dyn Fn() -> bool,
}

impl<const COUNT: usize, const PER_CELL: usize> Model<'_, COUNT, PER_CELL> {
    /// Visits every state, and returns their number.
    ///
    /// # Errors
    /// The events of a run in which an element was lost, torn or invented, or came twice without having been in flight when the consumer died.
    pub fn explore(&self) -> Result<usize, String> {
        let first = State {
            memory: self.ring.memory(self.prepare),
            parties: vec![
                Standing {
                    life: 0,
                    program: 0,
                    answers: Some(Vec::new()),
                };
                self.parties.len()
            ],
            published: Vec::new(),
            events: Vec::new(),
            deaths: 0,
        };
        let mut seen = HashSet::from([first.clone()]);
        let mut left = vec![first];
        while let Some(state) = left.pop() {
            let mut next = Vec::new();
            for party in 0..self.parties.len() {
                if state.parties[party].answers.is_some() {
                    next.push(self.go_on(&state, party).0);
                    if state.deaths < self.deaths {
                        next.push(self.die(state.clone(), party));
                        next.extend(self.die_between_stores(&state, party));
                    }
                }
            }
            if next.is_empty() {
                self.check(&state)?;
            }
            left.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
        }
        Ok(seen.len())
    }

    /// The state after one more access of a party; and the access, if it was a store.
    fn go_on(&self, state: &State, party: usize) -> (State, Option<Store>) {
        let mut state = state.clone();
        let standing = &mut state.parties[party];
        let answers = standing.answers.take().expect("a party that goes on");
        let programs = &self.parties[party].lives[standing.life];
        let before = state.memory.clone();
        MACHINE.set(Machine {
            old: answers.len(),
            limit: answers.len() + 1,
            memory: state.memory,
            answers,
            ..Machine::default()
        });
        let run = catch_unwind(AssertUnwindSafe(&programs[standing.program]));
        let machine = MACHINE.take();
        match run {
            Ok(()) => {
                standing.program += 1;
                standing.answers = (standing.program < programs.len()).then(Vec::new);
            }
            Err(payload) if payload.is::<Stop>() => standing.answers = Some(machine.answers),
            Err(payload) => resume_unwind(payload),
        }
        state.memory = machine.memory;
        state.events.extend(machine.events);
        let published = Ring::<COUNT, PER_CELL>::published(&before, &state.memory, self.by_index);
        state.published.extend(published);
        (state, machine.last)
    }

    fn die(&self, mut state: State, party: usize) -> State {
        state.deaths += 1;
        let dead = &self.parties[party];
        let life = state.parties[party].life + 1;
        state.parties[party] = Standing {
            life,
            program: 0,
            answers: (life < dead.lives.len()).then(Vec::new),
        };
        if let Some(Loc(life)) = dead.life {
            state.memory[life] = 0;
        }
        if dead.is_consumer {
            state.events.push(Event::Died);
        }
        state
    }

    /// Of a release store and the relaxed one to another place that comes next, only the second arrives.
    fn die_between_stores(&self, state: &State, party: usize) -> Option<State> {
        let (after, first) = self.go_on(state, party);
        let first = first.filter(|store| store.order == Ordering::Release)?;
        after.parties[party].answers.as_ref()?;
        let (after, second) = self.go_on(&after, party);
        let second = second.filter(|store| store.order == Ordering::Relaxed)?;
        let mut dead = state.clone();
        dead.memory[second.at] = after.memory[second.at];
        (first.at != second.at).then(|| self.die(dead, party))
    }

    fn check(&self, state: &State) -> Result<(), String> {
        let mut works = false;
        let (_, settled) = freely(state.memory.clone(), || works = (self.settle)());
        let mut events = state.events.clone();
        events.extend(settled);
        let mut taken = Vec::new();
        let mut in_flight = None;
        for event in &events {
            match event {
                Event::Taken(element) => {
                    if in_flight.take() != Some(*element) {
                        taken.push(*element);
                    }
                }
                Event::Died => in_flight = taken.last().copied(),
                Event::Torn | Event::Corrupt => return Err(format!("{events:?}")),
            }
        }
        let mut expected = state.published.clone();
        expected.sort_unstable();
        taken.sort_unstable();
        if taken != expected {
            return Err(format!("published {expected:?}, but {events:?}"));
        }
        if !works {
            return Err(format!("the ring does not work any more: {events:?}"));
        }
        Ok(())
    }
}
