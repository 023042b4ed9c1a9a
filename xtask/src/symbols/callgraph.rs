//! Which functions an exported function can reach.

use super::objdump::{Function, Object, Reference};
use anyhow::{Context, Result};
use std::collections::{HashMap, HashSet, VecDeque};

/// A function by its object, section and start.
type Node<'a> = (usize, &'a str, u64);

/// The calls, jumps and code pointers among the functions of an archive.
pub struct CallGraph<'a> {
    objects: &'a [Object],
    /// Defined symbols that other objects may name.
    globals: HashMap<&'a str, (usize, &'a str, u64)>,
    /// The defined symbols of each object.
    locals: Vec<HashMap<&'a str, (&'a str, u64)>>,
}

/// What a reference leads to.
enum Target<'a> {
    Code(Node<'a>),
    /// Outside the archive.
    External(&'a str),
    Data,
}

/// How a fault ends that is a call which cannot be followed.
pub const THROUGH_A_POINTER: &str = "calls through a pointer";

impl<'a> CallGraph<'a> {
    pub fn new(objects: &'a [Object]) -> Self {
        let mut globals = HashMap::new();
        let mut locals = Vec::new();
        for (index, object) in objects.iter().enumerate() {
            let defined = object.symbols.iter().filter(|symbol| symbol.is_defined());
            let places = defined.clone().map(|symbol| {
                (
                    symbol.name.as_str(),
                    (symbol.section.as_str(), symbol.address),
                )
            });
            locals.push(places.collect());
            for symbol in defined.filter(|symbol| symbol.global) {
                globals.insert(
                    symbol.name.as_str(),
                    (index, symbol.section.as_str(), symbol.address),
                );
            }
        }
        Self {
            objects,
            globals,
            locals,
        }
    }

    /// What `root` can reach that it must not: a panic, or a call that cannot be followed. Each is told by its way.
    pub fn faults(&self, root: &str) -> Result<Vec<String>> {
        let &(object, section, address) = self.globals.get(root).context("no such symbol")?;
        let start = self
            .code(object, section, address)
            .context("no function there")?;
        let mut faults = Vec::new();
        let mut seen = HashSet::from([start]);
        let mut queue = VecDeque::from([(start, vec![root])]);
        while let Some((node, way)) = queue.pop_front() {
            let function = self.function(node);
            if function.indirect_calls > 0 {
                faults.push(format!("{} {THROUGH_A_POINTER}", tell(&way)));
            }
            for reference in &function.references {
                match self.resolve(node, reference) {
                    Target::Code(next) if seen.insert(next) => {
                        let name = self.function(next).name.as_str();
                        let way = [way.as_slice(), &[name]].concat();
                        if is_panic(name) {
                            faults.push(format!("{} can panic", tell(&way)));
                        } else {
                            queue.push_back((next, way));
                        }
                    }
                    Target::External(name) if is_panic(name) => {
                        faults.push(format!(
                            "{} can panic",
                            tell(&[way.as_slice(), &[name]].concat())
                        ));
                    }
                    _ => {}
                }
            }
        }
        Ok(faults)
    }

    fn function(&self, (object, section, start): Node<'a>) -> &'a Function {
        &self.objects[object].sections[section][&start]
    }

    /// The function that holds an address, if that is code.
    fn code(&self, object: usize, section: &str, address: u64) -> Option<Node<'a>> {
        let (section, functions) = self.objects[object].sections.get_key_value(section)?;
        let (start, _) = functions.range(..=address).next_back()?;
        Some((object, section, *start))
    }

    fn resolve(&self, (object, section, _): Node<'a>, reference: &'a Reference) -> Target<'a> {
        let (name, offset) = match reference {
            Reference::Address(address) => return self.target(object, section, *address),
            Reference::Symbol(name, offset) => (name.as_str(), *offset),
        };
        let at = |address: u64| address.wrapping_add_signed(offset);
        if self.objects[object].sections.contains_key(name) {
            self.target(object, name, at(0))
        } else if let Some(&(section, address)) = self.locals[object].get(name) {
            self.target(object, section, at(address))
        } else if let Some(&(object, section, address)) = self.globals.get(name) {
            self.target(object, section, at(address))
        } else {
            Target::External(name)
        }
    }

    fn target(&self, object: usize, section: &str, address: u64) -> Target<'a> {
        self.code(object, section, address)
            .map_or(Target::Data, Target::Code)
    }
}

