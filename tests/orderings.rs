//! `docs/ORDERING.md` has a row for every ordering of the source, each row names tests that are there, and the headers have the orderings of
//! the core.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const STRONG: [&str; 4] = ["Acquire", "Release", "AcqRel", "SeqCst"];

/// For each file, its constants and how many other places there are.
type Orderings = BTreeMap<String, (Vec<String>, usize)>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: PathBuf, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn is_strong(line: &str) -> bool {
    STRONG
        .iter()
        .any(|order| line.contains(&format!("Ordering::{order}")))
}

/// A file but for the study's variants and the controls, and tests.
fn source(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let (before, lab) = text.split_once("pub mod lab {").unwrap_or((&text, ""));
    let after = lab.split_once("\n}\n").map_or("", |(_, after)| after);
    let text = before.to_owned() + after;
    text.split("#[cfg(test)]").next().unwrap().to_owned()
}

fn in_source() -> Orderings {
    let mut files = Vec::new();
    for folder in ["src/raw", "src/wait", "src/sync", "shm/src"] {
        sources(root().join(folder), &mut files);
    }
    let mut found = Orderings::new();
    for path in files {
        let text = source(&path);
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        for line in text.lines().filter(|line| is_strong(line)) {
            let line = line.trim();
            if line.starts_with("//") {
                continue;
            }
            let (names, places) = found.entry(name.clone()).or_default();
            match line.strip_prefix("const ") {
                Some(rest) => names.push(rest.split(':').next().unwrap().to_owned()),
                None => *places += 1,
            }
        }
    }
    found
}

/// The cells of the rows of the table below a heading.
fn table<const COLUMNS: usize>(heading: &str) -> Vec<[String; COLUMNS]> {
    let text = fs::read_to_string(root().join("docs/ORDERING.md")).unwrap();
    let (_, section) = text.split_once(heading).unwrap();
    let table = section.lines().skip_while(|line| !line.starts_with("|---"));
    table
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            <[&str; COLUMNS]>::try_from(cells)
                .unwrap()
                .map(str::to_owned)
        })
        .collect()
}

fn rows() -> Vec<[String; 3]> {
    table("### Every ordering")
}

/// The headers' text, by their names, but for what a compiler is told of the orderings.
fn headers() -> BTreeMap<String, String> {
    const MEANINGS: [&str; 3] = ["compiler.h", "msvc.h", "edges.h"];
    let include = root().join("include");
    let parts = fs::read_dir(include.join("gimmal")).unwrap();
    let parts = parts.map(|part| part.unwrap().path());
    let files = parts.chain([include.join("gimmal_inline.h"), include.join("gimmal.hpp")]);
    files
        .filter(|path| !MEANINGS.iter().any(|name| path.ends_with(name)))
        .map(|path| {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// By ordering and header, how often it is used there.
type Uses = BTreeMap<(String, String), usize>;

/// Names that begin with `prefix`, without it, by the header where they stand.
fn uses_of(prefix: &str) -> Uses {
    let mut uses = Uses::new();
    for (file, text) in headers() {
        for after in text.split(prefix).skip(1) {
            let end = after.find(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
            let name = after[..end.unwrap()].to_owned();
            *uses.entry((name, file.clone())).or_default() += 1;
        }
    }
    uses
}

#[test]
fn every_ordering_has_a_row() {
    let mut in_table = Orderings::new();
    for [ordering, file, _] in rows() {
        let (names, places) = in_table
            .entry(file.trim_matches('`').to_owned())
            .or_default();
        match ordering.rsplit_once(", ") {
            Some((_, count)) => *places += count.parse::<usize>().unwrap(),
            None => names.push(ordering),
        }
    }
    assert_eq!(in_source(), in_table);
}

#[test]
fn every_row_names_tests_that_are_there() {
    for [ordering, file, caught] in rows() {
        let mut parts = caught.split('`').skip(1);
        let mut tests = 0;
        while let (Some(path), Some(name)) = (parts.next(), parts.next()) {
            let name = name.trim().split([',', ';', ' ']).next().unwrap();
            let text = fs::read_to_string(root().join(path)).unwrap();
            assert!(text.contains(&format!("fn {name}()")), "{path} {name}");
            tests += 1;
        }
        assert!(tests > 0, "nothing catches {ordering} of {file}");
    }
}

#[test]
fn the_headers_use_each_ordering_where_the_table_says() {
    let mut in_table = Uses::new();
    for [ordering, places] in table::<2>("### In C and C++") {
        for place in places.split(", ") {
            let (file, count) = place.rsplit_once(' ').unwrap();
            let key = (ordering.clone(), file.trim_matches('`').to_owned());
            in_table.insert(key, count.parse().unwrap());
        }
    }
    assert_eq!(uses_of("GIMMAL_ORDER_"), in_table);
}

#[test]
fn orderings_without_a_name_are_those_that_are_told_of() {
    let mut unnamed = uses_of("GIMMAL_");
    let strong = ["ACQUIRE", "RELEASE", "ACQUIRE_RELEASE", "SEQ_CST"];
    unnamed.retain(|(name, _), _| strong.contains(&name.as_str()));
    let told = [
        ("ACQUIRE", "swap.h", 1),
        ("RELEASE", "mapped.h", 2),
        ("RELEASE", "swap.h", 1),
        // Two fences, and what binds the compiler alone, which the processor need not know.
        ("SEQ_CST", "bell.h", 2 + 1),
        ("SEQ_CST", "wait.hpp", 1),
    ];
    let told = told.map(|(name, file, count)| {
        let file = format!("include/gimmal/{file}");
        ((name.to_owned(), file), count)
    });
    assert_eq!(unnamed, Uses::from(told));
    for (file, text) in headers() {
        let has_own = text.contains("__ATOMIC_") || text.contains("memory_order");
        assert!(!has_own, "{file} has orderings of its own");
    }
}

#[test]
fn the_headers_edges_are_ordered_as_the_core_s() {
    let mut core = BTreeMap::new();
    for file in ["src/raw/edges.rs", "src/raw/pool/mod.rs"] {
        for line in source(&root().join(file)).lines().map(str::trim) {
            let constant = line.strip_prefix("const ").and_then(|rest| {
                rest.strip_suffix(';')?
                    .split_once(": Ordering = Ordering::")
            });
            if let Some((name, order)) = constant {
                let order = format!("GIMMAL_{}", order.to_uppercase());
                let twice = core.insert(name.to_owned(), order.clone());
                assert!(twice.is_none_or(|other| other == order), "{name}");
            }
        }
    }
    // Both sides of a claim in one step.
    core.insert("RELAY".into(), "GIMMAL_ACQUIRE_RELEASE".into());
    let text = fs::read_to_string(root().join("include/gimmal/edges.h")).unwrap();
    let mut names = 0;
    for definition in text.split("#define GIMMAL_ORDER_").skip(1) {
        let line = definition.lines().next().unwrap();
        let (name, order) = line.split_once(' ').unwrap();
        assert_eq!(core.get(name).map(String::as_str), Some(order), "{name}");
        names += 1;
    }
    assert_eq!(names, table::<2>("### In C and C++").len());
}
