//! Reading the hot loops out of what `objdump --disassemble --demangle --no-show-raw-insn` writes.

use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// An instruction: its offset in the function, and its text with places as offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    pub offset: u64,
    pub text: String,
}

/// The instructions of a function's loops: those that can be reached from themselves, in the order in which they lie.
pub fn of(text: &str, function: &str) -> Result<Vec<Instruction>> {
    let all = instructions(text, function);
    let (&start, _) = all
        .first_key_value()
        .with_context(|| format!("there is no function {function}"))?;
    let following: BTreeMap<u64, Vec<u64>> = all
        .iter()
        .map(|(&address, code)| (address, successors(address, code, &all)))
        .collect();
    let looping = all
        .iter()
        .filter(|(&address, _)| returns(address, &following));
    Ok(looping
        .map(|(&address, code)| Instruction {
            offset: address - start,
            text: with_offsets(code, start),
        })
        .collect())
}

/// The instructions of a function by their addresses.
fn instructions<'a>(text: &'a str, function: &str) -> BTreeMap<u64, &'a str> {
    let header = format!("<{function}>:");
    let lines = text
        .lines()
        .skip_while(|line| !line.ends_with(&header))
        .skip(1);
    let body = lines.take_while(|line| line.starts_with(' '));
    body.filter_map(|line| {
        let (address, code) = line.split_once(':')?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let comment = code
            .find("//")
            .or_else(|| code.find(" # "))
            .unwrap_or(code.len());
        Some((address, code[..comment].trim()))
    })
    .collect()
}

/// Where an instruction may go on, within the function.
fn successors(address: u64, code: &str, all: &BTreeMap<u64, &str>) -> Vec<u64> {
    let name = mnemonic(code);
    let mut next = Vec::new();
    if is_branch(name) {
        next.extend(target(code).filter(|target| all.contains_key(target)));
    }
    let leaves = matches!(name, "jmp" | "b" | "ret" | "br" | "ud2" | "brk" | "udf");
    if !leaves {
        next.extend(all.range(address + 1..).next().map(|(&address, _)| address));
    }
    next
}

/// Whether control can come back to an address.
fn returns(address: u64, following: &BTreeMap<u64, Vec<u64>>) -> bool {
    let mut seen = Vec::new();
    let mut open = following[&address].clone();
    while let Some(next) = open.pop() {
        if next == address {
            return true;
        }
        if !seen.contains(&next) {
            seen.push(next);
            open.extend(&following[&next]);
        }
    }
    false
}

/// An instruction's name, without a prefix.
pub fn mnemonic(code: &str) -> &str {
    let mut words = code.split_whitespace();
    let first = words.next().unwrap_or_default();
    match first {
        "lock" | "cs" | "notrack" | "rep" => words.next().unwrap_or(first),
        _ => first,
    }
}

/// Jumps of x86-64, branches of AArch64; no calls.
fn is_branch(name: &str) -> bool {
    let arm = ["b", "cbz", "cbnz", "tbz", "tbnz"];
    name.starts_with('j') || arm.contains(&name) || name.starts_with("b.")
}

/// The address before the symbol in brackets that ends an instruction.
fn target(code: &str) -> Option<u64> {
    let (before, _) = code.strip_suffix('>')?.rsplit_once(" <")?;
    u64::from_str_radix(before.rsplit([' ', '\t', ',']).next()?, 16).ok()
}

