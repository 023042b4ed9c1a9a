//! What it costs a producer to ring the bell of a consumer that is awake.

use crate::abi::Run;
use crate::catalog::Benchmark;
use crate::plan::Group;
use crate::registry::Registry;
use crate::study::Setup;
use crate::threads::Cell;
use anyhow::{Context, Result};

const GROUP: Group = Group {
    benchmark: Benchmark::Throughput,
    payload: 8,
    capacity: 1024,
};

/// A plain push, a ring of a bell that declares, and one of a bell that does not: by language.
const QUEUES: [(&str, [&str; 3]); 2] = [
    ("Rust", ["line-rust", "lab-notify-rust", "lab-fence-rust"]),
    ("C++", ["line-cpp", "lab-notify-cpp", "lab-fence-cpp"]),
];

/// Million messages a second: by language, then plain, declared, fenced. None where the system took a thread off its core.
pub type Rates = [[Option<f64>; 3]; 2];

/// The languages, in the order of the rates.
pub const LANGUAGES: [&str; 2] = [QUEUES[0].0, QUEUES[1].0];

/// The kernels, with their queues.
pub struct Ringers([[Cell; 3]; 2]);

impl Ringers {
    /// Finds the kernels.
    ///
    /// # Errors
    ///
    /// If one was not built.
    pub fn new(registry: &Registry) -> Result<Self> {
        let cell = |id: &str| {
            let kernel = registry.find(id, &GROUP);
            Ok::<_, anyhow::Error>(Cell::new(
                kernel.with_context(|| format!("no kernel of {id}"))?,
                GROUP.capacity as usize,
            ))
        };
        let of = |(_, [plain, declared, fenced]): (&str, [&str; 3])| {
            Ok::<_, anyhow::Error>([cell(plain)?, cell(declared)?, cell(fenced)?])
        };
        Ok(Self([of(QUEUES[0])?, of(QUEUES[1])?]))
    }

    /// One round.
    pub fn measure(&mut self, setup: &mut Setup) -> Rates {
        let messages = setup.amount(2_000_000, 1_000_000);
        let mut rate = |cell: &mut Cell| {
            let run = Run::new(messages, messages + 1, &[]);
            let taken_off = cell.run(&mut setup.crew, 0, &run);
            let ticks = run.ticks.load(std::sync::atomic::Ordering::Relaxed);
            let rate = messages as f64 * 1e3 / setup.clock.ns(ticks).max(1.0);
            (taken_off == 0).then_some(rate)
        };
        [0, 1].map(|language| {
            let [plain, declared, fenced] = &mut self.0[language];
            [rate(plain), rate(declared), rate(fenced)]
        })
    }
}
