//! What the exchange's threads share.

use super::fault::{Fault, Plan, Scheduled};
use super::ladder::Ladder;
use super::market::{Market, Told};
use super::wire;
use super::Options;
use std::collections::{BTreeSet, HashSet};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::Utf8Bytes;

/// How many messages wait for a connection that is slow to take them; then the stream waits.
const WAITING: usize = 256;
/// How many diffs of each symbol nobody hears while connections are down.
const UNHEARD: usize = 3;

/// What the stream does to a connection.
#[derive(Clone, Debug)]
pub(super) enum Delivery {
    /// Sends a message to who listens to its stream.
    Text { stream: String, text: Utf8Bytes },
    /// Sends half of a message, and drops the connection.
    Half(Utf8Bytes),
    /// Closes the connection.
    Close,
    /// Leaves it open, and does nothing more.
    Silence,
}

/// A connection that listens to streams.
pub(super) struct Listener {
    number: u64,
    streams: HashSet<String>,
    pub(super) sender: SyncSender<Delivery>,
}

impl Listener {
    pub(super) fn wants(&self, delivery: &Delivery) -> bool {
        match delivery {
            Delivery::Text { stream, .. } => self.streams.contains(stream),
            Delivery::Half(_) | Delivery::Close | Delivery::Silence => true,
        }
    }
}

/// What an exchange has done since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages of the stream, those that a fault kept back among them.
    pub messages: u64,
    /// Connections that listened to streams.
    pub connections: u64,
    /// Requests for snapshots.
    pub snapshots: u64,
    /// Of those, the ones that came before the time that an error 429 had named.
    pub impatient: u64,
    /// The faults that struck, in that order.
    pub faults: Vec<Scheduled>,
    /// Those that have not.
    pub to_come: Vec<Scheduled>,
    /// Connections that listen to streams now.
    pub listening: u64,
}

struct State {
    market: Box<dyn Market>,
    plan: Plan,
    listeners: Vec<Arc<Listener>>,
    counts: Counts,
    /// The symbols of which listeners must hear once more: they are new, or have missed something that only the next diff shows.
    owed: BTreeSet<usize>,
    /// A diff that is to follow the next of its symbol.
    held: Option<Told>,
    /// No request for a snapshot may come before, as an error 429 said.
    closed_until: Option<Instant>,
    /// The market stands still, because it was told to, and because nothing more happens there.
    is_held: bool,
    is_over: bool,
    /// All was sent, and the book stands still.
    is_finished: bool,
    is_stopped: bool,
}

/// The answer to a request for a snapshot.
pub(super) enum Snapshot {
    /// The body, and what is to go wrong with it.
    Given(String, Option<Fault>),
    /// The request came before its time.
    Refused,
}

/// The state, and its changes to wait for.
pub(super) struct Shared {
    pub(super) options: Options,
    state: Mutex<State>,
    changed: Condvar,
}

/// What the stream does next, and to whom.
pub(super) type Round = (Vec<Arc<Listener>>, Vec<Delivery>);

