//! The programs of `firmware/`, run on emulated boards.

use super::recipes;
use super::steps::Outcome;
use crate::firmware;
use crate::firmware::{costs, instructions, Board, Program, RustForm, Said, BOARDS, RUST_BOARD};
use crate::programs::{Embedded, RingFunctions};
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::collections::BTreeSet;

/// A form that programs come in: how their ends are made.
struct Form {
    name: &'static str,
    /// The rings that it reports on.
    rings: &'static [&'static str],
    /// The functions every instruction of which must have been interrupted.
    covered: &'static [&'static str],
    /// For a control, the rings whose ends are broken on purpose.
    broken: &'static [&'static str],
}

const fn sound(name: &'static str, covered: &'static [&'static str]) -> Form {
    Form {
        name,
        rings: &RINGS,
        covered,
        broken: &[],
    }
}

/// The forms in C, of every board.
const IN_C: [Form; 5] = [
    sound("inline", &ALL),
    sound("single", &BY_INDEX),
    sound("bare", &BY_INDEX),
    // libgimmal has instructions for elements of other sizes and for wrong arguments, which are not run.
    sound("call", &[]),
    Form {
        name: "broken",
        rings: &RINGS,
        covered: &[],
        broken: &RINGS,
    },
];

/// The forms in Rust, and the feature that gives them.
const IN_RUST: [(Form, Option<&str>); 3] = [
    (sound("rust", &ALL), None),
    (sound("rust-bare", &ALL), Some("bare")),
    (
        Form {
            name: "rust-broken",
            rings: &RINGS,
            covered: &[],
            broken: &["up:", "down:"],
        },
        Some("broken"),
    ),
];

/// A driver by DMA.
const UART_DMA: Form = Form {
    name: "uart-dma",
    rings: &["bytes:"],
    covered: &[],
    broken: &[],
};

/// Tasks and an interrupt under FreeRTOS, and a queue of the kernel beside the rings.
const FREERTOS: Form = Form {
    name: "freertos",
    rings: &["samples:", "results:", "queue:"],
    covered: &[],
    broken: &[],
};

/// The same with consumers that hand a slot back before they read it.
const FREERTOS_BROKEN: Form = Form {
    name: "freertos-broken",
    broken: &["samples:", "results:"],
    ..FREERTOS
};

/// The rings of most programs.
const RINGS: [&str; 4] = ["up:", "down:", "merged:", "reports:"];

/// The functions under test.
const ALL: [&str; 4] = ["ring_push", "ring_pop", "mpsc_push", "mpsc_pop"];
const BY_INDEX: [&str; 2] = ["ring_push", "ring_pop"];

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    firmware::build_libraries(bar)?;
    for (form, feature) in &IN_RUST {
        let form = RustForm {
            name: form.name,
            feature: *feature,
        };
        firmware::build_rust(bar, &form)?;
    }
    let in_c = BOARDS
        .iter()
        .flat_map(|board| IN_C.iter().map(move |form| (board, form)));
    let in_rust = IN_RUST.iter().map(|(form, _)| (&RUST_BOARD, form));
    let all: Vec<(&Board, &Form)> = in_c
        .chain(in_rust)
        .chain([&FREERTOS, &FREERTOS_BROKEN, &UART_DMA].map(|form| (&RUST_BOARD, form)))
        .collect();
    let programs: Vec<Program> = all
        .iter()
        .map(|(board, form)| Program::new(board, form.name))
        .collect();
    firmware::run(bar, &programs)?;
    for ((board, form), program) in all.into_iter().zip(programs) {
        let name = format!("{} {}", board.name, form.name);
        let said = program.said()?;
        let mut found = judge(form, &said).with_context(|| format!("{name}:\n{}", said.text))?;
        if !form.covered.is_empty() {
            found += &covered(board, &program, form.covered, &said).context(name.clone())?;
        }
        bar.suspend(|| println!("{name}: {found}"));
    }
    let cheap = cheap(&costs::count(bar, &[&RUST_BOARD])?)?;
    bar.suspend(|| println!("{cheap}"));
    let small = small(&costs::ring_functions(&BOARDS[1])?)?;
    bar.suspend(|| println!("{small}"));
    recipes::run(bar)?;
    Ok(Outcome::Passed)
}

/// Whether the rings with the fewest instructions have what docs/FIRMWARE.md claims of them: no more than heapless' queue, a fifth of a
/// FreeRTOS queue's, and 56 bytes beside the elements.
fn cheap(rows: &[Embedded]) -> Result<String> {
    let of = |queue: &str| {
        rows.iter()
            .find(|row| row.queue == queue && row.element == "u32")
            .with_context(|| format!("{queue} was not counted"))
    };
    let (heapless, kernel) = (of("heapless")?, of("freertos_queue")?);
    let mut found = Vec::new();
    for queue in ["c_bare", "rust_bare"] {
        let ring = of(queue)?;
        ensure!(
            ring.push <= heapless.push && ring.pop <= heapless.pop,
            "{queue} takes {} and {} instructions, heapless {} and {}",
            ring.push,
            ring.pop,
            heapless.push,
            heapless.pop
        );
        let times = (kernel.push + kernel.pop) / (ring.push + ring.pop);
        ensure!(
            times >= 5.0,
            "a FreeRTOS queue takes {times:.2} times {queue}'s instructions"
        );
        ensure!(
            ring.ram <= 56,
            "{queue} takes {} bytes beside its elements",
            ring.ram
        );
        found.push(format!("{queue} {times:.1} times fewer"));
    }
    Ok(format!(
        "instructions of a push and a pop against a FreeRTOS queue: {}",
        found.join(", ")
    ))
}

