//! The programs of `firmware/`, run on emulated boards.

use super::steps::Outcome;
use crate::firmware;
use crate::firmware::{instructions, Board, Program, RustForm, Said, BOARDS, RUST_BOARD};
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
        .chain([(&RUST_BOARD, &FREERTOS), (&RUST_BOARD, &UART_DMA)])
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
    Ok(Outcome::Passed)
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
    fn interrupted_addresses_are_hexadecimal() {
        assert_eq!(
            interrupted(&said(0, 0)).unwrap(),
            BTreeSet::from([0x10a, 0x110])
        );
    }
}
