//! The programs of `firmware/`, run on emulated boards.

use super::steps::Outcome;
use crate::firmware::{instructions, Board, Program, Said, BOARDS};
use crate::{firmware, shell};
use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use std::collections::BTreeSet;

/// By the inline header, by the functions of libgimmal, and the control, whose ends are broken on purpose.
const FORMS: [&str; 3] = ["inline", "call", "broken"];

/// The rings of a program; every one of them suffers from a broken end.
const RINGS: [&str; 4] = ["up:", "down:", "merged:", "reports:"];

/// The functions of which every instruction must have been interrupted.
const PROBED: [&str; 4] = ["ring_push", "ring_pop", "mpsc_push", "mpsc_pop"];

pub fn run(bar: &ProgressBar) -> Result<Outcome> {
    firmware::build_libraries(bar)?;
    for board in &BOARDS {
        for form in FORMS {
            Program::new(board.name, form).forget()?;
        }
    }
    shell::run(bar, firmware::make(&["--silent", "logs"]))?;
    for board in &BOARDS {
        for form in FORMS {
            let said = Program::new(board.name, form).said()?;
            let found = judge(form, &said)
                .with_context(|| format!("{} {form}:\n{}", board.name, said.text))?;
            bar.suspend(|| println!("{} {form}: {found}", board.name));
        }
        let found = covered(board)?;
        bar.suspend(|| println!("{}: {found}", board.name));
    }
    Ok(Outcome::Passed)
}

/// Whether a program said what it must: that all is well, or as a control that nothing is.
fn judge(form: &str, said: &Said) -> Result<String> {
    let mut received = 0;
    let mut faults = 0;
    for ring in RINGS {
        let line = said
            .lines(ring)
            .next()
            .with_context(|| format!("nothing of {ring}"))?;
        received += Said::number(line, "received")?;
        let wrong = ["lost", "reordered", "torn"]
            .into_iter()
            .map(|fault| Said::number(line, fault))
            .sum::<Result<u64>>()?;
        ensure!(
            form != "broken" || wrong > 0,
            "{ring} nothing is seen of its broken ends"
        );
        faults += wrong;
    }
    if form == "broken" {
        ensure!(said.status == 1, "the control ended with {}", said.status);
        return Ok(format!("{faults} faults seen in {received} messages"));
    }
    ensure!(
        said.status == 0 && faults == 0,
        "ended with {}",
        said.status
    );
    Ok(format!(
        "{received} messages, none lost, out of order or torn"
    ))
}

/// Whether interrupts came before every instruction of push and pop, but where they are masked.
fn covered(board: &Board) -> Result<String> {
    let program = Program::new(board.name, "inline");
    let seen = interrupted(&program.said()?)?;
    let mut all = 0;
    let mut closed = 0;
    for name in PROBED {
        let function = instructions::of(board.binutils, program.elf(), name)?;
        let masked = instructions::masked(&function);
        let missed: Vec<String> = function
            .iter()
            .filter(|one| !seen.contains(&one.address) && !masked.contains(&one.address))
            .map(|one| format!("{:8x} {}", one.address, one.text))
            .collect();
        ensure!(
            missed.is_empty(),
            "no interrupt came on {} in {name} before\n{}",
            board.name,
            missed.join("\n")
        );
        all += function.len();
        closed += masked.difference(&seen).count();
    }
    Ok(match closed {
        0 => format!("interrupted before each of the {all} instructions of push and pop"),
        _ => format!("interrupted before each of the {all} instructions of push and pop, save {closed} in a critical section"),
    })
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
        assert!(judge("inline", &said(0, 0))
            .unwrap()
            .starts_with("40 messages"));
        assert!(judge("inline", &said(1, 1)).is_err());
        assert!(judge("inline", &said(0, 124)).is_err());
        assert!(judge("broken", &said(1, 1))
            .unwrap()
            .starts_with("4 faults"));
        assert!(judge("broken", &said(0, 1)).is_err());
        assert!(judge("broken", &said(1, 0)).is_err());
    }

    #[test]
    fn interrupted_addresses_are_hexadecimal() {
        assert_eq!(
            interrupted(&said(0, 0)).unwrap(),
            BTreeSet::from([0x10a, 0x110])
        );
    }
}
