//! Which tests judge a change of which file.

use std::collections::BTreeSet;

/// Files, and the tests that are likeliest to notice a change in them: few, since each is built anew for every change.
pub struct Group {
    pub name: &'static str,
    /// Files, and folders without the slash at the end.
    pub sources: &'static [&'static str],
    pub tests: &'static [&'static str],
    /// Tests to which a change is put, with those above, that these do not notice.
    pub more: &'static [&'static str],
    /// What of them is passed over, since it takes long and is about other files.
    pub skip: Option<&'static str>,
    pub opt_level: &'static str,
}

/// The unit tests of the adaptive wait, which step through hours.
const ADAPTIVE: Option<&str> = Some("wait::adaptive");

/// The groups, the most important first.
pub const GROUPS: &[Group] = &[
    Group {
        name: "line",
        sources: &["src/raw/line", "src/index.rs", "src/line_ring.rs"],
        tests: &["--lib", "--test=machine"],
        more: &[
            "--test=rings",
            "--test=mapped",
            "--test=corrupt",
            "--test=told",
            "--test=places",
        ],
        skip: ADAPTIVE,
        opt_level: "0",
    },
    Group {
        name: "index",
        sources: &[
            "src/raw/index.rs",
            "src/raw/mod.rs",
            "src/ring.rs",
            "src/producer.rs",
            "src/consumer.rs",
            "src/grant.rs",
            "src/chunk.rs",
        ],
        tests: &["--test=machine", "--test=rings"],
        more: &[
            "--test=hostile",
            "--test=mpsc",
            "--test=mapped",
            "--test=corrupt",
            "--test=told",
            "--test=places",
        ],
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "mpsc",
        sources: &["src/raw/mpsc", "src/mpsc.rs"],
        tests: &["--test=machine", "--test=mpsc"],
        more: &[
            "--test=mpsc_sections",
            "--test=mpsc_threads",
            "--test=mapped",
            "--test=corrupt",
            "--test=told",
        ],
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "mapped",
        sources: &["src/raw/mapped", "src/raw/tap.rs"],
        tests: &["--test=mapped", "--test=corrupt"],
        more: &["--test=hostile"],
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "pool",
        sources: &["src/raw/pool", "src/pool"],
        tests: &["--lib", "--test=pool"],
        more: &["--test=told"],
        skip: ADAPTIVE,
        opt_level: "0",
    },
    Group {
        name: "layout",
        sources: &[
            "src/layout.rs",
            "src/shape.rs",
            "src/view.rs",
            "src/policy.rs",
            "src/sync.rs",
            "src/error.rs",
            "src/lib.rs",
            "src/raw/control.rs",
            "src/raw/edges.rs",
            "src/raw/geometry.rs",
            "src/raw/memory.rs",
            "src/raw/poll.rs",
            "src/raw/prefetch.rs",
        ],
        tests: &["--lib", "--test=rings", "--test=told"],
        more: &[
            "--test=mpsc",
            "--test=pool",
            "--test=mapped",
            "--test=corrupt",
        ],
        skip: ADAPTIVE,
        opt_level: "0",
    },
    Group {
        name: "sections",
        sources: &["src/sync/update.rs"],
        tests: &["--test=loom_sections"],
        more: &[],
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "wait",
        sources: &["src/wait"],
        tests: &["--lib", "--test=wait"],
        more: &["--test=park", "--test=task", "--test=mpsc_wait"],
        skip: None,
        opt_level: "1",
    },
];

impl Group {
    /// What it consists of, as cargo-mutants is to be told.
    pub fn globs(&self) -> impl Iterator<Item = String> {
        self.sources.iter().map(|source| {
            if source.ends_with(".rs") {
                (*source).to_owned()
            } else {
                format!("{source}/**/*.rs")
            }
        })
    }

    /// All its tests.
    pub fn all(&self) -> impl Iterator<Item = &'static str> {
        self.tests.iter().chain(self.more).copied()
    }
}

/// The tests of all groups, each once.
pub fn suites() -> BTreeSet<&'static str> {
    GROUPS.iter().flat_map(Group::all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project;
    use std::fs;
    use std::path::Path;

    /// Files below `folder`, as they are named from the root.
    fn files(folder: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(project::root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                files(&name, found);
            } else {
                found.push(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_core_is_in_one_group() {
        let mut all = Vec::new();
        files("src", &mut all);
        for file in all.iter().filter(|file| *file != "src/sync/section.rs") {
            let holders = GROUPS.iter().flat_map(|group| group.sources);
            let holders = holders.filter(|source| Path::new(file).starts_with(source));
            assert_eq!(holders.count(), 1, "{file}");
        }
    }

    #[test]
    fn every_suite_judges_or_is_left_out_on_purpose() {
        let mut suites = Vec::new();
        files("tests", &mut suites);
        // Models but the least, orders of steps and messages by the million take a minute or more, and two call the compiler or read the source.
        let left_out = ["crashes", "threads", "compile_fail", "orderings"];
        let names = suites
            .iter()
            .filter_map(|file| file.strip_prefix("tests/")?.strip_suffix(".rs"))
            .filter(|name| !name.contains('/') && (!name.starts_with("loom") || *name == "loom_sections"))
            .filter(|name| !left_out.contains(name));
        let mut known: BTreeSet<String> = names.map(|name| format!("--test={name}")).collect();
        known.insert("--lib".into());
        let judges: BTreeSet<String> = super::suites().into_iter().map(str::to_owned).collect();
        assert_eq!(judges, known);
    }
}
