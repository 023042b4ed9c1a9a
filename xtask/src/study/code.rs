//! What the study of the code needs: the loops of `bench/cxx/study/code.cpp`, by each compiler, counted in a disassembly.

use super::loops;
use crate::programs::{Code, Programs};
use crate::{packages, peers, project, shell};
use anyhow::{ensure, Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILERS: [&str; 2] = ["g++", "clang++-22"];
/// As the kernels of the comparison are compiled.
const FLAGS: [&str; 4] = ["-std=c++17", "-O3", "-DNDEBUG", "-fPIC"];
/// Ours by their names in the source, and the others by theirs in `peers.json`.
const OWN: [&str; 2] = ["line", "ring"];
const PEERS: [&str; 3] = ["rigtorp", "boost", "moodycamel"];
const MESSAGES: [u32; 2] = [8, 48];
const ENDS: [&str; 2] = ["push", "pop"];

/// Compiles, disassembles and counts; the file that says what was found.
pub fn prepare() -> Result<PathBuf> {
    packages::ensure(packages::CODE)?;
    let peers: Value = serde_json::from_str(&std::fs::read_to_string(peers::fetch(None)?)?)?;
    let (found, missing): (Vec<_>, Vec<_>) = PEERS
        .into_iter()
        .map(|id| (id, entry(&peers, id)))
        .partition(|(_, entry)| entry.is_some_and(|entry| entry["found"] == true));
    let directory = project::target_dir().join("study").join("code");
    std::fs::create_dir_all(&directory)?;
    let mut programs = Programs {
        missing: missing
            .iter()
            .map(|(id, _)| format!("{id} was not found: its code is not counted."))
            .collect(),
        ..Programs::default()
    };
    for compiler in COMPILERS {
        let object = directory.join(format!("{compiler}.o"));
        compile(compiler, &found, &object)?;
        let text = disassembly(&object, &["--no-show-raw-insn"])?;
        let raw = disassembly(&object, &["--insn-width=16"])?;
        let queues = OWN.into_iter().chain(found.iter().map(|(id, _)| *id));
        for queue in queues {
            for message in MESSAGES {
                for end in ENDS {
                    let function = format!("{end}_{queue}_{message}");
                    let (instructions, bytes) = count(&text, &raw, &function)?;
                    programs.code.push(Code {
                        compiler: compiler.to_owned(),
                        queue: name(queue),
                        end: end.to_owned(),
                        message,
                        instructions,
                        bytes,
                    });
                }
            }
        }
    }
    let file = directory.join("code.json");
    std::fs::write(&file, serde_json::to_string_pretty(&programs)?)?;
    Ok(file)
}

/// The queue's name in the comparison.
fn name(queue: &str) -> String {
    if OWN.contains(&queue) {
        format!("{queue}-cpp")
    } else {
        queue.to_owned()
    }
}

fn entry<'a>(peers: &'a Value, id: &str) -> Option<&'a Value> {
    peers.as_array()?.iter().find(|peer| peer["id"] == id)
}

fn compile(compiler: &str, peers: &[(&str, Option<&Value>)], object: &Path) -> Result<()> {
    let root = project::root();
    let mut command = Command::new(compiler);
    command.args(FLAGS).arg("-I").arg(root.join("include"));
    for (id, entry) in peers {
        command.arg(format!("-DGIMMAL_BENCH_{}", id.to_uppercase()));
        if let Some(directory) = entry.and_then(|entry| entry["include"].as_str()) {
            command.arg("-isystem").arg(directory);
        }
    }
    command
        .arg("-c")
        .arg(root.join("bench/cxx/study/code.cpp"))
        .arg("-o")
        .arg(object);
    shell::capture(&mut command).map(drop)
}

fn disassembly(object: &Path, options: &[&str]) -> Result<String> {
    let mut command = Command::new("objdump");
    command
        .args(["--disassemble", "--demangle"])
        .args(options)
        .arg(object);
    shell::capture(&mut command)
}

/// The instructions of a function's loops and their bytes.
fn count(text: &str, raw: &str, function: &str) -> Result<(usize, u64)> {
    let code = loops::of(text, function)?;
    ensure!(!code.is_empty(), "{function} has no loop");
    let lengths = lengths(raw, function);
    let mut bytes = 0;
    for each in &code {
        bytes += lengths
            .get(&each.offset)
            .with_context(|| format!("{function}: nothing at {:#x}", each.offset))?;
    }
    Ok((code.len(), bytes))
}

/// The length of each instruction of a function, by its offset, in a disassembly that shows the bytes.
fn lengths(raw: &str, function: &str) -> BTreeMap<u64, u64> {
    let header = format!("<{function}>:");
    let lines = raw
        .lines()
        .skip_while(|line| !line.ends_with(&header))
        .skip(1);
    let mut start = None;
    let body = lines.take_while(|line| line.starts_with(' '));
    body.filter_map(|line| {
        let (address, rest) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let bytes = rest.split('\t').next()?.split_whitespace().count();
        Some((address - *start.get_or_insert(address), bytes as u64))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
0000000000000010 <push_ring_8>:
  10:\txor    %eax,%eax
  12:\tmov    %rdx,(%rdi,%rax,8)
  16:\tadd    $0x1,%rax
  1a:\tcmp    %rsi,%rax
  1d:\tjne    12 <push_ring_8+0x2>
  1f:\tret
";
    const RAW: &str = "
0000000000000010 <push_ring_8>:
  10:\t31 c0                   \txor    %eax,%eax
  12:\t48 89 14 c7             \tmov    %rdx,(%rdi,%rax,8)
  16:\t48 83 c0 01             \tadd    $0x1,%rax
  1a:\t48 39 f0                \tcmp    %rsi,%rax
  1d:\t75 f3                   \tjne    12 <push_ring_8+0x2>
  1f:\tc3                      \tret
";

    #[test]
    fn only_what_loops_is_counted() {
        assert_eq!(count(TEXT, RAW, "push_ring_8").unwrap(), (4, 13));
        assert!(count(TEXT, RAW, "pop_ring_8").is_err());
        assert!(
            count(TEXT, "", "push_ring_8").is_err(),
            "no lengths are no zeros"
        );
    }

    #[test]
    fn every_name_is_one_of_the_comparison_s() {
        let names = [name("line"), name("ring"), name("boost")];
        assert_eq!(names, ["line-cpp", "ring-cpp", "boost"]);
    }
}
