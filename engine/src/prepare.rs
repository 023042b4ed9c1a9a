//! The preparation of an engine whose ends nobody has yet.

use crate::engine::Engine;
use crate::error::StartError;
use crate::evaluate::Evaluator;
use crate::made_up::made_up_events;
use crate::model::Stamped;
use crate::options::{Options, PrepareError};
use crate::rules::Rules;
use crate::submitter::Submitter;
use crate::system::{lock_memory, pin_thread, raise_thread};
use crate::worker::Worker;
use core::hint::black_box;

impl<const CAPACITY: usize, R: Rules, V: Evaluator<R>> Engine<CAPACITY, R, V> {
    /// Claims both ends and prepares the engine, and the calling thread, which becomes the worker's.
    ///
    /// ```
    /// use gimmal_engine::{Engine, Options};
    ///
    /// static ENGINE: Engine<64> = Engine::new();
    /// let (submitter, worker) = ENGINE.split_with(&Options::new().touch().warm_up(100)).unwrap();
    /// assert_eq!(ENGINE.counters().evaluated, 0); // what it warmed up with does not count
    /// # drop((submitter, worker));
    /// ```
    ///
    /// # Errors
    /// [`StartError`] if an end is claimed, or something that was asked for cannot be had; what was done until then stays done.
    pub fn split_with(
        &self,
        options: &Options,
    ) -> Result<(Submitter<'_>, Worker<'_, R, V>), StartError> {
        // The submitter is made last: dropping one stops the engine.
        let (mut producer, mut consumer) = self.ends()?;
        self.prepare(options).map_err(StartError::Prepare)?;
        if options.touch {
            while producer.push(Stamped::default()).is_ok() {}
            consumer.drain().for_each(drop);
        }
        for event in made_up_events().take(options.warm_up) {
            // The ring is empty, so there is room.
            let _ = producer.push(Stamped { event, enqueued: 0 });
            let evaluate = |stamped: &mut Stamped| V::evaluate(black_box(&stamped.event));
            black_box(consumer.pop_with(evaluate));
        }
        Ok(self.dress(producer, consumer))
    }

    fn prepare(&self, options: &Options) -> Result<(), PrepareError> {
        if let Some(core) = options.core {
            pin_thread(core)?;
        }
        if let Some(priority) = options.priority {
            raise_thread(priority)?;
        }
        if options.lock_memory {
            lock_memory(self)?;
        }
        Ok(())
    }
}
