//! The processor's counters, where the system lets a program read them: mostly not on a virtual machine.

use anyhow::{Context, Result};
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Event};
use perf_event::{Builder, Counter};

/// Counts an event on every thread that this process has.
pub struct Counters(Vec<Counter>);

impl Counters {
    /// Loads that the first-level data cache could not serve.
    ///
    /// # Errors
    ///
    /// If the machine or the system has no such counter for this process.
    pub fn first_level_misses() -> Result<Self> {
        Self::of(&Cache {
            which: CacheId::L1D,
            operation: CacheOp::READ,
            result: CacheResult::MISS,
        })
    }

    /// Of the threads that there are now.
    fn of(event: &(impl Event + Clone)) -> Result<Self> {
        let threads = std::fs::read_dir("/proc/self/task").context("the threads' directory")?;
        let counters = threads.map(|thread| {
            let name = thread?.file_name();
            let thread = name.to_string_lossy().parse()?;
            let mut builder = Builder::new(event.clone());
            Ok(builder.observe_pid(thread).build()?)
        });
        Ok(Self(counters.collect::<Result<_>>()?))
    }

    /// What `work` returns, and how often the event came meanwhile.
    ///
    /// # Errors
    ///
    /// If `work` fails, or the counters do.
    pub fn during<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<(T, u64)> {
        for counter in &mut self.0 {
            counter.reset()?;
            counter.enable()?;
        }
        let result = work();
        let mut count = 0;
        for counter in &mut self.0 {
            counter.disable()?;
            count += counter.read()?;
        }
        Ok((result?, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_event::events::Software;

    #[test]
    fn events_are_counted_where_the_system_allows_it() {
        // The kernel's own event needs no counter in the processor.
        let Ok(mut counters) = Counters::of(&Software::PAGE_FAULTS) else {
            eprintln!("perf_event_open is not allowed here");
            return;
        };
        const PAGES: usize = 1000;
        let touch = || Ok(std::hint::black_box(vec![1_u8; PAGES * 4096]).len());
        let (_, idle) = counters.during(|| Ok(())).unwrap();
        let (length, faults) = counters.during(touch).unwrap();
        assert_eq!(length, PAGES * 4096);
        // Huge pages may make them fewer.
        assert!(faults > idle, "{faults} faults, {idle} when idle");
    }
}
