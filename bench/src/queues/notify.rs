//! The ring by line, whose producer rings the consumer's bell at every push. The consumer polls: the bell is never armed.

use super::gimmal::ByLine;
use super::{over, Push, Queue};
use crate::abi::Kernel;
use crate::kernels::throughput::Throughput;
use crate::message::{Message, Small};
use gimmal::line_ring;
use gimmal::wait::Park;

/// A ring whose consumer has declared how it sleeps, or not.
pub struct Notifying<M: 'static, const DECLARED: bool>(ByLine<M>);

/// A producer that rings.
pub struct Ringing<'a, M> {
    end: line_ring::Producer<'a, M>,
    park: Park,
}

impl<const WORDS: usize, const DECLARED: bool> Queue<Message<WORDS>>
    for Notifying<Message<WORDS>, DECLARED>
{
    type Producer<'a> = Ringing<'a, Message<WORDS>>;
    type Consumer<'a> = line_ring::Consumer<'a, Message<WORDS>>;

    fn with_capacity(capacity: usize) -> Self {
        Self(ByLine::with_capacity(capacity))
    }

    fn produce(&self) -> Self::Producer<'_> {
        Ringing {
            end: self.0.produce(),
            park: Park::new(),
        }
    }

    fn consume(&self) -> Self::Consumer<'_> {
        let consumer = self.0.consume();
        let mut park = Park::new();
        if !DECLARED {
            park = park.fenced();
        }
        consumer.declare(&mut park);
        consumer
    }
}

impl<const WORDS: usize> Push<Message<WORDS>> for Ringing<'_, Message<WORDS>> {
    #[inline(always)]
    fn push(&mut self, sequence: u64) -> bool {
        let pushed = self.end.push_with(|| Message::new(sequence)).is_ok();
        if pushed {
            self.end.notify(&self.park);
        }
        pushed
    }

    fn push_n(&mut self, from: &[Message<WORDS>]) -> usize {
        let pushed = self.end.push_slice(from);
        self.end.notify(&self.park);
        pushed
    }
}

/// The kernels of both.
pub fn kernels() -> [Kernel; 2] {
    [
        over::<Throughput<(Small, Notifying<Small, true>)>, Small>(c"lab-notify-rust"),
        over::<Throughput<(Small, Notifying<Small, false>)>, Small>(c"lab-fence-rust"),
    ]
}
