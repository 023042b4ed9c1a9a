//! Which tests judge a change of which file.

/// Files, and the tests that are likeliest to notice a change in them: few, since each is built anew for every change.
pub struct Group {
    pub name: &'static str,
    /// Files, and folders without the slash at the end.
    pub sources: &'static [&'static str],
    pub tests: &'static [&'static str],
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
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "mpsc",
        sources: &["src/raw/mpsc", "src/mpsc.rs"],
        tests: &["--test=machine", "--test=mpsc"],
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "mapped",
        sources: &["src/raw/mapped", "src/raw/tap.rs"],
        tests: &["--test=mapped", "--test=corrupt"],
        skip: None,
        opt_level: "0",
    },
    Group {
        name: "pool",
        sources: &["src/raw/pool", "src/pool"],
        tests: &["--lib", "--test=pool"],
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
        tests: &["--lib", "--test=rings"],
        skip: ADAPTIVE,
        opt_level: "0",
    },
    Group {
        name: "wait",
        sources: &["src/wait"],
        tests: &["--lib", "--test=wait"],
        skip: None,
        opt_level: "1",
    },
];

/// What judges a change that the group's tests do not notice: every suite but those that take minutes, the models, and those that read the source or
/// call the compiler.
pub const SUITES: &[&str] = &[
    "--lib",
    "--test=machine",
    "--test=rings",
    "--test=mpsc",
    "--test=mpsc_sections",
    "--test=mpsc_threads",
    "--test=mpsc_wait",
    "--test=threads",
    "--test=mapped",
    "--test=corrupt",
    "--test=crashes",
    "--test=hostile",
    "--test=pool",
    "--test=wait",
    "--test=park",
    "--test=task",
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project;
    use std::collections::HashSet;
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
        let left_out = ["compile_fail", "orderings"];
        let suites: HashSet<String> = suites
            .iter()
            .filter_map(|file| file.strip_prefix("tests/")?.strip_suffix(".rs"))
            .filter(|name| !name.contains('/') && !name.starts_with("loom"))
            .filter(|name| !left_out.contains(name))
            .map(|name| format!("--test={name}"))
            .collect();
        let wide = SUITES.iter().map(|&test| test.to_owned());
        assert_eq!(
            wide.filter(|test| test != "--lib").collect::<HashSet<_>>(),
            suites
        );
        for group in GROUPS {
            assert!(
                group.tests.iter().all(|test| SUITES.contains(test)),
                "{}",
                group.name
            );
        }
    }
}
