//! What the study's orderings do to messages. `orderings run KIND EDGES MESSAGES` passes messages between two threads and prints how
//! many were stale and how many torn; `orderings model KIND EDGES SECONDS` explores what the memory model permits and prints how many
//! executions there were, in how many a message was stale, in how many one was torn, and whether these are all.
//!
//! Every word of a message is its number. A message whose words agree on another number is *stale*, one whose words differ is
//! *torn*. Under `all-relaxed`, which is broken on purpose, a run may also never end: set it a time limit. The loops have names of
//! their own, so that they can be found in the program and disassembled.

mod model;

use gimmal::policy::lab::WithEdges;
use gimmal::raw::lab::{AllRelaxed, Fences, SeqCst};
use gimmal::raw::AcquireRelease;
use gimmal::{LineRing, Ring};
use std::process::ExitCode;
use std::thread::{scope, yield_now};
use std::time::Duration;

type Message = [u64; 6];
type Index<E> = Ring<Message, 8, WithEdges<E>>;
type Line<E> = LineRing<Message, 4, WithEdges<E>>;

/// Messages that came wrong.
#[derive(Default)]
struct Faults {
    stale: u64,
    torn: u64,
}

impl Faults {
    /// Looks at a message that should be number `expected`.
    #[inline(always)]
    fn judge(&mut self, message: &Message, expected: u64) {
        let differs = |other: u64| message.iter().fold(0, |bits, word| bits | (word ^ other));
        if differs(expected) != 0 {
            if differs(message[0]) == 0 {
                self.stale += 1;
            } else {
                self.torn += 1;
            }
        }
    }
}

/// Before another look: the other thread may need this core.
#[cold]
#[inline(never)]
fn look_again(looks: &mut u32) {
    const PATIENCE: u32 = 1024;
    *looks += 1;
    if *looks % PATIENCE == 0 {
        yield_now();
    }
    std::hint::spin_loop();
}

macro_rules! loops {
    ($($ring:ty, $push:ident, $pop:ident, $run:ident;)*) => {$(
        #[no_mangle]
        #[inline(never)]
        fn $push(ring: &$ring, messages: u64) {
            let mut tx = ring.view().producer().expect("the only producer");
            let mut looks = 0;
            for number in 0..messages {
                while tx.push([number; 6]).is_err() {
                    look_again(&mut looks);
                }
            }
        }

        #[no_mangle]
        #[inline(never)]
        fn $pop(ring: &$ring, messages: u64) -> Faults {
            let mut rx = ring.view().consumer().expect("the only consumer");
            let mut looks = 0;
            let mut faults = Faults::default();
            for number in 0..messages {
                while rx.pop_with(|message| faults.judge(message, number)).is_none() {
                    look_again(&mut looks);
                }
            }
            faults
        }

        fn $run(messages: u64) -> Faults {
            // SAFETY: none under `AllRelaxed`: what comes of a broken promise is what is to be seen. The others keep it.
            let ring = unsafe { <$ring>::with_policy() };
            scope(|scope| {
                scope.spawn(|| $push(&ring, messages));
                $pop(&ring, messages)
            })
        }
    )*};
}

loops! {
    Index<AcquireRelease>, push_index_acquire_release, pop_index_acquire_release, run_index_acquire_release;
    Index<SeqCst>, push_index_seq_cst, pop_index_seq_cst, run_index_seq_cst;
    Index<Fences>, push_index_fences, pop_index_fences, run_index_fences;
    Index<AllRelaxed>, push_index_all_relaxed, pop_index_all_relaxed, run_index_all_relaxed;
    Line<AcquireRelease>, push_line_acquire_release, pop_line_acquire_release, run_line_acquire_release;
    Line<SeqCst>, push_line_seq_cst, pop_line_seq_cst, run_line_seq_cst;
    Line<Fences>, push_line_fences, pop_line_fences, run_line_fences;
    Line<AllRelaxed>, push_line_all_relaxed, pop_line_all_relaxed, run_line_all_relaxed;
}

/// What is to be done with a ring of this kind and these edges.
struct Choice {
    run: fn(u64) -> Faults,
    model: fn(Duration) -> model::Explored,
}

fn choose(kind: &str, edges: &str) -> Option<Choice> {
    macro_rules! choice {
        ($run:ident, $model:ident::<$edges:ty>) => {
            Choice {
                run: $run,
                model: model::$model::<$edges>,
            }
        };
    }
    Some(match (kind, edges) {
        ("index", "acquire-release") => {
            choice!(run_index_acquire_release, by_index::<AcquireRelease>)
        }
        ("index", "seq-cst") => choice!(run_index_seq_cst, by_index::<SeqCst>),
        ("index", "fences") => choice!(run_index_fences, by_index::<Fences>),
        ("index", "all-relaxed") => choice!(run_index_all_relaxed, by_index::<AllRelaxed>),
        ("line", "acquire-release") => choice!(run_line_acquire_release, by_line::<AcquireRelease>),
        ("line", "seq-cst") => choice!(run_line_seq_cst, by_line::<SeqCst>),
        ("line", "fences") => choice!(run_line_fences, by_line::<Fences>),
        ("line", "all-relaxed") => choice!(run_line_all_relaxed, by_line::<AllRelaxed>),
        _ => return None,
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [what, kind, edges, amount] = words[..] else {
        return usage();
    };
    let (Some(choice), Ok(amount)) = (choose(kind, edges), amount.parse()) else {
        return usage();
    };
    match what {
        "run" => {
            let Faults { stale, torn } = (choice.run)(amount);
            println!("{stale} {torn}");
        }
        "model" => {
            let explored = (choice.model)(Duration::from_secs(amount));
            let model::Explored {
                executions,
                stale,
                torn,
                complete,
            } = explored;
            println!("{executions} {stale} {torn} {complete}");
        }
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: orderings run|model index|line acquire-release|seq-cst|fences|all-relaxed MESSAGES|SECONDS"
    );
    ExitCode::from(2)
}
