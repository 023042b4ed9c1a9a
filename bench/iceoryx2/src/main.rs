//! One of two processes that pass messages by iceoryx2's publish and subscribe: `lead NAME` or `answer NAME`, where the name is that of the pair.
//!
//! It says that it is ready, then takes a line for each cell: the bytes of a message, the same part that its argument names, how many round trips
//! warm it, how many batches of 32 and how many single ones are timed. The one that leads answers with the times in nanoseconds, the other with
//! an empty line. The settings are those of iceoryx2's own benchmark of publish and subscribe: no history, a buffer of one sample with overflow, and samples
//! loaned before the wait.

use anyhow::{bail, ensure, Context, Result};
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;
use iceoryx2::sample_mut_uninit::SampleMutUninit;
use std::io::{stdin, stdout, Write};
use std::mem::MaybeUninit;
use std::time::Instant;

/// Round trips that are timed as one.
const BATCH: u64 = 32;

type Message<const WORDS: usize> = [u64; WORDS];
type Loaned<const WORDS: usize> = SampleMutUninit<ipc::Service, MaybeUninit<Message<WORDS>>, ()>;

/// How many messages pass.
struct Amount {
    warming: u64,
    batches: u64,
    singles: u64,
}

/// What one process has of the pair of services for messages of one size.
struct Ends<const WORDS: usize> {
    publisher: Publisher<ipc::Service, Message<WORDS>, ()>,
    subscriber: Subscriber<ipc::Service, Message<WORDS>, ()>,
}

impl<const WORDS: usize> Ends<WORDS> {
    fn new(node: &Node<ipc::Service>, pair: &str, leads: bool) -> Result<Self> {
        let service = |direction: &str| -> Result<_> {
            let name = format!("{pair}-{WORDS}-{direction}");
            let service = node
                .service_builder(&name.as_str().try_into()?)
                .publish_subscribe::<Message<WORDS>>()
                .max_publishers(1)
                .max_subscribers(1)
                .history_size(0)
                .subscriber_max_buffer_size(1)
                .enable_safe_overflow(true);
            Ok(service.open_or_create()?)
        };
        let (there, back) = (service("there")?, service("back")?);
        let (mine, theirs) = if leads { (there, back) } else { (back, there) };
        Ok(Self {
            publisher: mine.publisher_builder().create()?,
            subscriber: theirs.subscriber_builder().create()?,
        })
    }

    fn loan(&self) -> Result<Loaned<WORDS>> {
        Ok(self.publisher.loan_uninit()?)
    }

    #[inline(always)]
    fn send(loaned: Loaned<WORDS>, word: u64) -> Result<()> {
        let receivers = loaned.write_payload([word; WORDS]).send()?;
        ensure!(receivers == 1, "{receivers} received a message");
        Ok(())
    }

    /// The first word of the next message, whose last must be the same.
    #[inline(always)]
    fn receive(&self) -> Result<u64> {
        loop {
            if let Some(sample) = self.subscriber.receive()? {
                let message = sample.payload();
                ensure!(message[0] == message[WORDS - 1], "a message was torn");
                return Ok(message[0]);
            }
        }
    }

    /// Sends a sample loaned before, and loans the next while the answer is on its way.
    #[inline(always)]
    fn trip(&self, loaned: Loaned<WORDS>, number: u64) -> Result<Loaned<WORDS>> {
        Self::send(loaned, number)?;
        let next = self.loan()?;
        ensure!(self.receive()? == number, "a message was lost");
        Ok(next)
    }

    #[inline(never)]
    fn lead(&self, amount: &Amount) -> Result<Vec<u64>> {
        let mut batches = vec![1; amount.batches as usize];
        let mut singles = vec![1; amount.singles as usize];
        let mut loaned = self.loan()?;
        for number in 0..amount.warming {
            loaned = self.trip(loaned, number)?;
        }
        let mut before = Instant::now();
        for time in &mut batches {
            for number in 0..BATCH {
                loaned = self.trip(loaned, number)?;
            }
            let after = Instant::now();
            *time = (after - before).as_nanos() as u64;
            before = after;
        }
        for time in &mut singles {
            loaned = self.trip(loaned, *time)?;
            let after = Instant::now();
            *time = (after - before).as_nanos() as u64;
            before = after;
        }
        batches.extend(singles);
        Ok(batches)
    }

    #[inline(never)]
    fn answer(&self, amount: &Amount) -> Result<()> {
        for _ in 0..amount.warming + amount.batches * BATCH + amount.singles {
            let loaned = self.loan()?;
            let word = self.receive()?;
            Self::send(loaned, word)?;
        }
        Ok(())
    }

    fn run(&self, leads: bool, amount: &Amount) -> Result<Vec<u64>> {
        if leads {
            self.lead(amount)
        } else {
            self.answer(amount).map(|()| Vec::new())
        }
    }
}

fn main() -> Result<()> {
    set_log_level(LogLevel::Error);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let leads = match arguments.first().map(String::as_str) {
        Some("lead") => true,
        Some("answer") => false,
        _ => bail!("lead NAME or answer NAME"),
    };
    let pair = arguments.get(1).context("no name")?;
    let node = NodeBuilder::new().create::<ipc::Service>()?;
    let small = Ends::<1>::new(&node, pair, leads)?;
    let medium = Ends::<6>::new(&node, pair, leads)?;
    say("ready")?;
    for line in stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [bytes, _, warming, batches, singles, ..] = words[..] else {
            bail!("too little in: {line}");
        };
        let amount = Amount {
            warming: warming.parse()?,
            batches: batches.parse()?,
            singles: singles.parse()?,
        };
        let times = match bytes {
            "8" => small.run(leads, &amount)?,
            "48" => medium.run(leads, &amount)?,
            _ => bail!("no messages of {bytes} bytes"),
        };
        let words: Vec<String> = times.iter().map(u64::to_string).collect();
        say(&words.join(" "))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
