//! Whose tests run, and what comes of each. A reason stands in `docs/MIGRATING.md` word for word.

use std::path::Path;

/// The published tests and examples of one queue.
pub struct Suite {
    /// Its folder in `c-tests/migration`.
    pub id: &'static str,
    /// The Debian source package that carries them, the release that has it, and the directory in there.
    pub package: &'static str,
    pub release: &'static str,
    pub wanted: &'static str,
    /// Headers that its tests look for beside themselves: ours of that name, or a text.
    pub beside: &'static [(&'static str, Option<&'static str>)],
    pub libraries: &'static [&'static str],
    pub programs: &'static [Program],
}

/// A program that is compiled from what was fetched.
pub struct Program {
    pub sources: &'static [&'static str],
    pub flags: &'static [&'static str],
    pub cases: &'static [Case],
}

/// One run of it.
pub struct Case {
    pub arguments: &'static [&'static str],
    pub expected: Expected,
}

/// What is written down of a case.
pub enum Expected {
    Passes,
    /// It fails saying this, for that reason.
    Fails {
        saying: &'static str,
        reason: &'static str,
    },
    DoesNotCompile {
        saying: &'static str,
        reason: &'static str,
    },
}

impl Program {
    /// The name of its first source, and what sets it apart from another of the same.
    pub fn name(&self) -> String {
        let stem = Path::new(self.sources[0]).file_stem().unwrap_or_default();
        let name = stem.to_string_lossy().into_owned();
        match self
            .flags
            .iter()
            .find_map(|flag| flag.strip_prefix("-DMIGRATION_"))
        {
            Some(what) => format!("{name} {}", what.to_lowercase()),
            None => name,
        }
    }
}

const PASSES: &[Case] = &[Case {
    arguments: &[],
    expected: Expected::Passes,
}];

const fn passes(arguments: &'static [&'static str]) -> Case {
    Case {
        arguments,
        expected: Expected::Passes,
    }
}

const fn fails(
    arguments: &'static [&'static str],
    saying: &'static str,
    reason: &'static str,
) -> Case {
    Case {
        arguments,
        expected: Expected::Fails { saying, reason },
    }
}

const fn program(
    sources: &'static [&'static str],
    flags: &'static [&'static str],
    cases: &'static [Case],
) -> Program {
    Program {
        sources,
        flags,
        cases,
    }
}

const NO_CAPACITY: &str = "a queue of capacity 0 is refused";
const BOUNDED: &str = "the queue does not grow";

pub const SUITES: &[Suite] = &[
    Suite {
        id: "rigtorp",
        package: "mumble",
        release: "trixie",
        wanted: "3rdparty/SPSCQueue",
        beside: &[],
        libraries: &[],
        programs: &[
            program(
                &["3rdparty/SPSCQueue/src/SPSCQueueTest.cpp"],
                &[],
                // Its other checks come before this one, or follow in the next run.
                &[fails(&[], "no queue has such a capacity", NO_CAPACITY)],
            ),
            program(
                &["3rdparty/SPSCQueue/src/SPSCQueueTest.cpp"],
                &["-DMIGRATION_ZERO_IS_ONE"],
                PASSES,
            ),
            program(
                &["3rdparty/SPSCQueue/src/SPSCQueueExample.cpp"],
                &[],
                PASSES,
            ),
            program(
                &["3rdparty/SPSCQueue/src/SPSCQueueExampleHugepages.cpp"],
                &[],
                &[Case {
                    arguments: &[],
                    expected: Expected::DoesNotCompile {
                        saying: "Allocator",
                        reason: "an allocator has `allocate`, and converts to that of another type",
                    },
                }],
            ),
        ],
    },
    Suite {
        id: "boost",
        package: "boost1.74",
        release: "bookworm",
        wanted: "libs/lockfree",
        beside: &[],
        libraries: &["-lboost_thread"],
        programs: &[
            program(
                &["libs/lockfree/test/spsc_queue_test.cpp"],
                &["-DBOOST_LOCKFREE_INCLUDE_TESTS"],
                PASSES,
            ),
            program(
                &["libs/lockfree/test/spsc_queue_stress_test.cpp"],
                &["-DBOOST_LOCKFREE_INCLUDE_TESTS"],
                PASSES,
            ),
            program(&["libs/lockfree/examples/spsc_queue.cpp"], &[], PASSES),
        ],
    },
    Suite {
        id: "moodycamel",
        package: "readerwriterqueue",
        release: "bookworm",
        wanted: "tests",
        beside: &[
            ("readerwriterqueue.h", None),
            // Theirs: the tests name it, and no case below runs it.
            (
                "readerwritercircularbuffer.h",
                Some("#include <readerwriterqueue/readerwritercircularbuffer.h>\n"),
            ),
        ],
        libraries: &[],
        programs: &[program(
            &[
                "tests/unittests/unittests.cpp",
                "tests/common/simplethread.cpp",
            ],
            &[],
            &[
                passes(&["--disable-prompt", "--run", "create_empty_queue"]),
                passes(&["--disable-prompt", "--run", "enqueue_one"]),
                fails(
                    &["--disable-prompt", "--run", "enqueue_many"],
                    "q.try_dequeue(item)",
                    BOUNDED,
                ),
                fails(
                    &["--disable-prompt", "--run", "nonempty_destroy"],
                    "Foo::destroy_count() == 0",
                    BOUNDED,
                ),
                passes(&["--disable-prompt", "--run", "try_enqueue"]),
                passes(&["--disable-prompt", "--run", "try_dequeue"]),
                passes(&["--disable-prompt", "--run", "pop"]),
                passes(&["--disable-prompt", "--run", "size_approx"]),
                fails(
                    &["--disable-prompt", "--run", "max_capacity"],
                    "q.max_capacity()",
                    BOUNDED,
                ),
                passes(&["--disable-prompt", "--run", "threaded"]),
                passes(&["--disable-prompt", "--run", "blocking"]),
                passes(&["--disable-prompt", "--run", "vector"]),
                passes(&["--disable-prompt", "--run", "emplace"]),
                fails(
                    &["--disable-prompt", "--run", "try_enqueue_fail_workaround"],
                    "no queue has such a capacity",
                    NO_CAPACITY,
                ),
                fails(
                    &["--disable-prompt", "--run", "try_emplace_fail"],
                    "no queue has such a capacity",
                    NO_CAPACITY,
                ),
            ],
        )],
    },
];
