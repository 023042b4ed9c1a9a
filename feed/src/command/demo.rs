//! `gimmal-feed demo`.

use super::live::{is_whole, Handler};
use super::output::{observer, write};
use super::{distinct, text};
use anyhow::{ensure, Result};
use gimmal_feed::book::{Book, Side};
use gimmal_feed::instrument::State;
use gimmal_feed::live::{self, Summary};
use gimmal_feed::report::SymbolReport;
use gimmal_feed::simulate::{self, never_struck, Exchange, Ladder};
use gimmal_feed::stop::Stop;
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
pub fn run(args: &Args, stop: Stop) -> Result<()> {
    distinct(
        args.exchange
            .symbols
            .iter()
            .map(|symbol| symbol.to_uppercase()),
    );
    let simulated = args.exchange.options()?;
    let venue = simulated.venue;
    let exchange = Exchange::start(simulated)?;
    let symbols = exchange.symbols();
    let mut options = args.handler.options(venue, symbols.clone());
    options.stream = exchange.stream_address();
    options.rest = exchange.rest_address();
    options.authorities = exchange.certificate().map(Into::into);
    options.stop = stop;
    let mut output = args.handler.output.open()?;
    let is_json = output.is_json();
    let mut failed = Ok(());
    let mut show = observer(&mut output, &mut failed);
    let mut consumed = 0;
    let mut idle = 0;
    let summary = live::run(&options, &mut |report| {
        let is_still = exchange.wait(Duration::ZERO);
        let is_even = report.symbols.iter().all(|one| is_even(one, &exchange));
        // The last messages may have been dropped, and then no book will be in step again.
        idle = if is_still && report.ring.consumed == consumed {
            idle + 1
        } else {
            0
        };
        consumed = report.ring.consumed;
        let is_over = is_still && (is_even || idle == PATIENCE);
        match show(report) {
            ControlFlow::Continue(()) if !is_over => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    drop(show);
    failed?;
    output.end(&summary.report)?;
    is_whole(&summary)?;
    let is_still = exchange.wait(Duration::ZERO);
    if is_still {
        compare(&summary, &exchange)?;
    }
    if !is_json {
        write(&conclusion(&summary, is_still))?;
        if let Some(text) = never_struck(&exchange.counts()) {
            write(&format!("faults that {text}\n"))?;
        }
    }
    Ok(())
}

/// Whether a book is in step, and as far as the exchange's own.
fn is_even(one: &SymbolReport, exchange: &Exchange) -> bool {
    let last = exchange.book(&one.symbol).map(|book| book.last);
    one.state == State::InStep && one.last == last
}

/// That every book is in step, and equal to the exchange's.
fn compare(summary: &Summary, exchange: &Exchange) -> Result<()> {
    for one in &summary.report.symbols {
        let symbol = &one.symbol;
        let is_equal = match (summary.books.get(symbol), exchange.book(symbol)) {
            (Some(ours), Some(theirs)) => is_equal(ours, &theirs),
            _ => false,
        };
        ensure!(
            is_equal && is_even(one, exchange),
            "the book of {symbol} is {}, and not the exchange's; {} messages were dropped{}",
            text::state(one),
            summary.report.ring.dropped,
            if summary.report.ring.dropped > 0 {
                ": a larger --ring, a lower --rate or --slow avoids that"
            } else {
                ""
            }
        );
    }
    Ok(())
}

/// What the comparison says, and what it does not.
fn conclusion(summary: &Summary, is_still: bool) -> String {
    let applied = summary.report.total.applied;
    if !is_still {
        "the market goes on: books can be compared where it ends, by --messages\n".into()
    } else if applied == 0 {
        "every book equals the exchange's own, level by level, by snapshots alone: they were newer than every diff\n".into()
    } else {
        format!("every book equals the exchange's own, level by level, after {applied} diffs\n")
    }
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
