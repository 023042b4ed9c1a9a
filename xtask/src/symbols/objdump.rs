//! Reading what `objdump --syms --disassemble --reloc --wide --no-show-raw-insn` writes.

use anyhow::{ensure, Context, Result};
use std::collections::{BTreeMap, HashMap};

/// One object file of an archive.
#[derive(Default)]
pub struct Object {
    pub name: String,
    pub symbols: Vec<Symbol>,
    pub sections: HashMap<String, Section>,
}

/// A line of the symbol table.
#[derive(Debug, PartialEq)]
pub struct Symbol {
    pub name: String,
    pub global: bool,
    pub section: String,
    pub address: u64,
}

impl Symbol {
    pub fn is_defined(&self) -> bool {
        self.section != "*UND*"
    }
}

/// The functions of a section by where they start.
pub type Section = BTreeMap<u64, Function>;

#[derive(Default)]
pub struct Function {
    pub name: String,
    pub references: Vec<Reference>,
    /// Calls whose target only the processor learns.
    pub indirect_calls: usize,
}

/// A place that an instruction names.
#[derive(Debug, PartialEq)]
pub enum Reference {
    /// In the same section.
    Address(u64),
    /// By relocation: a symbol or section, and the offset from it.
    Symbol(String, i64),
}

/// Reads the whole output.
pub fn parse(text: &str) -> Result<Vec<Object>> {
    let mut objects: Vec<Object> = Vec::new();
    let mut section = String::new();
    let mut function = 0;
    for line in text.lines() {
        if let Some((name, _)) = line.split_once(":     file format ") {
            objects.push(Object {
                name: name.into(),
                ..Object::default()
            });
            continue;
        }
        let Some(object) = objects.last_mut() else {
            continue;
        };
        if let Some(name) = line.strip_prefix("Disassembly of section ") {
            section = name.trim_end_matches(':').into();
        } else if let Some((address, name)) = header(line) {
            let new = Function {
                name: name.into(),
                ..Function::default()
            };
            object
                .sections
                .entry(section.clone())
                .or_default()
                .insert(address, new);
            function = address;
        } else if line.starts_with(' ') {
            let functions = object.sections.get_mut(&section);
            let function = functions.and_then(|functions| functions.get_mut(&function));
            instruction(
                line,
                function.with_context(|| format!("an instruction of no function: {line}"))?,
            );
        } else if let Some(symbol) = symbol(line) {
            object.symbols.push(symbol);
        }
    }
    ensure!(!objects.is_empty(), "objdump named no object");
    Ok(objects)
}

/// `0000000000000000 <name>:`
fn header(line: &str) -> Option<(u64, &str)> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    Some((u64::from_str_radix(address, 16).ok()?, name))
}

/// `VALUE FLAGS SECTION<tab>SIZE [VISIBILITY] NAME`, where FLAGS are seven characters, blanks among them.
fn symbol(line: &str) -> Option<Symbol> {
    let (start, end) = line.split_once('\t')?;
    let (address, rest) = start.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (flags, section) = rest.split_at_checked(7)?;
    let global = flags.starts_with(['g', 'u', '!']) || flags[1..].starts_with('w');
    let name = end.split_whitespace().last()?.into();
    Some(Symbol {
        name,
        global,
        section: section.trim().into(),
        address,
    })
}

/// `  ADDRESS:<tab>MNEMONIC OPERANDS[<tab>ADDRESS: TYPE<tab>TARGET]...`
fn instruction(line: &str, function: &mut Function) {
    let mut fields = line.split('\t').skip(1);
    let Some(code) = fields.next() else { return };
    let relocations: Vec<&str> = fields.collect();
    for pair in relocations.chunks_exact(2) {
        function.references.push(relocation(pair[0], pair[1]));
    }
    if !relocations.is_empty() {
        return;
    }
    let (mnemonic, operands) = code
        .trim()
        .split_once(char::is_whitespace)
        .unwrap_or((code.trim(), ""));
    if (mnemonic.starts_with("call") && operands.trim_start().starts_with('*')) || mnemonic == "blr"
    {
        function.indirect_calls += 1;
    } else if let Some(address) = place(operands) {
        function.references.push(Reference::Address(address));
    }
}

