//! An engine whose worker has a thread.

use crate::counters::Counters;
use crate::engine::Engine;
use crate::error::StartError;
use crate::evaluate::Evaluator;
use crate::options::{Idle, Options};
use crate::rules::Rules;
use crate::submitter::Submitter;
use crate::worker::{Evaluated, Worker};
use core::fmt;
use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::string::{String, ToString};
use std::sync::mpsc::{sync_channel, Receiver, RecvError};
use std::thread::{self, JoinHandle, Scope, ScopedJoinHandle};
use std::{hint, io};

/// What an engine that has stopped leaves.
#[derive(Debug)]
pub struct Report<H> {
    /// The handler.
    pub handler: H,
    /// The final counts: `evaluated` is `submitted`.
    pub counters: Counters,
    /// What the first panic of the handler said, if it panicked.
    pub first_panic: Option<String>,
}

/// What the thread leaves.
type Left<H> = (H, Option<String>);

/// A worker on a thread of its own, of an engine that lives as long as the program.
#[derive(Debug)]
pub struct Running<'e, H> {
    thread: JoinHandle<Left<H>>,
    frame: Frame<'e>,
}

/// A worker on a thread of its own, within a scope.
#[derive(Debug)]
pub struct RunningScoped<'scope, 'e, H> {
    thread: ScopedJoinHandle<'scope, Left<H>>,
    frame: Frame<'e>,
}

/// What can be asked of an engine while it runs, without its types.
trait Observed: Sync {
    fn counters(&self) -> Counters;
    fn request_stop(&self);
}

impl<const CAPACITY: usize, R, V> Observed for Engine<CAPACITY, R, V> {
    fn counters(&self) -> Counters {
        self.counters()
    }

    fn request_stop(&self) {
        self.request_stop();
    }
}

struct Frame<'e>(&'e dyn Observed);

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.counters().fmt(f)
    }
}

impl Frame<'_> {
    fn report<H>(&self, left: thread::Result<Left<H>>) -> Report<H> {
        match left {
            Ok((handler, first_panic)) => Report {
                handler,
                counters: self.0.counters(),
                first_panic,
            },
            // Nothing outside of what is caught there panics.
            Err(payload) => std::panic::resume_unwind(payload),
        }
    }
}

macro_rules! running {
    () => {
        /// What happened so far. Any thread may ask at any time.
        pub fn counters(&self) -> Counters {
            self.frame.0.counters()
        }

        /// Tells the submitter to stop: its next event is refused, and then nothing more comes. Returns at once.
        pub fn request_stop(&self) {
            self.frame.0.request_stop();
        }

        /// Whether the worker has evaluated everything and ended.
        pub fn is_finished(&self) -> bool {
            self.thread.is_finished()
        }

        /// Stops the engine, waits until everything that was submitted is evaluated, and gives the handler back.
        pub fn stop(self, submitter: Submitter<'_>) -> Report<H> {
            submitter.stop();
            self.join()
        }

        /// Waits until everything is evaluated and nothing more comes: until the submitter was dropped, or had an event
        /// refused after [`request_stop`](Self::request_stop). A thread that holds the submitter would wait for itself: it
        /// calls [`stop`](Self::stop).
        pub fn join(self) -> Report<H> {
            self.frame.report(self.thread.join())
        }
    };
}

impl<H> Running<'_, H> {
    running!();
}

impl<H> RunningScoped<'_, '_, H> {
    running!();
}

