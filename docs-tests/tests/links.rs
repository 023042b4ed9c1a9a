//! No link leads nowhere: between the documents, to their headings, from the book's list of pages, and from the source.

#[allow(dead_code)]
mod pages;

use pages::{Page, all, root};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// `a/../b` is `b`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// What is wrong with a link of `page`.
fn wrong(link: &str, page: &Page, all: &[Page]) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = page.path.parent().unwrap_or(Path::new(""));
    let target = match path {
        "" => page.path.clone(),
        path => plain(&folder.join(path)),
    };
    if !root().join(&target).exists() {
        return Some(format!("{} does not exist", target.display()));
    }
    if anchor.is_empty() {
        return None;
    }
    let Some(there) = all.iter().find(|page| page.path == target) else {
        return Some(format!("{} is no document with headings", target.display()));
    };
    let known = there.anchors().iter().any(|heading| heading == anchor);
    (!known).then(|| format!("{} has no heading #{anchor}", target.display()))
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let pages = all();
    let mut followed = 0;
    let mut dead = Vec::new();
    for page in &pages {
        for (link, line) in page.links() {
            followed += 1;
            let at = page.path.display();
            dead.extend(
                wrong(&link, page, &pages).map(|what| format!("{at}:{line}: {link}: {what}")),
            );
        }
    }
    println!("{followed} links");
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(followed > 100, "the links were not found");
}

#[test]
fn the_book_lists_every_page_once() {
    let pages = all();
    let summary = pages
        .iter()
        .find(|page| page.path.ends_with("docs/SUMMARY.md"))
        .expect("the book's list");
    let listed: Vec<PathBuf> = summary
        .links()
        .into_iter()
        .filter(|(link, _)| !link.is_empty())
        .map(|(link, _)| Path::new("docs").join(link))
        .collect();
    for page in pages.iter().filter(|page| page.path.starts_with("docs")) {
        let times = listed.iter().filter(|path| **path == page.path).count();
        let wanted = usize::from(page.path != summary.path);
        assert_eq!(times, wanted, "{} in the book's list", page.path.display());
    }
}

/// The folders whose files name documents in their comments.
const SOURCES: [&str; 10] = [
    "src", "include", "ffi/src", "shm", "engine", "bench", "c-tests", "firmware", "tests", "xtask",
];

#[test]
fn the_documents_that_the_source_names_are_there() {
    let mut named = 0;
    for folder in SOURCES {
        each_file(&root().join(folder), &mut |path| {
            let Ok(text) = fs::read_to_string(path) else {
                return;
            };
            for (at, _) in text.match_indices("docs/") {
                let name = text[at..]
                    .split(|letter: char| {
                        !(letter.is_ascii_alphanumeric() || "/-_.".contains(letter))
                    })
                    .next()
                    .unwrap_or_default();
                let Some(name) = name
                    .split_inclusive(".md")
                    .next()
                    .filter(|name| name.ends_with(".md"))
                else {
                    continue;
                };
                if name == "docs/adr/0000-example.md" {
                    continue; // of a test, which needs none
                }
                named += 1;
                assert!(root().join(name).exists(), "{}: {name}", path.display());
            }
        });
    }
    assert!(named > 10, "the names were not found");
}

fn each_file(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if entry.file_name() != "target" {
                each_file(&path, visit);
            }
        } else if path.extension().is_some_and(|extension| {
            ["rs", "h", "hpp", "c", "cpp", "toml", "txt"]
                .iter()
                .any(|known| extension == *known)
        }) {
            visit(&path);
        }
    }
}