impl Shared {
    pub(super) fn new(options: Options, market: Box<dyn Market>) -> Self {
        let state = State {
            market,
            plan: Plan::new(options.faults.clone()),
            listeners: Vec::new(),
            counts: Counts::default(),
            owed: BTreeSet::new(),
            held: None,
            closed_until: None,
            is_held: false,
            is_over: false,
            is_finished: false,
            is_stopped: false,
        };
        Self {
            options,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// The state stays whole if a thread panics with it: each change is one step.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.lock().is_stopped
    }

    /// Waits for so long, or until the exchange stops.
    pub(super) fn pause(&self, time: Duration) {
        let state = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(state, time, |state| !state.is_stopped);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until all was sent, for so long at most; whether it was.
    pub(super) fn wait_finished(&self, time: Duration) -> bool {
        let state = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(state, time, |state| !state.is_finished);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_finished
    }

    pub(super) fn symbols(&self) -> Vec<String> {
        let state = self.lock();
        let symbols = state.market.symbols().iter();
        symbols.map(|symbol| symbol.form.symbol.clone()).collect()
    }

    pub(super) fn ladder(&self, symbol: &str) -> Option<Ladder> {
        let state = self.lock();
        let place = state.place(symbol)?;
        Some(state.market.symbols()[place].ladder.clone())
    }

    pub(super) fn counts(&self) -> Counts {
        let state = self.lock();
        Counts {
            faults: state.plan.struck.clone(),
            to_come: state.plan.to_come.clone(),
            listening: state.listeners.len() as u64,
            ..state.counts.clone()
        }
    }

    /// Lets the market stand still.
    pub(super) fn hold(&self) {
        self.lock().is_held = true;
        self.changed.notify_all();
    }

    /// Lets a fault strike next.
    pub(super) fn inject(&self, fault: Fault) {
        let mut state = self.lock();
        let at = 1 + if fault.is_of_snapshots() {
            state.counts.snapshots
        } else {
            state.counts.messages
        };
        state.plan.add(Scheduled { fault, at });
    }

    /// Lets a connection listen.
    pub(super) fn listen(&self, streams: HashSet<String>) -> (u64, Receiver<Delivery>) {
        let (sender, receiver) = sync_channel(WAITING);
        let mut state = self.lock();
        state.counts.connections += 1;
        let number = state.counts.connections;
        let symbols = state.market.symbols().iter().enumerate();
        let heard: Vec<usize> = symbols
            .filter(|(_, symbol)| streams.contains(&symbol.form.diff_stream()))
            .map(|(place, _)| place)
            .collect();
        state.owe(heard);
        state.listeners.push(Arc::new(Listener {
            number,
            streams,
            sender,
        }));
        self.changed.notify_all();
        (number, receiver)
    }

    pub(super) fn forget(&self, number: u64) {
        self.lock().listeners.retain(|one| one.number != number);
    }

    /// Waits until somebody listens and there is something to send; nothing once the exchange stops.
    pub(super) fn next(&self) -> Option<Round> {
        let mut state = self.lock();
        loop {
            if state.is_stopped {
                return None;
            }
            let is_full = state.is_full(self.options.messages);
            if is_full && state.owed.is_empty() && !state.is_finished {
                state.is_finished = true;
                self.changed.notify_all();
            }
            if state.listeners.is_empty() || state.is_finished {
                state = self.wait(state);
                continue;
            }
            let listeners = state.listeners.clone();
            let symbol = if is_full {
                state.owed.first().copied()
            } else {
                None
            };
            match state.market.next(symbol) {
                Some(told) => {
                    let deliveries = told
                        .into_iter()
                        .flat_map(|told| state.deliver(told, self.options.oversize))
                        .collect();
                    return Some((listeners, deliveries));
                }
                None => {
                    state.is_over = true;
                    state.owed.clear();
                }
            }
        }
    }

    /// The answer to a request for a snapshot; nothing if there is no such symbol.
    pub(super) fn snapshot(&self, symbol: &str, limit: usize) -> Option<Snapshot> {
        let mut state = self.lock();
        let place = state.place(symbol)?;
        state.counts.snapshots += 1;
        let now = Instant::now();
        if state.closed_until.is_some_and(|until| now < until) {
            state.counts.impatient += 1;
            return Some(Snapshot::Refused);
        }
        let count = state.counts.snapshots;
        let fault = state.plan.of_snapshot(count);
        if fault == Some(Fault::TooManyRequests) {
            state.closed_until = Some(now + Duration::from_secs(self.options.retry_after));
        }
        if !state.is_full(self.options.messages) && state.market.run_ahead(place) {
            state.owe([place]);
        }
        let symbol = &state.market.symbols()[place];
        let ladder = match fault {
            Some(Fault::StaleSnapshot) => &symbol.opening,
            _ => &symbol.ladder,
        };
        let body = symbol.form.snapshot(ladder, limit, wire::now());
        Some(Snapshot::Given(body, fault))
    }
}

impl State {
    fn place(&self, name: &str) -> Option<usize> {
        let mut symbols = self.market.symbols().iter();
        symbols.position(|symbol| symbol.form.symbol.eq_ignore_ascii_case(name))
    }

    fn is_full(&self, messages: Option<u64>) -> bool {
        self.is_over || self.is_held || messages.is_some_and(|most| self.counts.messages >= most)
    }

    fn owe(&mut self, symbols: impl IntoIterator<Item = usize>) {
        if !self.is_over {
            self.owed.extend(symbols);
            self.is_finished &= self.owed.is_empty();
        }
    }

    /// What becomes of a message, faults considered.
    fn deliver(&mut self, told: Told, oversize: usize) -> Vec<Delivery> {
        self.counts.messages += 1;
        let fault = if told.is_diff {
            self.plan.of_diff(self.counts.messages)
        } else {
            None
        };
        let symbol = told.symbol;
        match fault {
            None | Some(Fault::Duplicate) if told.is_diff => {
                self.owed.remove(&symbol);
            }
            None => {}
            Some(_) => self.owe([symbol]),
        }
        let Some(fault) = fault else {
            let mut sent = vec![whole(&told)];
            if told.is_diff {
                sent.extend(
                    self.held
                        .take_if(|held| held.symbol == symbol)
                        .as_ref()
                        .map(whole),
                );
            }
            return sent;
        };
        match fault {
            Fault::Duplicate => vec![whole(&told), whole(&told)],
            Fault::Malformed => vec![text(&told, &told.text[..told.text.len() / 2])],
            Fault::Oversized => {
                let padded = format!("{{{}{}", " ".repeat(oversize), &told.text[1..]);
                vec![text(&told, &padded)]
            }
            Fault::Reorder => {
                let before = self.held.replace(told);
                before.as_ref().map(whole).into_iter().collect()
            }
            Fault::Disconnect => self.lose(Delivery::Close),
            Fault::Cut => self.lose(Delivery::Half(told.text.into())),
            Fault::PingTimeout => self.lose(Delivery::Silence),
            // A gap; those of snapshots never strike here.
            _ => Vec::new(),
        }
    }

    /// Loses all listeners in this way, and moves on.
    fn lose(&mut self, how: Delivery) -> Vec<Delivery> {
        self.listeners.clear();
        self.held = None;
        for symbol in 0..self.market.symbols().len() {
            for _ in 0..UNHEARD {
                self.market.next(Some(symbol));
            }
        }
        vec![how]
    }
}

fn whole(told: &Told) -> Delivery {
    text(told, &told.text)
}

fn text(told: &Told, text: &str) -> Delivery {
    Delivery::Text {
        stream: told.stream.clone(),
        text: text.into(),
    }
}