impl<const CAPACITY: usize, R: Rules, V: Evaluator<R>> Engine<CAPACITY, R, V> {
    /// Starts a thread that evaluates what is submitted, and hands it to `handler`.
    ///
    /// If the handler panics, and the program unwinds, the panic is caught and counted, and the worker goes on with the next
    /// event. The handler sees itself again as the panic left it. In a program with `panic = "abort"` the process ends.
    ///
    /// From here on neither end allocates, locks, or calls the system, unless the handler does, or [`Idle::Yield`] was asked for.
    ///
    /// # Errors
    /// [`StartError`] if something asked for cannot be had; then nothing runs.
    pub fn start<H>(
        &'static self,
        options: &Options,
        handler: H,
    ) -> Result<(Submitter<'static>, Running<'static, H>), StartError>
    where
        H: FnMut(&Evaluated<'_>) + Send + 'static,
    {
        let (work, ready) = self.work(options, handler);
        let thread = named().spawn(work).map_err(StartError::Thread)?;
        let frame = Frame(self);
        Ok((settled(ready.recv())?, Running { thread, frame }))
    }

    /// As [`start`](Self::start), for an engine that lives as long as a scope of threads.
    ///
    /// ```
    /// use gimmal_engine::{Engine, Options, RiskEvent};
    ///
    /// let engine = Engine::<8>::new();
    /// std::thread::scope(|scope| {
    ///     let (mut submitter, running) = engine.start_in(scope, &Options::new(), |_| ()).unwrap();
    ///     submitter.submit(&RiskEvent::default(), 0).unwrap();
    ///     assert_eq!(running.stop(submitter).counters.evaluated, 1);
    /// });
    /// ```
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub fn start_in<'scope, 'e, H>(
        &'e self,
        scope: &'scope Scope<'scope, 'e>,
        options: &Options,
        handler: H,
    ) -> Result<(Submitter<'e>, RunningScoped<'scope, 'e, H>), StartError>
    where
        H: FnMut(&Evaluated<'_>) + Send + 'scope,
    {
        let (work, ready) = self.work(options, handler);
        let thread = named()
            .spawn_scoped(scope, work)
            .map_err(StartError::Thread)?;
        let frame = Frame(self);
        Ok((settled(ready.recv())?, RunningScoped { thread, frame }))
    }
}

fn named() -> thread::Builder {
    thread::Builder::new().name("gimmal-engine".into())
}

/// What the worker's thread said when it was ready; it says something in every case.
fn settled<'e>(
    said: Result<Result<Submitter<'e>, StartError>, RecvError>,
) -> Result<Submitter<'e>, StartError> {
    said.unwrap_or_else(|RecvError| Err(StartError::Thread(io::ErrorKind::BrokenPipe.into())))
}

impl<const CAPACITY: usize, R: Rules, V: Evaluator<R>> Engine<CAPACITY, R, V> {
    /// What the worker's thread does, and where it hands over the submitter when it is ready.
    fn work<'e, H>(
        &'e self,
        options: &Options,
        mut handler: H,
    ) -> (
        impl FnOnce() -> Left<H> + Send + use<'e, CAPACITY, R, V, H>,
        Receiver<Result<Submitter<'e>, StartError>>,
    )
    where
        H: FnMut(&Evaluated<'_>) + Send,
    {
        let options = *options;
        let (sender, ready) = sync_channel(1);
        let work = move || {
            let first_panic = match self.split_with(&options) {
                Ok((submitter, mut worker)) => {
                    // Whoever started the engine waits for it.
                    let _ = sender.send(Ok(submitter));
                    drop(sender);
                    run(&mut worker, options.idle, &mut handler)
                }
                Err(error) => {
                    let _ = sender.send(Err(error));
                    None
                }
            };
            (handler, first_panic)
        };
        (work, ready)
    }
}

/// Runs the worker, and takes it up again after every panic of the handler. Gives what the first one said.
fn run<R: Rules, V: Evaluator<R>>(
    worker: &mut Worker<'_, R, V>,
    idle: Idle,
    handler: &mut impl FnMut(&Evaluated<'_>),
) -> Option<String> {
    let mut first_panic = None;
    loop {
        // The worker is in order after a panic of the handler; the handler's own state is its author's affair.
        let outcome = catch_unwind(AssertUnwindSafe(|| match idle {
            Idle::Spin => worker.run(&mut hint::spin_loop, handler),
            Idle::Yield => worker.run(&mut thread::yield_now, handler),
        }));
        let Err(payload) = outcome else {
            return first_panic;
        };
        worker.count_panic();
        first_panic.get_or_insert_with(|| words(&*payload));
        // A payload whose drop panics is let go of.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(payload))).map_err(std::mem::forget);
    }
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let owned = || payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned)
        .unwrap_or("a panic with no message")
        .to_string()
}
