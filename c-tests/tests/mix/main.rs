//! Every mix of languages at the two ends of one ring: Rust, calls of the C API, the inline C functions and C++.

mod end;
mod message;
mod place;
mod pool;
mod rust;
mod turn;

use end::{Held, Kind, Language, ELEMENTS, KINDS};
use gimmal_c_tests as _;
use message::Messages;
use place::Place;
use std::thread;
use std::time::{Duration, Instant};
use turn::{pop, push, HOWS};

/// Slots or cells before the number wraps, and from zero.
const STARTS: [usize; 2] = [0, usize::MAX - 2];

/// Long past what any run takes: a mix that loses a message would wait for it for ever.
const PATIENCE: Duration = Duration::from_secs(120);

fn languages() -> Vec<Language> {
    vec![
        rust::rust(),
        end::call(),
        end::inline(),
        end::cpp(),
        #[cfg(mix_clang)]
        end::inline_clang(),
        #[cfg(mix_clang)]
        end::cpp_clang(),
    ]
}

/// Runs `case` with a name for every kind, element and start.
fn for_all(mut case: impl FnMut(Kind, usize, usize)) {
    for kind in KINDS {
        for element in 0..ELEMENTS {
            for start in STARTS {
                case(kind, element, start);
            }
        }
    }
}

/// Passes `count` messages of each producer through the ring. A producer, and the consumer, may go by several ends: these take
/// turns of changing lengths, each claiming its end and giving it back.
fn pass(ring: &Place, producers: &[&[end::End]], consumers: &[end::End], count: u64) {
    let patience = Instant::now() + PATIENCE;
    let wait = || {
        assert!(Instant::now() < patience, "a message was lost");
        thread::yield_now();
    };
    let produce = |ends: &[end::End], mut messages: Messages| {
        for turn in 0.. {
            let mut tx = Held::producer(ends[turn % ends.len()], ring);
            let most = (count - messages.passed).min(1 + turn as u64 * 7 % 19);
            let mut left = most as usize;
            while left > 0 {
                left -= push(&mut tx, HOWS[turn % 3], left, &mut messages);
                if left > 0 {
                    wait();
                }
            }
            if messages.passed == count {
                break;
            }
        }
        messages
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(producers)
            .map(|(number, &ends)| scope.spawn(move || produce(ends, Messages::of(number))))
            .collect();
        let mut messages: Vec<_> = (0..producers.len()).map(Messages::of).collect();
        let mut missing = count * producers.len() as u64;
        for turn in 0.. {
            let mut rx = Held::consumer(consumers[turn % consumers.len()], ring);
            let mut left = missing.min(1 + turn as u64 * 5 % 17) as usize;
            missing -= left as u64;
            while left > 0 {
                left -= pop(&mut rx, HOWS[(turn + turn / 3) % 3], left, &mut messages);
                if left > 0 {
                    wait();
                }
            }
            if missing == 0 {
                break;
            }
        }
        let sent: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        assert_eq!(sent, messages);
    });
}

#[test]
fn all_languages_lay_out_the_same_bytes() {
    for_all(|kind, element, start| {
        let laid_out =
            |language: &Language| Place::new(language.end(kind, element), kind, start).geometry();
        let expected = laid_out(&rust::rust());
        for language in languages() {
            let name = language.name;
            assert_eq!(
                laid_out(&language),
                expected,
                "{kind:?} by {name}, element {element}"
            );
        }
    });
}

#[test]
fn all_mixes_agree_on_when_a_ring_is_full_and_empty() {
    for_all(|kind, element, start| {
        for producer in languages() {
            for consumer in languages() {
                let (tx, rx) = (producer.end(kind, element), consumer.end(kind, element));
                let ring = Place::new(tx, kind, start);
                let (certain, most) = ring.capacity();
                let (mut sent, mut received) = (Messages::default(), [Messages::default()]);
                // By line a cell is free again when it is empty, so what fits depends on where the consumer stands.
                for (lap, how) in HOWS.iter().cycle().take(most + 3).enumerate() {
                    let mut room = 0;
                    while push(&mut Held::producer(tx, &ring), *how, 1, &mut sent) == 1 {
                        room += 1;
                    }
                    let held = (sent.passed - received[0].passed) as usize;
                    assert!((certain..=most).contains(&held), "{kind:?} {lap} {held}");
                    assert!(kind == Kind::LineRing || held == certain);
                    assert!(lap > 0 || room == most);
                    pop(
                        &mut Held::consumer(rx, &ring),
                        *how,
                        lap % most + 1,
                        &mut received,
                    );
                }
                while pop(&mut Held::consumer(rx, &ring), HOWS[0], 1, &mut received) == 1 {}
                assert_eq!(
                    [sent],
                    received,
                    "{kind:?} from {} to {}",
                    producer.name,
                    consumer.name
                );
            }
        }
    });
}