/// Whether libgimmal's functions for a ring fit in a kilobyte on the smallest processor.
fn small(functions: &RingFunctions) -> Result<String> {
    let own = functions.own;
    ensure!(own <= 1024, "gimmal_ring_init, _push and _pop take {own} B");
    Ok(format!(
        "{}: gimmal_ring_init, _push and _pop take {own} B of flash",
        functions.target
    ))
}

/// Whether a program said what it must: that all is well, or as a control that what is broken is not.
fn judge(form: &Form, said: &Said) -> Result<String> {
    let mut received = 0;
    let mut faults = 0;
    for ring in form.rings {
        let line = said
            .lines(ring)
            .next()
            .with_context(|| format!("nothing of {ring}"))?;
        received += Said::number(line, "received")?;
        // Where every byte is checked, one out of order is a torn one.
        let wrong = Said::number(line, "lost")?
            + Said::number(line, "torn")?
            + Said::number(line, "reordered").unwrap_or(0);
        if form.broken.contains(ring) {
            ensure!(wrong > 0, "{ring} nothing is seen of its broken ends");
        } else {
            ensure!(wrong == 0, "{ring} {line}");
        }
        faults += wrong;
    }
    if form.broken.is_empty() {
        ensure!(said.status == 0, "ended with {}", said.status);
        return Ok(format!(
            "{received} messages, none lost, out of order or torn"
        ));
    }
    ensure!(said.status == 1, "the control ended with {}", said.status);
    Ok(format!("{faults} faults seen in {received} messages"))
}

/// Whether interrupts came before every instruction of these functions, but where they are masked.
fn covered(board: &Board, program: &Program, names: &[&str], said: &Said) -> Result<String> {
    let seen = interrupted(said)?;
    let mut all = 0;
    let mut closed = 0;
    for name in names {
        let function = instructions::of(board.binutils, program.elf(), name)?;
        let masked = instructions::masked(&function);
        let missed: Vec<String> = function
            .iter()
            .filter(|one| !seen.contains(&one.address) && !masked.contains(&one.address))
            .map(|one| format!("{:8x} {}", one.address, one.text))
            .collect();
        ensure!(
            missed.is_empty(),
            "no interrupt came in {name} before\n{}",
            missed.join("\n")
        );
        all += function.len();
        closed += masked.difference(&seen).count();
    }
    let masked = match closed {
        0 => String::new(),
        _ => format!(" but {closed} in a critical section"),
    };
    Ok(format!(
        "; interrupted before each of {all} instructions{masked}"
    ))
}

/// The addresses that a program was interrupted at.
fn interrupted(said: &Said) -> Result<BTreeSet<u64>> {
    let address = |line: &str| {
        let digits = line.split(' ').next().unwrap_or_default();
        u64::from_str_radix(digits, 16).with_context(|| format!("no address: {line}"))
    };
    said.lines("at").map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lost: u64, status: u32) -> Said {
        let line = |ring| format!("{ring} received=10 lost={lost} reordered=0 torn=0\n");
        Said {
            text: RINGS.map(line).concat() + "at 0000010a count=2\nat 00000110 count=1\n",
            status,
        }
    }

    #[test]
    fn a_loss_is_a_failure_and_its_absence_fails_the_control() {
        let form = &IN_C[0];
        assert!(judge(form, &said(0, 0)).unwrap().starts_with("40 messages"));
        assert!(judge(form, &said(1, 1)).is_err());
        assert!(judge(form, &said(0, 124)).is_err());
        let control = &IN_C[4];
        assert!(judge(control, &said(1, 1)).unwrap().starts_with("4 faults"));
        assert!(judge(control, &said(0, 1)).is_err());
        assert!(judge(control, &said(1, 0)).is_err());
        // Two of its rings are sound.
        assert!(judge(&IN_RUST[2].0, &said(1, 1)).is_err());
    }

    #[test]
    fn a_ring_that_costs_too_much_is_a_failure() {
        let row = |queue: &str, push, pop, ram| Embedded {
            target: String::new(),
            queue: queue.to_owned(),
            element: "u32".to_owned(),
            push,
            pop,
            push_flash: 0,
            pop_flash: 0,
            ram,
        };
        let rows = |push, ram| {
            [
                row("heapless", 20.0, 21.0, 8),
                row("freertos_queue", 105.0, 87.0, 72),
                row("c_bare", 13.0, 13.0, 56),
                row("rust_bare", push, 15.0, ram),
            ]
        };
        assert!(cheap(&rows(14.0, 56)).unwrap().contains("rust_bare 6.6"));
        assert!(cheap(&rows(20.1, 56)).is_err());
        assert!(cheap(&rows(14.0, 57)).is_err());
        assert!(cheap(&rows(14.0, 56)[..3]).is_err());
        let mut slow = rows(20.0, 56);
        slow[3].pop = 21.0;
        assert!(cheap(&slow).is_err());
    }

    #[test]
    fn a_library_that_is_too_large_is_a_failure() {
        let functions = |own| RingFunctions {
            target: String::new(),
            own,
            runtime: 2000,
        };
        assert!(small(&functions(1024)).is_ok());
        assert!(small(&functions(1025)).is_err());
    }

    #[test]
    fn interrupted_addresses_are_hexadecimal() {
        assert_eq!(
            interrupted(&said(0, 0)).unwrap(),
            BTreeSet::from([0x10a, 0x110])
        );
    }
}
