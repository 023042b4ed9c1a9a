//! Every ring against a queue that is known to be right, under any sequence of calls. The model is exact: it knows when a ring is full and how
//! long each span is.
#![allow(missing_docs)]

#[path = "common/calls.rs"]
mod calls;
mod common;
#[path = "common/model.rs"]
mod model;

use calls::{by_index, by_line, of_many, Call, ManyCall};
use proptest::prelude::*;

fn call() -> impl Strategy<Value = Call> {
    let count = || prop_oneof![8 => 0..12_usize, 1 => 0..5000_usize];
    prop_oneof![
        8 => Just(Call::Push),
        4 => Just(Call::Offer),
        4 => count().prop_map(Call::PushSlice),
        3 => (count(), count()).prop_map(|(reserve, fill)| Call::Fill(reserve, fill)),
        2 => count().prop_map(Call::CopyFrom),
        8 => Just(Call::Pop),
        2 => Just(Call::Peek),
        4 => count().prop_map(Call::PopSlice),
        3 => (count(), count()).prop_map(|(read, release)| Call::Read(read, release)),
        1 => count().prop_map(Call::Drain),
        2 => any::<bool>().prop_map(Call::Reclaim),
    ]
}

/// Closing comes late, if at all: after it nothing gets in.
fn calls() -> impl Strategy<Value = Vec<Call>> {
    let close = prop_oneof![Just(Call::CloseByProducer), Just(Call::CloseByConsumer)];
    let before = proptest::collection::vec(call(), 1..120);
    let after = proptest::collection::vec(call(), 0..20);
    (before, proptest::option::of((close, after))).prop_map(|(mut calls, closed)| {
        if let Some((close, after)) = closed {
            calls.push(close);
            calls.extend(after);
        }
        calls
    })
}

/// Where a ring starts: at zero, and just below the wrap of its index or of its cells' numbers.
fn start() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), (0..140_usize).prop_map(|below| usize::MAX - below)]
}

fn many_calls() -> impl Strategy<Value = Vec<ManyCall>> {
    let call = prop_oneof![
        60 => any::<usize>().prop_map(ManyCall::Push),
        20 => any::<usize>().prop_map(ManyCall::Offer),
        6 => Just(ManyCall::Another),
        4 => Just(ManyCall::Gone),
        70 => Just(ManyCall::Pop),
        10 => Just(ManyCall::Peek),
        4 => Just(ManyCall::Drain),
        1 => any::<usize>().prop_map(ManyCall::Close),
    ];
    proptest::collection::vec(call, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_ring_by_index_is_the_model(start in start(), calls in calls()) {
        by_index(start, &calls)?;
    }

    #[test]
    fn a_ring_by_line_is_the_model(start in start(), calls in calls()) {
        by_line(start, &calls)?;
    }

    #[test]
    fn a_ring_of_many_producers_is_the_model(start in start(), calls in many_calls()) {
        of_many(start, &calls)?;
    }
}
