//! The rings of the rows, and how a row's cell is run on them.

use super::cell::{Cells, Sample, Threads};
use super::ends::{Ahead, ByIndex, ByLine, Evaluating, Inlet, Outlet, SideBySide, Whole, PLACES};
use super::memory::{Locked, Mapped, Zeros};
use super::row::Row;
use super::Setup;
use crate::clocks::{Fenced, Monotonic, Plain, Source};
use anyhow::Result;
use gimmal::policy::Policy;
use gimmal::LineRing;
use gimmal_engine::{
    Branched, Branchless, Evaluator, Hybrid, Stamped, Standard, Submitter, Worker,
};

/// Events that a ring's memory, the code and the predictions are warmed with before a cell.
const WARMING: usize = 1000;

/// The rings, which are kept from round to round.
pub struct Stands {
    /// Whether this process may lock memory.
    pub locked: bool,
    by_line: &'static ByLine,
    unlocked: &'static ByLine,
    ahead: (&'static Ahead<1>, &'static Ahead<2>, &'static Ahead<4>),
    by_index: &'static ByIndex,
    side_by_side: &'static SideBySide,
    engine: (Submitter<'static>, Worker<'static, Standard, Hybrid>),
}

/// Locked if it may be, touched by the system or below.
fn ring<T: Zeros>(locked: bool) -> Result<&'static T> {
    let mapped = Mapped::new(if locked { Locked::Whole } else { Locked::No })?;
    Ok(mapped.leak())
}

fn touch<P: Policy>(ring: &LineRing<Stamped, PLACES, P>, cells: &Cells) -> Result<()> {
    let (mut tx, rx) = ring.split()?;
    cells.warm_up(&mut tx, &mut Evaluating::<_, Hybrid>::new(rx), PLACES);
    Ok(())
}

impl Stands {
    /// Makes and touches the rings.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub fn new() -> Result<Self> {
        let locked = Mapped::<[ByLine; 8]>::new(Locked::Whole).is_ok();
        let engine = ring::<Whole>(locked)?.split()?;
        Ok(Self {
            locked,
            by_line: ring(locked)?,
            unlocked: ring(false)?,
            ahead: (ring(locked)?, ring(locked)?, ring(locked)?),
            by_index: ring(locked)?,
            side_by_side: ring(locked)?,
            engine,
        })
    }

    /// Touches every ring that is kept.
    pub fn touch(&mut self, cells: &Cells) -> Result<()> {
        touch(self.by_line, cells)?;
        touch(self.unlocked, cells)?;
        touch(self.ahead.0, cells)?;
        touch(self.ahead.1, cells)?;
        touch(self.ahead.2, cells)?;
        let (mut tx, rx) = self.by_index.split()?;
        cells.warm_up(&mut tx, &mut Evaluating::<_, Hybrid>::new(rx), PLACES);
        let (mut tx, rx) = self.side_by_side.split()?;
        cells.warm_up(&mut tx, &mut Evaluating::<_, Hybrid>::new(rx), PLACES);
        let (submitter, worker) = &mut self.engine;
        cells.warm_up(submitter, worker, PLACES);
        Ok(())
    }

    /// Runs a row's cell, in one direction or the other.
    ///
    /// # Errors
    ///
    /// If there is no memory, or a thread cannot be moved.
    pub fn cell(
        &mut self,
        row: Row,
        cells: &mut Cells,
        setup: &mut Setup,
        reversed: bool,
    ) -> Result<Sample> {
        let cores = setup.cores;
        let mut job = Job {
            cells,
            threads: Threads {
                cores,
                free: (row == Row::Unpinned).then_some(&cores),
                ordinary: row == Row::Ordinary,
                reversed,
            },
            setup,
        };
        match row {
            Row::Engine => {
                let (submitter, worker) = &mut self.engine;
                job.warm::<Fenced>(submitter, worker)
            }
            Row::ByIndex => {
                let (mut tx, rx) = self.by_index.split()?;
                job.warm::<Fenced>(&mut tx, &mut Evaluating::<_, Hybrid>::new(rx))
            }
            Row::SideBySide => {
                let (mut tx, rx) = self.side_by_side.split()?;
                job.warm::<Fenced>(&mut tx, &mut Evaluating::<_, Hybrid>::new(rx))
            }
            Row::Unlocked => job.by_line::<Fenced, Hybrid, _>(self.unlocked),
            Row::Untouched => {
                let locked = if self.locked {
                    Locked::OnTouch
                } else {
                    Locked::No
                };
                let fresh = Mapped::<ByLine>::new(locked)?;
                let (mut tx, rx) = fresh.get().split()?;
                let mut outlet = Evaluating::<_, Hybrid>::new(rx);
                job.run::<Fenced>(&mut tx, &mut outlet)
            }
            Row::Ahead(1) => job.by_line::<Fenced, Hybrid, _>(self.ahead.0),
            Row::Ahead(2) => job.by_line::<Fenced, Hybrid, _>(self.ahead.1),
            Row::Ahead(_) => job.by_line::<Fenced, Hybrid, _>(self.ahead.2),
            Row::Branched => job.by_line::<Fenced, Branched, _>(self.by_line),
            Row::Branchless => job.by_line::<Fenced, Branchless, _>(self.by_line),
            Row::SystemClock => job.by_line::<Monotonic, Hybrid, _>(self.by_line),
            Row::PlainCounter => job.by_line::<Plain, Hybrid, _>(self.by_line),
            #[cfg(target_arch = "x86_64")]
            Row::WaitingCounter => job.by_line::<crate::clocks::Rdtscp, Hybrid, _>(self.by_line),
            Row::Base | Row::Again | Row::Unpinned | Row::Ordinary => {
                job.by_line::<Fenced, Hybrid, _>(self.by_line)
            }
        }
    }
}

/// A cell to run.
struct Job<'j> {
    cells: &'j mut Cells,
    threads: Threads<'j>,
    setup: &'j mut Setup,
}

impl Job<'_> {
    fn by_line<S: Source, V: Evaluator<Standard>, P: Policy>(
        &mut self,
        ring: &LineRing<Stamped, PLACES, P>,
    ) -> Result<Sample> {
        let (mut tx, rx) = ring.split()?;
        self.warm::<S>(&mut tx, &mut Evaluating::<_, V>::new(rx))
    }

    fn warm<S: Source>(
        &mut self,
        inlet: &mut impl Inlet,
        outlet: &mut impl Outlet,
    ) -> Result<Sample> {
        self.cells.warm_up(inlet, outlet, WARMING);
        self.run::<S>(inlet, outlet)
    }

    fn run<S: Source>(
        &mut self,
        inlet: &mut impl Inlet,
        outlet: &mut impl Outlet,
    ) -> Result<Sample> {
        let Setup { crew, clock, .. } = self.setup;
        self.cells
            .run::<S>(crew, clock, self.threads, inlet, outlet)
    }
}