/// The text with a branch's target as its offset and a call's as its name, so that it does not depend on where the program lies.
fn with_offsets(code: &str, start: u64) -> String {
    let text = match (target(code), code.rsplit_once(" <")) {
        (Some(address), Some((before, symbol))) => {
            let operands = before.trim_end_matches(|c: char| c.is_ascii_hexdigit());
            if is_branch(mnemonic(code)) {
                format!("{operands}{:+#x}", address as i64 - start as i64)
            } else {
                format!("{operands}<{symbol}")
            }
        }
        _ => code.to_owned(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether an instruction orders memory: locked ones, exchanges with memory and fences of x86-64; acquiring and releasing accesses and
/// barriers of AArch64. An `lfence` keeps loads in an order that x86-64 keeps anyway: a consumer's empty look ends in one, whatever the orderings are.
pub fn orders(code: &str) -> bool {
    const ARM: [&str; 7] = ["ldar", "ldapr", "ldaxr", "stlr", "stlxr", "dmb", "dsb"];
    let name = mnemonic(code);
    code.starts_with("lock")
        || matches!(name, "mfence" | "sfence")
        || (name.starts_with("xchg") && code.contains('('))
        || ARM.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: &str = "
0000000000025f20 <push_other>:
   25f20:\tlock incl 0x8(%rax)
   25f24:\tjmp    25f20 <push_other>

0000000000026000 <push_ring>:
   26000:\tpush   %rbp
   26001:\txchg   %al,0x18(%rdi)
   26004:\tcs nopw 0x0(%rax,%rax,1)
   26010:\tmov    %r12d,%eax
   26013:\tlea    0x2f(%rip),%rcx        # 26049 <push_ring+0x49>
   26016:\txchg   %rax,0x80(%rbx)
   2601d:\txchg   %ax,%ax
   2601f:\tcmp    %r14,%rbp
   26022:\tjne    26010 <push_ring+0x10>
   26024:\tje     26030 <push_ring+0x30>
   26026:\tret
   26030:\tcall   1f9f0 <orderings::look_again>
   26035:\tjmp    26010 <push_ring+0x10>

0000000000026040 <other>:
   26040:\tmfence
";

    const ARM: &str = "
000000000001af50 <pop_ring>:
   1af50:\tstp\tx29, x30, [sp, #-80]!
   1af54:\tldar\tw9, [x19]
   1af58:\tldar\tx8, [x8]
   1af5c:\tmov\tw8, #0x4d47                \t// #19783
   1af60:\tdmb\tishld
   1af64:\tcbz\tw8, 1af58 <pop_ring+0x8>
   1af68:\tbl\t4f78 <orderings::look_again>
   1af6c:\ttbnz\tw8, #0, 1af58 <pop_ring+0x8>
   1af70:\tstlr\tx21, [x9]
   1af74:\tb\t1af70 <pop_ring+0x20>
   1af78:\tstlrb\twzr, [x8]
   1af7c:\tret
";

    fn texts(instructions: &[Instruction]) -> Vec<&str> {
        instructions.iter().map(|each| each.text.as_str()).collect()
    }

    #[test]
    fn a_loop_is_what_can_be_reached_from_itself() {
        let found = of(X86, "push_ring").unwrap();
        assert_eq!(
            texts(&found),
            [
                "mov %r12d,%eax",
                "lea 0x2f(%rip),%rcx",
                "xchg %rax,0x80(%rbx)",
                "xchg %ax,%ax",
                "cmp %r14,%rbp",
                "jne +0x10",
                "je +0x30",
                "call <orderings::look_again>",
                "jmp +0x10",
            ]
        );
        assert_eq!(found[0].offset, 0x10);
        let found = of(ARM, "pop_ring").unwrap();
        assert_eq!(found.first().unwrap().text, "ldar x8, [x8]");
        assert_eq!(
            found.last().unwrap().text,
            "b +0x20",
            "neither what comes before nor what comes after"
        );
        assert_eq!(found.len(), 8);
        assert!(texts(&found).contains(&"tbnz w8, #0, +0x8"));
        assert!(of(X86, "nonesuch").is_err());
    }

    #[test]
    fn what_orders_is_told_from_what_does_not() {
        for code in [
            "xchg %rax,0x80(%rbx)",
            "lock incl 0x8(%rax)",
            "mfence",
            "ldar x8, [x8]",
            "ldarb w8, [x8]",
            "stlr x1, [x9]",
            "dmb ish",
            "ldapr x1, [x2]",
        ] {
            assert!(orders(code), "{code}");
        }
        for code in [
            "xchg %ax,%ax",
            "mov %rax,(%rbx)",
            "ldr x8, [x8]",
            "str x1, [x9]",
            "cs nopw 0x0(%rax,%rax,1)",
            "prefetchw (%rax)",
            "lfence",
        ] {
            assert!(!orders(code), "{code}");
        }
    }
}
