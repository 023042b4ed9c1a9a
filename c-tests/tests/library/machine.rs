//! The rings of the C API against a queue that is known to be right, under any sequence of calls.

#[path = "../../../tests/common/model.rs"]
mod model;

use crate::built::{archive, Profile};
use gimmal_c_tests::{Compiler, Executable, Program, Sanitizer};
use model::Model;
use proptest::prelude::*;
use std::fmt::Write;

const OK: u32 = 0;
const FULL: u32 = 1;
const EMPTY: u32 = 2;
const CLOSED: u32 = 3;
const TOO_LARGE: u32 = 14;

/// A call by its letter in `library/machine.c`, with two counts: how many elements it asks for, and how many of those it uses.
type Call = (char, usize, usize);

fn calls(letters: &'static [(u32, char)]) -> impl Strategy<Value = Vec<Call>> {
    let letter = proptest::strategy::Union::new_weighted(
        letters
            .iter()
            .map(|&(weight, letter)| (weight, Just(letter)))
            .collect::<Vec<_>>(),
    );
    let count = || prop_oneof![8 => 1..12_usize, 1 => 1..5000_usize];
    proptest::collection::vec((letter, count(), count()), 1..150)
}

const MANY: &[(u32, char)] = &[(8, 'p'), (4, 'o'), (8, 'g'), (2, 'k'), (4, 'G'), (1, 'x')];
const ONE: &[(u32, char)] = &[
    (8, 'p'),
    (4, 'o'),
    (4, 'P'),
    (4, 'F'),
    (8, 'g'),
    (2, 'k'),
    (4, 'G'),
    (4, 'R'),
    (1, 'x'),
    (1, 'y'),
];

/// What the program has to print.
fn expected(model: &mut Model, by_line: bool, calls: &[Call]) -> String {
    let mut text = String::new();
    let mut said = |words: Vec<u64>, model: &Model| {
        let words: Vec<String> = words.iter().map(u64::to_string).collect();
        writeln!(
            text,
            "{} | {} {} {} {} {}",
            words.join(" "),
            model.queue.len(),
            u8::from(model.free() == 0),
            u8::from(model.queue.is_empty()),
            model.dropped,
            u8::from(model.closed)
        )
        .unwrap();
    };
    for &(letter, count, part) in calls {
        let room = model.room();
        let refused = if model.closed { CLOSED } else { FULL };
        let words = match letter {
            'p' | 'o' => {
                let status = if room > 0 { OK } else { refused };
                model.push(room.min(1));
                model.dropped += usize::from(letter == 'o' && room == 0);
                vec![status.into()]
            }
            'P' => {
                let pushed = count.min(room);
                model.push(pushed);
                let status = if pushed > 0 { OK } else { refused };
                vec![status.into(), pushed as u64]
            }
            'F' if count > model.capacity() && !model.closed => vec![TOO_LARGE.into()],
            'F' => {
                let len = count.min(room).min(model.span(model.pushed, by_line));
                if len == 0 {
                    vec![refused.into()]
                } else {
                    model.push(part.min(len));
                    vec![OK.into(), len as u64, OK.into()]
                }
            }
            'g' => model
                .pop()
                .map_or(vec![EMPTY.into()], |sequence| vec![OK.into(), sequence]),
            'k' => {
                let front = model.queue.front();
                front.map_or(vec![EMPTY.into()], |&sequence| vec![OK.into(), sequence])
            }
            'G' => {
                let popped = count.min(model.queue.len());
                let status = if popped > 0 { OK } else { EMPTY };
                let mut words = vec![status.into()];
                words.extend((0..popped).filter_map(|_| model.pop()));
                words
            }
            'R' => {
                let len = count
                    .min(model.queue.len())
                    .min(model.span(model.taken, by_line));
                if len == 0 {
                    vec![EMPTY.into()]
                } else {
                    let mut words = vec![OK.into()];
                    words.extend(model.queue.iter().take(len));
                    words.push(OK.into());
                    for _ in 0..part.min(len) {
                        model.pop();
                    }
                    words
                }
            }
            'c' => {
                model.closed = true;
                vec![OK.into()]
            }
            'x' | 'y' => vec![OK.into()],
            other => unreachable!("no call {other}"),
        };
        said(words, model);
    }
    text
}

struct Ring {
    kind: &'static str,
    capacity: usize,
    words: usize,
    per_cell: u64,
    cells: u64,
}

const fn ring(
    kind: &'static str,
    capacity: usize,
    words: usize,
    per_cell: u64,
    cells: u64,
) -> Ring {
    Ring {
        kind,
        capacity,
        words,
        per_cell,
        cells,
    }
}

/// Several capacities and sizes of each kind.
const ONE_PRODUCER: [Ring; 9] = [
    ring("ring", 1, 1, 1, 1),
    ring("ring", 2, 6, 1, 2),
    ring("ring", 64, 3, 1, 64),
    ring("ring", 4096, 1, 1, 4096),
    ring("line_ring", 1, 1, 7, 1),
    ring("line_ring", 2, 3, 2, 2),
    ring("line_ring", 64, 1, 7, 16),
    ring("line_ring", 64, 6, 1, 64),
    ring("line_ring", 4096, 20, 1, 4096),
];
const MANY_PRODUCERS: [Ring; 4] = [
    ring("mpsc", 1, 1, 1, 1),
    ring("mpsc", 2, 6, 1, 2),
    ring("mpsc", 64, 3, 1, 64),
    ring("mpsc", 4096, 1, 1, 4096),
];

fn programs() -> [Executable; 2] {
    let release = archive(Profile::Release);
    let source = [("library/machine.c", "c11")];
    [
        Program::new(Compiler::Gcc, &source)
            .flags(&["-O2"])
            .link(&[&release])
            .build(),
        Program::new(Compiler::Clang, &source)
            .sanitized(Sanitizer::Address)
            .link(&[&release])
            .build(),
    ]
}

fn hold(rings: &'static [Ring], letters: &'static [(u32, char)], cases: u32) {
    let programs = programs();
    let start = prop_oneof![
        Just(0_usize),
        (0..140_usize).prop_map(|below| usize::MAX - below)
    ];
    let closed = proptest::option::of(0..150_usize);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let any = (
        0..rings.len(),
        start,
        calls(letters),
        closed,
        0..programs.len(),
    );
    runner
        .run(&any, |(ring, start, mut calls, closed, program)| {
            let ring = &rings[ring];
            if let Some(at) = closed {
                calls.insert(at.min(calls.len()), ('c', 0, 0));
            }
            let input: String = calls
                .iter()
                .map(|(letter, count, part)| format!("{letter} {count} {part}\n"))
                .collect();
            let arguments = [
                ring.kind.to_owned(),
                ring.capacity.to_string(),
                ring.words.to_string(),
                start.to_string(),
            ];
            let arguments = arguments.each_ref().map(String::as_str);
            let said = programs[program].fed(&arguments, &input);
            let mut model = Model::new(ring.per_cell, ring.cells);
            let by_line = ring.kind == "line_ring";
            let expected = expected(&mut model, by_line, &calls);
            prop_assert_eq!(said.lines().count(), calls.len());
            for ((said, expected), call) in said.lines().zip(expected.lines()).zip(&calls) {
                prop_assert_eq!(said, expected, "{:?} on {:?}", call, arguments);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn rings_of_one_producer_are_the_model() {
    hold(&ONE_PRODUCER, ONE, 200);
}

#[test]
fn a_ring_of_many_producers_is_the_model() {
    hold(&MANY_PRODUCERS, MANY, 80);
}
