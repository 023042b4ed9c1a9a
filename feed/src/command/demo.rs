//! `gimmal-feed demo`.

use super::live::Handler;
use super::output::{observer, write};
use anyhow::{ensure, Result};
use gimmal_feed::book::{Book, Side};
use gimmal_feed::live::{self, Summary};
use gimmal_feed::simulate::{self, Exchange, Ladder};
use std::ops::ControlFlow;
use std::time::Duration;

/// The market stands still, and so many reports in a row nothing came.
const PATIENCE: u32 = 5;

/// Options of `demo`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    exchange: simulate::Arguments,

    #[command(flatten)]
    handler: Handler,
}

/// Runs the exchange and the handler in one process. If the exchange's market ends, by --messages, their books must be equal.
pub fn run(args: &Args) -> Result<()> {
    let simulated = args.exchange.options()?;
    let venue = simulated.venue;
    let exchange = Exchange::start(simulated)?;
    let symbols = exchange.symbols();
    let mut options = args.handler.options(venue, symbols.clone());
    options.stream = exchange.stream_address();
    options.rest = exchange.rest_address();
    options.authorities = exchange.certificate().map(Into::into);
    let mut output = args.handler.output.open()?;
    let is_json = output.is_json();
    let mut failed = Ok(());
    let mut show = observer(&mut output, &mut failed);
    let mut consumed = 0;
    let mut idle = 0;
    let Summary { report, books } = live::run(&options, &mut |report| {
        let is_still = exchange.wait(Duration::ZERO);
        let is_in_step = report.symbols.len() == symbols.len()
            && report.symbols.iter().all(|one| {
                let last = exchange.book(&one.symbol).map(|book| book.last);
                one.is_following && one.last == last
            });
        // The last messages may have been dropped, and then no book will be in step again.
        idle = if is_still && report.ring.consumed == consumed {
            idle + 1
        } else {
            0
        };
        consumed = report.ring.consumed;
        let is_over = is_still && (is_in_step || idle == PATIENCE);
        match show(report) {
            ControlFlow::Continue(()) if !is_over => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    drop(show);
    failed?;
    output.end(&report)?;
    if exchange.wait(Duration::ZERO) {
        for symbol in &symbols {
            let is_equal = match (books.get(symbol), exchange.book(symbol)) {
                (Some(ours), Some(theirs)) => is_equal(ours, &theirs),
                _ => false,
            };
            ensure!(
                is_equal,
                "the book of {symbol} is not the exchange's; {} messages were dropped: a larger --ring or a lower --rate avoids that",
                report.ring.dropped
            );
        }
        if !is_json {
            write("every book equals the exchange's own, level by level\n")?;
        }
    }
    Ok(())
}

/// Level by level.
fn is_equal(ours: &Book, theirs: &Ladder) -> bool {
    [
        (Side::Bid, simulate::Side::Bid),
        (Side::Ask, simulate::Side::Ask),
    ]
    .into_iter()
    .all(|(side, their_side)| {
        let ours = ours.levels(side);
        let ours = ours.map(|level| (level.price.raw(), level.quantity.raw()));
        ours.eq(theirs.levels(their_side))
    })
}
