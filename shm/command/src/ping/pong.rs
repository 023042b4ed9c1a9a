//! The process that answers: its segments come as standard input and output.

use super::{now, pin, with_strategy, Message, Strategy, WithStrategy};
use crate::Place;
use anyhow::{Context, Result};
use gimmal::wait::{Park, Wait};
use gimmal_shm::{Consumer, Fault, Producer, Segment};
use rustix::process::{set_parent_process_death_signal, Signal};
use std::io::{stdin, stdout};
use std::os::fd::AsFd;

/// Options of `pong`.
#[derive(clap::Args)]
pub struct Args {
    /// How to wait
    #[arg(long, value_enum)]
    strategy: Strategy,

    /// The core to run on
    #[arg(long)]
    core: Option<usize>,
}

/// Answers until the other end closes.
pub fn run(_: &Place, args: &Args) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    pin(args.core.as_ref())?;
    let pings = stdin().as_fd().try_clone_to_owned()?;
    let pongs = stdout().as_fd().try_clone_to_owned()?;
    let mut ponger = Ponger {
        pings: Segment::passed(pings)
            .touch()
            .consumer()
            .context("standard input")?,
        pongs: Segment::passed(pongs)
            .touch()
            .producer()
            .context("standard output")?,
    };
    with_strategy(args.strategy, &mut ponger)
}

struct Ponger {
    pings: Consumer<Message>,
    pongs: Producer<Message>,
}

impl WithStrategy for Ponger {
    fn run(&mut self, wait: &mut impl Wait, park: &Park) -> Result<()> {
        self.pings.declare(wait);
        loop {
            match self.pings.pop_wait(wait) {
                Ok([number, sent, ..]) => {
                    self.pongs
                        .push_notify([number, sent, now(), 0, 0, 0], park)?;
                }
                Err(Fault::Closed) => return Ok(()),
                Err(fault) => return Err(fault.into()),
            }
        }
    }
}