#[test]
fn every_pair_of_languages_passes_messages_between_threads() {
    for_all(|kind, element, start| {
        for producer in languages() {
            for consumer in languages() {
                let ring = Place::new(consumer.end(kind, element), kind, start);
                pass(
                    &ring,
                    &[&[producer.end(kind, element)]],
                    &[consumer.end(kind, element)],
                    300,
                );
            }
        }
    });
}

/// As [`every_pair_of_languages_passes_messages_between_threads`], until `GIMMAL_MESSAGES` have passed in all or `GIMMAL_SECONDS` are over; what passed
/// is written to the file `GIMMAL_RESULT`.
#[test]
#[ignore = "takes as long as it is told to: cargo xtask verify soak"]
fn soak() {
    const EACH: u64 = 20_000;
    let number = |name| std::env::var(name).ok().map(|value| value.parse().unwrap());
    let most: u64 = number("GIMMAL_MESSAGES").unwrap_or(10_000_000_000);
    let end = number("GIMMAL_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let languages = languages();
    let (mut passed, mut runs) = (0, 0_u64);
    let goes_on = |passed| passed < most && end.is_none_or(|end| Instant::now() < end);
    while goes_on(passed) {
        for (producer, consumer) in languages
            .iter()
            .flat_map(|producer| languages.iter().map(move |consumer| (producer, consumer)))
        {
            println!(
                "{passed:>14} messages; {} to {}",
                producer.name, consumer.name
            );
            for_all(|kind, element, start| {
                if goes_on(passed) {
                    let (tx, rx) = (producer.end(kind, element), consumer.end(kind, element));
                    pass(&Place::new(rx, kind, start), &[&[tx]], &[rx], EACH);
                    passed += EACH;
                    runs += 1;
                }
            });
        }
    }
    let pairs = languages.len().pow(2);
    let found = format!(
        "{passed} messages passed whole and in order, in {runs} runs: {pairs} pairs of languages, {} kinds of rings, {ELEMENTS} elements",
        KINDS.len()
    );
    println!("{found}");
    if let Some(path) = std::env::var_os("GIMMAL_RESULT") {
        std::fs::write(path, found).unwrap();
    }
}

#[test]
fn languages_change_in_mid_cell() {
    for_all(|kind, element, start| {
        let ends: Vec<_> = languages()
            .iter()
            .map(|language| language.end(kind, element))
            .collect();
        let ring = Place::new(ends[0], kind, start);
        let backwards: Vec<_> = ends.iter().rev().copied().collect();
        pass(&ring, &[&ends], &backwards, 5000);
    });
}

#[test]
fn producers_of_every_pair_of_languages_share_a_ring() {
    for (element, start) in (0..ELEMENTS).flat_map(|element| STARTS.map(|start| (element, start))) {
        let ends: Vec<_> = languages()
            .iter()
            .map(|language| language.end(Kind::Mpsc, element))
            .collect();
        for consumer in &ends {
            for (number, first) in ends.iter().enumerate() {
                for second in &ends[number..] {
                    let ring = Place::new(*consumer, Kind::Mpsc, start);
                    pass(&ring, &[&[*first], &[*second]], &[*consumer], 60);
                }
            }
        }
    }
}

#[test]
fn producers_of_all_languages_share_a_ring() {
    for (element, start) in (0..ELEMENTS).flat_map(|element| STARTS.map(|start| (element, start))) {
        let ends: Vec<_> = languages()
            .iter()
            .map(|language| language.end(Kind::Mpsc, element))
            .collect();
        let ring = Place::new(ends[0], Kind::Mpsc, start);
        let alone: Vec<_> = ends.iter().map(std::slice::from_ref).collect();
        let by_turns = [ends.as_slice(); 2];
        for consumers in ends
            .iter()
            .map(std::slice::from_ref)
            .chain([ends.as_slice()])
        {
            pass(&ring, &alone, consumers, 300);
            pass(&ring, &by_turns, consumers, 300);
        }
    }
}
