//! The instructions of a function, as objdump shows them, and which of them no interrupt can come before.

use crate::shell;
use anyhow::{ensure, Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// One instruction.
#[derive(Debug, PartialEq)]
pub struct Instruction {
    pub address: u64,
    /// Mnemonic and operands.
    pub text: String,
}

/// The instructions of a function in a program.
pub fn of(binutils: &str, program: &Path, function: &str) -> Result<Vec<Instruction>> {
    let mut nm = Command::new(format!("{binutils}-nm"));
    let symbols = shell::capture(nm.arg("--print-size").arg(program))?;
    let (start, size) = find(&symbols, function)
        .with_context(|| format!("no function {function} in {}", program.display()))?;
    let mut objdump = Command::new(format!("{binutils}-objdump"));
    objdump.args(["--disassemble", "--no-show-raw-insn", "--wide"]);
    objdump
        .arg(format!("--start-address={start:#x}"))
        .arg(format!("--stop-address={:#x}", start + size));
    let listing = parse(&shell::capture(objdump.arg(program))?);
    ensure!(!listing.is_empty(), "{function} has no instructions");
    Ok(listing)
}

/// The bytes of a function.
pub fn size(binutils: &str, program: &Path, function: &str) -> Result<u64> {
    let mut nm = Command::new(format!("{binutils}-nm"));
    let symbols = shell::capture(nm.arg("--print-size").arg(program))?;
    let found = find(&symbols, function);
    let (_, size) =
        found.with_context(|| format!("no function {function} in {}", program.display()))?;
    Ok(size)
}

/// Where a function begins, and its bytes.
fn find(symbols: &str, function: &str) -> Option<(u64, u64)> {
    symbols.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[start, size, "T" | "t", name] = words.as_slice() else {
            return None;
        };
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        (name == function).then_some((number(start)? & !1, number(size)?))
    })
}

/// Every line that is an instruction: constants among the code are none.
fn parse(text: &str) -> Vec<Instruction> {
    let instruction = |line: &str| {
        let (address, text) = line.trim_start().split_once(":\t")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.starts_with('.')).then_some(Instruction { address, text })
    };
    text.lines().filter_map(instruction).collect()
}

/// The addresses in a function that run with interrupts masked: from the return of the call that enters the critical
/// section to the call that leaves it.
pub fn masked(function: &[Instruction]) -> BTreeSet<u64> {
    let mut masked = BTreeSet::new();
    let mut open: Vec<usize> = (0..function.len())
        .filter(|at| {
            function[*at]
                .text
                .contains("<_critical_section_1_0_acquire>")
        })
        .map(|at| at + 1)
        .collect();
    while let Some(at) = open.pop() {
        let Some(Instruction { address, text }) = function.get(at) else {
            continue;
        };
        if !masked.insert(*address) || text.contains("<_critical_section_1_0_release>") {
            continue;
        }
        let (falls_through, target) = branch(text);
        if falls_through {
            open.push(at + 1);
        }
        open.extend(
            function
                .iter()
                .position(|other| Some(other.address) == target),
        );
    }
    masked
}

/// Whether an instruction may be followed by the next, and where it may branch to in the same function.
fn branch(text: &str) -> (bool, Option<u64>) {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let base = mnemonic.trim_end_matches(".n").trim_end_matches(".w");
    let branches = base.starts_with('b') || base.starts_with("cb") || base == "j";
    let calls = matches!(base, "bl" | "blx" | "bic" | "bics" | "bfi" | "bfc");
    if !branches || calls {
        return (true, None);
    }
    let digits = operands.split(" <").next().unwrap_or_default();
    let digits = digits.rsplit([' ', ',']).next().unwrap_or_default();
    let always = matches!(base, "b" | "bx" | "j");
    (!always, u64::from_str_radix(digits, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
00000100 <push>:
     100:\tbl\t200 <_critical_section_1_0_acquire>
     104:\tldr\tr3, [r4, #36]\t@ 0x24
     106:\tcmp\tr3, r5
     108:\tbne.n\t110 <push+0x10>
     10a:\tstr\tr6, [r4, #36]\t@ 0x24
     10c:\tb.n\t112 <push+0x12>
     10e:\tmovs\tr0, #3
     110:\tmovs\tr0, #0
     112:\tbl\t220 <_critical_section_1_0_release>
     116:\tbx\tlr
     118:\t.word\t0x20000000
";

    #[test]
    fn constants_are_no_instructions() {
        let function = parse(LISTING);
        assert_eq!(function.len(), 10);
        assert_eq!(function[1].text, "ldr r3, [r4, #36] @ 0x24");
    }

    #[test]
    fn what_is_masked_follows_the_branches() {
        let masked = masked(&parse(LISTING));
        let expected = [0x104, 0x106, 0x108, 0x10a, 0x10c, 0x110, 0x112];
        assert_eq!(masked, BTreeSet::from(expected));
    }

    #[test]
    fn branches_of_both_architectures_are_read() {
        assert_eq!(
            branch("beq s1,s9,80000198 <push+0xa6>"),
            (true, Some(0x8000_0198))
        );
        assert_eq!(branch("j 80000198 <push+0xa6>"), (false, Some(0x8000_0198)));
        assert_eq!(branch("cbz r0, 1a2 <push+0x2>"), (true, Some(0x1a2)));
        assert_eq!(branch("bics r0, r1"), (true, None));
        assert!(!branch("bx lr").0);
    }

    #[test]
    fn a_function_is_found_by_its_whole_name() {
        let symbols =
            "00000089 00000064 T ring_push_all\n00000101 00000018 T ring_push\n         U abort\n";
        assert_eq!(find(symbols, "ring_push"), Some((0x100, 0x18)));
        assert_eq!(find(symbols, "ring"), None);
    }
}
