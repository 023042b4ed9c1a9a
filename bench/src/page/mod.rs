//! The page: results as one HTML file that needs nothing else, neither network nor script. It is drawn from the JSON alone.

pub mod chart;
mod comparison;
mod distribution;
mod figure;
mod machine;
pub mod options;
mod queues;
mod study;
mod summary;
mod tables;
mod targets;

use crate::report::Report;
use crate::study::result::StudyResult;
use anyhow::{bail, Context, Result};
use maud::{html, Markup, PreEscaped, DOCTYPE};
use serde_json::Value;
use std::path::Path;

/// A result to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The name of its file without ending, which also names its place in the page.
    pub name: String,
    /// What the file holds.
    pub content: Content,
}

/// The kinds of results.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Queues beside each other.
    Comparison(Box<Report>),
    /// A study.
    Study(Box<StudyResult>),
}

/// What a part of the page knows of its place in it.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// What the ids of the part begin with.
    name: &'a str,
    /// The way from the page to the work tree, where records are; none if the page is elsewhere.
    root: Option<&'a str>,
}

impl Place<'_> {
    fn id(&self, part: &str) -> String {
        let part: String = part
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .collect();
        format!("{}-{part}", self.name)
    }
}

impl Source {
    /// The result in a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or holds neither a comparison nor a study.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::from_json(&name, &text).with_context(|| path.display().to_string())
    }

    /// The result in a text.
    ///
    /// # Errors
    ///
    /// If it is neither a comparison nor a study.
    pub fn from_json(name: &str, text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text).context("no JSON")?;
        let content = if value.get("study").is_some() {
            Content::Study(Box::new(StudyResult::from_json(text)?))
        } else if value.get("cells").is_some() {
            Content::Comparison(Box::new(Report::from_json(text)?))
        } else {
            bail!("neither the result of a comparison nor of a study");
        };
        Ok(Self {
            name: name.to_owned(),
            content,
        })
    }

    /// What was asked or measured.
    fn title(&self) -> String {
        match &self.content {
            Content::Comparison(report) => comparison::title(report),
            Content::Study(study) => study.title.clone(),
        }
    }

    /// What tells it from others of the same title: the machine, the placement of the cores, the date.
    fn circumstances(&self) -> String {
        let (machine, taken, placements) = match &self.content {
            Content::Comparison(report) => (&report.machine, &report.taken, report.placements()),
            Content::Study(study) => (&study.machine, &study.taken, study.placements()),
        };
        let cores = match placements.as_slice() {
            [] => machine::cores(machine),
            placements => format!("cores {}", placements.join(" and ")),
        };
        let taken = taken.as_ref();
        format!(
            "{}, {cores}, {}, {}",
            machine.cpu_model,
            machine.scheduling,
            taken.map_or("date not recorded", |taken| &taken.date)
        )
    }

    fn body(&self, place: Place) -> Markup {
        match &self.content {
            Content::Comparison(report) => comparison::body(report, place),
            Content::Study(study) => study::body(study, place),
        }
    }

    /// The parts that a table of contents names: ids and titles.
    fn parts(&self, place: Place) -> Vec<(String, String)> {
        match &self.content {
            Content::Comparison(report) => comparison::parts(report, place),
            Content::Study(study) => study::parts(study, place),
        }
    }
}

/// The page's text. `root` is the way from its folder to the work tree, with a slash at its end, if there is one.
pub fn page(sources: &[Source], root: Option<&str>) -> String {
    let names = names(sources);
    let placed: Vec<(&Source, Place)> = sources
        .iter()
        .zip(&names)
        .map(|(source, name)| (source, Place { name, root }))
        .collect();
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "gimmal: results" }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                header {
                    h1 { "gimmal: results" }
                    p.soft { "Drawn from the JSON results named in each part, and from nothing else." }
                }
                (summary::summary(&placed))
                details.contents {
                    summary { "Contents" }
                    nav aria-label="Contents" {
                        ol { @for (source, place) in &placed { li {
                            a href=(format!("#{}", place.name)) { (source.title()) } " " span.soft { (source.circumstances()) }
                            ul { @for (id, title) in source.parts(*place) { li { a href=(format!("#{id}")) { (title) } } } }
                        } } }
                    }
                }
                main { @for (source, place) in &placed {
                    section id=(place.name) aria-labelledby=(place.id("title")) {
                        h2 id=(place.id("title")) { (source.title()) " " small { (source.circumstances()) } }
                        p.soft { "From " code { (source.name) ".json" } }
                        (source.body(*place))
                    }
                } }
            }
        }
    };
    document.into_string()
}

/// What the ids of each source begin with: its name in letters, digits and hyphens, numbered if it came before.
fn names(sources: &[Source]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for source in sources {
        let plain: String = source
            .name
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '-'
                }
            })
            .collect();
        let plain = format!("r-{plain}");
        let again = names.iter().filter(|name| **name == plain).count();
        let number = names.len();
        names.push(if again == 0 {
            plain
        } else {
            format!("{plain}-{number}")
        });
    }
    names
}