/// The address before the last `<symbol>` of an operand or its comment.
fn place(operands: &str) -> Option<u64> {
    let (before, _) = operands.rsplit_once(" <")?;
    u64::from_str_radix(before.rsplit([' ', ',']).next()?, 16).ok()
}

/// The offset of a relocation that is relative to the place counts, on x86-64, from the end of its four bytes.
fn relocation(kind: &str, target: &str) -> Reference {
    let split = target.rfind(['+', '-']).map(|at| target.split_at(at));
    let (name, offset) = split
        .and_then(|(name, offset)| Some((name, hexadecimal(offset)?)))
        .unwrap_or((target, 0));
    let relative = ["R_X86_64_PC32", "R_X86_64_PLT32", "R_X86_64_GOTPC"]
        .iter()
        .any(|start| kind.contains(start));
    Reference::Symbol(name.into(), if relative { offset + 4 } else { offset })
}

/// `+0x1c` or `-0x4`
fn hexadecimal(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let value = i64::from_str_radix(text[1..].strip_prefix("0x")?, 16).ok()?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_with_every_kind_of_flag() {
        let line = "0000000000000000 g     F .text.push\t0000000000000005 gimmal_ring_push";
        let push = Symbol {
            name: "gimmal_ring_push".into(),
            global: true,
            section: ".text.push".into(),
            address: 0,
        };
        assert_eq!(symbol(line), Some(push));
        let weak = symbol("0000000000000010  w      .text\t0000000000000000 gimmal_panic").unwrap();
        assert!(weak.global && weak.is_defined() && weak.address == 0x10);
        let hidden =
            symbol("0000000000000000 g     O .bss\t0000000000000008 .hidden inner").unwrap();
        assert!(hidden.global && hidden.name == "inner");
        let local = symbol("0000000000000000 l     F .text.a\t0000000000000013 a").unwrap();
        assert!(!local.global);
        let wanted = symbol("0000000000000000         *UND*\t0000000000000000 memcpy").unwrap();
        assert!(!wanted.global && !wanted.is_defined());
    }

    fn references(line: &str) -> (Vec<Reference>, usize) {
        let mut function = Function::default();
        instruction(line, &mut function);
        (function.references, function.indirect_calls)
    }

    #[test]
    fn what_an_instruction_refers_to() {
        let by_symbol = |name: &str, offset| (vec![Reference::Symbol(name.into(), offset)], 0);
        let relocated = "   e:\tcall   13 <other+0x7>\tf: R_X86_64_PLT32\t.text.helper-0x4";
        assert_eq!(references(relocated), by_symbol(".text.helper", 0));
        let through_table =
            "   0:\tjmp    *0x0(%rip)        # 6 <x>\t2: R_X86_64_GOTPCREL\tmemcpy-0x4";
        assert_eq!(references(through_table), by_symbol("memcpy", 0));
        let arm = "  10:\tbl\t0 <panic>\t10: R_AARCH64_CALL26\t.text.a+0x1c";
        assert_eq!(references(arm).1, 0);
        let near = "   3:\tjae    a <f+0xa>";
        assert_eq!(references(near), (vec![Reference::Address(0xa)], 0));
        let pointer = "   3:\tlea    -0xa(%rip),%rax        # 20 <g>";
        assert_eq!(references(pointer), (vec![Reference::Address(0x20)], 0));
        assert_eq!(references("   3:\tcall   *%rax"), (vec![], 1));
        assert_eq!(references("   3:\tmov    %rdi,%rax"), (vec![], 0));
    }

    #[test]
    fn functions_belong_to_their_object_and_section() {
        let text = "a.o:     file format elf64-x86-64\n\nDisassembly of section .text.f:\n\n\
                    0000000000000000 <f>:\n   0:\tret\n0000000000000010 <g>:\n  10:\tcall   *%rax\n\
                    b.o:     file format elf64-x86-64\n";
        let objects = parse(text).unwrap();
        let functions = &objects[0].sections[".text.f"];
        let names: Vec<&str> = functions
            .values()
            .map(|function| function.name.as_str())
            .collect();
        assert_eq!(names, ["f", "g"]);
        assert_eq!(functions[&0x10].indirect_calls, 1);
        assert_eq!(objects[1].name, "b.o");
        assert!(parse("nothing").is_err());
    }
}