/// All of Rust's panics end in functions of these names, and ours in the hook.
fn is_panic(name: &str) -> bool {
    name.contains("panic") || name.contains("rust_begin_unwind")
}

/// A symbol's name as the source has it.
pub fn readable(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

fn tell(way: &[&str]) -> String {
    way.iter()
        .map(|name| readable(name))
        .collect::<Vec<_>>()
        .join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::super::objdump::parse;
    use super::*;

    /// `safe` copies; `direct`, `nested` and `tail` reach a panic; `blind` calls through a pointer; `hook` leaves.
    const ARCHIVE: &str = "a.o:     file format elf64-x86-64\n\
        0000000000000000 g     F .text.safe\t0000000000000006 safe\n\
        0000000000000000 g     F .text.direct\t0000000000000006 direct\n\
        0000000000000000 g     F .text.nested\t0000000000000006 nested\n\
        0000000000000000 g     F .text.blind\t0000000000000006 blind\n\
        0000000000000000 g     F .text.many\t0000000000000006 tail\n\
        0000000000000010 l     F .text.many\t0000000000000006 inner\n\
        0000000000000000 g     F .text.hook\t0000000000000006 hook\n\
        0000000000000000 g     O .data\t0000000000000006 table\n\
        0000000000000000         *UND*\t0000000000000000 other\n\
        Disassembly of section .text.safe:\n\
        0000000000000000 <safe>:\n   \
           0:\tjmp    *0x0(%rip)        # 6 <x>\t2: R_X86_64_GOTPCREL\tmemcpy-0x4\n\
        Disassembly of section .text.direct:\n\
        0000000000000000 <direct>:\n   \
           0:\tcall   5 <x>\t1: R_X86_64_PLT32\t.text.unlikely-0x4\n\
        Disassembly of section .text.nested:\n\
        0000000000000000 <nested>:\n   \
           0:\tcall   5 <x>\t1: R_X86_64_PLT32\tother-0x4\n\
        Disassembly of section .text.blind:\n\
        0000000000000000 <blind>:\n   \
           0:\tcall   *%rax\n\
        Disassembly of section .text.many:\n\
        0000000000000000 <tail>:\n   \
           0:\tjmp    14 <inner+0x4>\n\
        0000000000000010 <inner>:\n  \
          14:\tlea    0x0(%rip),%rax\t17: R_X86_64_PC32\t.text.unlikely-0x4\n\
        Disassembly of section .text.hook:\n\
        0000000000000000 <hook>:\n   \
           0:\tcall   5 <x>\t1: R_X86_64_PLT32\tgimmal_panic-0x4\n\
        Disassembly of section .text.unlikely:\n\
        0000000000000000 <_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt>:\n   \
           0:\tud2\n\
        b.o:     file format elf64-x86-64\n\
        0000000000000000 g     F .text.other\t0000000000000006 other\n\
        Disassembly of section .text.other:\n\
        0000000000000000 <other>:\n   \
           0:\tcall   5 <x>\t1: R_X86_64_PLT32\tdirect-0x4\n";

    fn faults(root: &str) -> Vec<String> {
        let objects = parse(ARCHIVE).unwrap();
        CallGraph::new(&objects).faults(root).unwrap()
    }

    #[test]
    fn a_copy_reaches_no_panic() {
        assert_eq!(faults("safe"), [""; 0]);
    }

    #[test]
    fn a_panic_is_found_by_every_way() {
        assert_eq!(
            faults("direct"),
            ["direct -> core::panicking::panic_fmt can panic"]
        );
        assert_eq!(
            faults("nested"),
            ["nested -> other -> direct -> core::panicking::panic_fmt can panic"]
        );
        assert_eq!(
            faults("tail"),
            ["tail -> inner -> core::panicking::panic_fmt can panic"]
        );
        assert_eq!(faults("hook"), ["hook -> gimmal_panic can panic"]);
    }

    #[test]
    fn a_call_that_cannot_be_followed_is_told() {
        assert_eq!(faults("blind"), ["blind calls through a pointer"]);
    }

    #[test]
    fn a_root_must_be_a_function() {
        let objects = parse(ARCHIVE).unwrap();
        let graph = CallGraph::new(&objects);
        assert!(graph.faults("absent").is_err());
        assert!(graph.faults("table").is_err());
    }
}
