//! The documents of the repository, and what is in them.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fs;
use std::path::{Path, PathBuf};

/// A document.
pub struct Page {
    /// From the root of the repository.
    pub path: PathBuf,
    pub text: String,
}

/// A block of code.
pub struct Block {
    /// The line of the page on which its first line stands.
    pub line: usize,
    /// What it is marked with, all of it; none if it is marked by nothing but its place.
    pub mark: Option<String>,
    pub text: String,
    /// The block of text that follows with nothing between: what the program prints.
    pub output: Option<String>,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("this package lies in the root")
}

/// Every document: those of the root, of `docs` with the folders in it, and the README of every other folder of the root.
pub fn all() -> Vec<Page> {
    let mut found = Vec::new();
    markdown_in(root(), &mut found);
    markdown_in(&root().join("docs"), &mut found);
    markdown_in(&root().join("docs/adr"), &mut found);
    for entry in fs::read_dir(root()).expect("the root").flatten() {
        let readme = entry.path().join("README.md");
        if entry.file_name() != "docs" && readme.is_file() {
            found.push(readme);
        }
    }
    found.sort();
    let page = |path: PathBuf| Page {
        text: fs::read_to_string(&path).expect("a page in UTF-8"),
        path: path.strip_prefix(root()).expect("below the root").into(),
    };
    found.into_iter().map(page).collect()
}

fn markdown_in(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder)
        .expect("a folder of documents")
        .flatten();
    found.extend(
        entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "md")),
    );
}

impl Page {
    fn events(&self) -> impl Iterator<Item = (Event<'_>, usize)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES)
            .into_offset_iter()
            .map(|(event, range)| (event, self.text[..range.start].matches('\n').count() + 1))
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut inside = false;
        let mut follows = false;
        for (event, line) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let mark = match kind {
                        CodeBlockKind::Fenced(mark) if !mark.is_empty() => Some(mark.to_string()),
                        _ => None,
                    };
                    inside = true;
                    blocks.push(Block {
                        line: line + 1,
                        mark,
                        text: String::new(),
                        output: None,
                    });
                }
                Event::Text(text) if inside => {
                    blocks.last_mut().expect("one is open").text += &text;
                }
                Event::End(TagEnd::CodeBlock) => {
                    inside = false;
                    let is_text = blocks
                        .last()
                        .is_some_and(|block| block.language() == "text");
                    if is_text && follows {
                        let text = blocks.last().map(|block| block.text.clone());
                        let before = blocks.len() - 2;
                        blocks[before].output = text;
                    }
                    follows = true;
                }
                _ => follows = false,
            }
        }
        blocks
    }

    /// Where the links lead, each with its line.
    pub fn links(&self) -> Vec<(String, usize)> {
        self.events()
            .filter_map(|(event, line)| match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    Some((dest_url.to_string(), line))
                }
                _ => None,
            })
            .collect()
    }

    /// What a link may name behind its `#`: the headings, as the book and those who show pages where they lie derive them.
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors = Vec::new();
        let mut heading: Option<String> = None;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        *heading += &text;
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    anchors.extend(heading.take().map(|text| slug(&text)))
                }
                _ => {}
            }
        }
        anchors
    }
}

impl Block {
    /// The first word of its mark.
    pub fn language(&self) -> &str {
        let mark = self.mark.as_deref().unwrap_or_default();
        mark.split([' ', ',']).next().unwrap_or_default()
    }
}

fn slug(heading: &str) -> String {
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            _ => letter.is_alphanumeric().then_some(letter),
        })
        .collect()
}
