//! Segments between processes in Rust, C and C++.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "these tests need one of the libraries")]
#[path = "../library/built.rs"]
mod built;
mod player;
mod role;

use built::{archive, Profile};
use gimmal_c_tests::{blocks, said, Compiler, Program, Sanitizer};
use gimmal_shm::{Peer, Segment};
use player::{Language, Player, Scrap, ROLE};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

const KINDS: [&str; 4] = ["line", "index", "mpsc", "lanes"];
/// More than a lap, and no multiple of one.
const COUNT: u64 = 5_003;

/// A test that hangs fails.
fn within_seconds(seconds: u64, test: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        test();
        // Nobody may listen any more.
        let _ = done.send(());
    });
    let timed_out = wait.recv_timeout(Duration::from_secs(seconds));
    if timed_out == Err(mpsc::RecvTimeoutError::Timeout) {
        panic!("no end within {seconds} s");
    }
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Plays a role where the test program is started for one; elsewhere does nothing.
#[test]
fn child() {
    if let Ok(role) = std::env::var(ROLE) {
        // What the harness has printed ends here.
        println!();
        role::play(&role.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn every_language_speaks_with_every_language() {
    within_seconds(300, || {
        for kind in KINDS {
            for from in Language::ALL {
                for to in Language::ALL {
                    let scrap = Scrap::new();
                    let name = scrap.name();
                    let mut rx = Player::new(to, &format!("pop {name} {kind} 0"));
                    rx.expect("ready");
                    let tx = Player::new(from, &format!("push {name} {kind} 0 {COUNT} close"));
                    assert_eq!(
                        rx.expect("closed"),
                        (0, COUNT),
                        "{kind}: {from:?} to {to:?}"
                    );
                    rx.finish();
                    tx.finish();
                }
            }
        }
    });
}

#[test]
fn producers_of_all_languages_share_a_segment() {
    within_seconds(120, || {
        for (kind, to) in [
            ("mpsc", Language::C),
            ("mpsc", Language::Rust),
            ("lanes", Language::Cpp),
        ] {
            let scrap = Scrap::new();
            let name = scrap.name();
            let mut rx = Player::new(to, &format!("pop {name} {kind} 0"));
            rx.expect("ready");
            let mut producers: Vec<_> = Language::ALL
                .into_iter()
                .enumerate()
                .map(|(who, language)| {
                    let from = (who as u64) << 32;
                    Player::new(language, &format!("push {name} {kind} {from} {COUNT} hold"))
                })
                .collect();
            for producer in &mut producers {
                producer.expect("pushed");
            }
            // Another takes the place of one, and closes the segment.
            producers.pop().unwrap().kill();
            let closer = Player::new(
                Language::C,
                &format!("push {name} {kind} {} 1 close", 3u64 << 32),
            );
            let (_, count) = rx.expect("closed");
            assert_eq!(count, 3 * COUNT + 1, "{kind} to {to:?}");
            closer.finish();
            rx.finish();
        }
    });
}

#[test]
fn a_dead_producer_is_seen_and_its_end_taken_over_in_another_language() {
    within_seconds(300, || {
        for kind in ["line", "index", "mpsc", "lanes"] {
            for (at, to) in Language::ALL.into_iter().enumerate() {
                let (first, second) = (Language::ALL[(at + 1) % 3], Language::ALL[(at + 2) % 3]);
                let scrap = Scrap::new();
                let name = scrap.name();
                let mut rx = Player::new(to, &format!("pop {name} {kind} 0"));
                rx.expect("ready");
                let mut tx = Player::new(first, &format!("push {name} {kind} 0 {COUNT} hold"));
                tx.expect("pushed");
                assert_eq!(peers(name), (Peer::Alive, Peer::Alive, tx.id()));
                tx.kill();
                assert_eq!(rx.expect("died"), (0, COUNT), "{kind}: {first:?} to {to:?}");
                let tx = Player::new(second, &format!("push {name} {kind} {COUNT} {COUNT} close"));
                // It may say more than once that the first died, before the second comes.
                let closed = loop {
                    match rx.next() {
                        (word, one, other) if word == "closed" => break (one, other),
                        (word, _, other) => assert_eq!((word.as_str(), other), ("died", COUNT)),
                    }
                };
                assert_eq!(
                    closed,
                    (0, 2 * COUNT),
                    "{kind}: {first:?}, {second:?} to {to:?}"
                );
                tx.finish();
                rx.finish();
            }
        }
    });
}

#[test]
fn a_dead_consumer_s_end_is_taken_over_in_another_language() {
    within_seconds(120, || {
        for kind in KINDS {
            for (at, from) in Language::ALL.into_iter().enumerate() {
                let (first, second) = (Language::ALL[(at + 1) % 3], Language::ALL[(at + 2) % 3]);
                let scrap = Scrap::new();
                let name = scrap.name();
                let mut tx = Player::new(from, &format!("push {name} {kind} 0 1000 hold"));
                tx.expect("pushed");
                let mut rx = Player::new(first, &format!("pop {name} {kind} 500"));
                rx.expect("ready");
                assert_eq!(rx.expect("popped"), (0, 500));
                rx.kill();
                let mut rx = Player::new(second, &format!("pop {name} {kind} 500"));
                rx.expect("ready");
                assert_eq!(
                    rx.expect("popped"),
                    (500, 500),
                    "{kind}: {first:?}, then {second:?}"
                );
                rx.kill();
                tx.tell();
                tx.finish();
            }
        }
    });
}

/// How the consumer and the first producer fare, and the producer's process.
fn peers(name: &str) -> (Peer, Peer, u32) {
    let inspection = Segment::named(name).inspect().unwrap();
    let producer = inspection.producers()[0];
    let pid = producer.holder.map_or(0, |holder| holder.pid);
    (inspection.consumer().peer, producer.peer, pid)
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    within_seconds(300, || {
        let library = archive(Profile::Shm);
        for compiler in Compiler::ALL {
            for source in ["shm/misuse.c", "shm/views.c"] {
                for standard in ["c11", "c++17", "c++20"] {
                    let scrap = Scrap::new();
                    Program::new(compiler, &[(source, standard)])
                        .flags(&["-O2"])
                        .link(&[&library])
                        .run(&[scrap.name()]);
                }
                let scrap = Scrap::new();
                Program::new(compiler, &[(source, "c11")])
                    .sanitized(Sanitizer::Address)
                    .link(&[&library])
                    .run(&[scrap.name()]);
            }
        }
    });
}

#[test]
fn a_segment_without_a_name_is_passed_and_watched_in_cpp() {
    within_seconds(300, || {
        let library = archive(Profile::Shm);
        for compiler in Compiler::ALL {
            for standard in ["c++17", "c++20"] {
                Program::new(compiler, &[("shm/passed.cpp", standard)])
                    .flags(&["-O2"])
                    .link(&[&library])
                    .run(&[]);
            }
        }
    });
}

#[test]
fn the_headers_stand_alone() {
    for compiler in Compiler::ALL {
        for standard in ["c11", "c++17", "c++20"] {
            Program::new(compiler, &[("../include/gimmal_shm.h", standard)]).check();
            Program::new(compiler, &[("../include/gimmal/mapped.h", standard)]).check();
        }
        for flags in [&["-O2"][..], &["-fno-exceptions", "-fno-rtti"]] {
            for standard in ["c++17", "c++20"] {
                Program::new(compiler, &[("../include/gimmal/shm.hpp", standard)])
                    .flags(flags)
                    .check();
            }
        }
    }
}

/// The programs of docs/SHM.md, as two processes.
#[test]
fn the_programs_for_readers_work() {
    within_seconds(120, || {
        let text = include_str!("../../../docs/SHM.md");
        let stem = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shm");
        // The first of each is a program; what follows are parts of others.
        let ([produce, ..], [consume, ..]) = (
            &blocks(text, "c", &stem)[..],
            &blocks(text, "cpp", &stem)[..],
        ) else {
            panic!("the page has no such program");
        };
        let library = archive(Profile::Shm);
        for compiler in Compiler::ALL {
            let build = |source: &str, standard| {
                let program = Program::new(compiler, &[(source, standard)]);
                program.link(&[&library]).build()
            };
            let (produce, consume) = (build(produce, "c11"), build(consume, "c++17"));
            let scrap = Scrap::new();
            std::thread::scope(|scope| {
                let consumer = scope.spawn(|| consume.output(&[scrap.name()]));
                produce.run(&[scrap.name()]);
                let output = consumer.join().unwrap();
                assert!(output.status.success(), "{}", said(&output));
                assert_eq!(said(&output), "1000 ticks, turnover 100000\n");
            });
            assert!(Segment::named(scrap.name()).inspect().is_err());
        }
    });
}
