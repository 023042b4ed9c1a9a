//! Calls on rings, each made on the model too.

use crate::bytes::Bytes;
use crate::calls::{by_index, by_line, of_many, Call, ManyCall};

/// So many calls that every ring but the longest fills and laps.
const MOST: usize = 400;

/// The first byte names the kind of ring, the second says where it starts; then a call is a byte, and some take a number from one or two more.
pub fn machine(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (Some(kind), Some(below)) = (bytes.byte(), bytes.byte()) else {
        return;
    };
    // Zero, or just below the wrap.
    let start = 0_usize.wrapping_sub(below.into());
    let result = match kind % 3 {
        0 => by_index(start, &list(bytes, call)),
        1 => by_line(start, &list(bytes, call)),
        _ => of_many(start, &list(bytes, many_call)),
    };
    result.expect("the ring is the model");
}

fn list<C>(mut bytes: Bytes<'_>, call: impl Fn(&mut Bytes<'_>) -> Option<C>) -> Vec<C> {
    std::iter::from_fn(|| call(&mut bytes)).take(MOST).collect()
}

/// Mostly a few, at times more than any ring holds.
fn count(bytes: &mut Bytes<'_>) -> Option<usize> {
    let few = bytes.byte()?;
    if few < 240 {
        return Some(usize::from(few % 24));
    }
    Some(usize::from(bytes.half()? % 5000))
}

fn call(bytes: &mut Bytes<'_>) -> Option<Call> {
    Some(match bytes.byte()? {
        // Rare: nothing is pushed after it.
        255 => Call::CloseByProducer,
        254 => Call::CloseByConsumer,
        byte => match byte % 11 {
            0 => Call::Push,
            1 => Call::Offer,
            2 => Call::PushSlice(count(bytes)?),
            3 => Call::Fill(count(bytes)?, count(bytes)?),
            4 => Call::CopyFrom(count(bytes)?),
            5 => Call::Pop,
            6 => Call::Peek,
            7 => Call::PopSlice(count(bytes)?),
            8 => Call::Read(count(bytes)?, count(bytes)?),
            9 => Call::Drain(count(bytes)?),
            _ => Call::Reclaim(bytes.byte()? % 2 == 0),
        },
    })
}

fn many_call(bytes: &mut Bytes<'_>) -> Option<ManyCall> {
    Some(match bytes.byte()? {
        255 => ManyCall::Close(bytes.byte()?.into()),
        byte => match byte % 7 {
            0 => ManyCall::Push(bytes.byte()?.into()),
            1 => ManyCall::Offer(bytes.byte()?.into()),
            2 => ManyCall::Another,
            3 => ManyCall::Gone,
            4 => ManyCall::Pop,
            5 => ManyCall::Peek,
            _ => ManyCall::Drain,
        },
    })
}
