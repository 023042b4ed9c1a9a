//! `docs/ORDERING.md` has a row for every ordering of the source, and each row names tests that are there.
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

fn in_source() -> Orderings {
    let mut files = Vec::new();
    for folder in ["src/raw", "src/wait", "src/sync"] {
        sources(root().join(folder), &mut files);
    }
    let mut found = Orderings::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        // But for the study's variants and the controls, and tests.
        let (before, lab) = text.split_once("pub mod lab {").unwrap_or((&text, ""));
        let after = lab.split_once("\n}\n").map_or("", |(_, after)| after);
        let text = before.to_owned() + after;
        let text = text.split("#[cfg(test)]").next().unwrap();
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

/// The cells of the table's rows.
fn rows() -> Vec<[String; 3]> {
    let text = fs::read_to_string(root().join("docs/ORDERING.md")).unwrap();
    let (_, section) = text.split_once("### Every ordering").unwrap();
    let table = section.lines().skip_while(|line| !line.starts_with("|---"));
    table
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            <[&str; 3]>::try_from(cells).unwrap().map(str::to_owned)
        })
        .collect()
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
