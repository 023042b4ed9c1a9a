//! Processes that play an end of a segment, in each language.

use crate::built::{archive, Profile};
use gimmal_c_tests::{Compiler, Executable, Program};
use gimmal_shm::Segment;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::OnceLock;

/// For the test program's own `child`: the role, with its arguments.
pub const ROLE: &str = "GIMMAL_TEST_ROLE";

/// A language that plays an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    /// By calls.
    C,
    /// Inlined.
    Cpp,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::Rust, Self::C, Self::Cpp];

    /// The program, built on the first call.
    fn program(self) -> Option<&'static Path> {
        static BUILT: [OnceLock<Executable>; 2] = [const { OnceLock::new() }; 2];
        let (place, source, standard) = match self {
            Self::Rust => return None,
            Self::C => (0, "shm/end.c", "c11"),
            Self::Cpp => (1, "shm/end.cpp", "c++17"),
        };
        let built = BUILT[place].get_or_init(|| {
            Program::new(Compiler::Gcc, &[(source, standard)])
                .flags(&["-O2"])
                .link(&[&archive(Profile::Shm)])
                .build()
        });
        Some(built.path())
    }
}

/// A segment's name that no other test has. Its segment is removed at the end, however the test ends.
pub struct Scrap(String);

impl Scrap {
    pub fn new() -> Self {
        // Relaxed: a count.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("c-test-{}-{count}", std::process::id()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}

impl Drop for Scrap {
    fn drop(&mut self) {
        // There may be none.
        let _ = Segment::named(&self.0).remove_by_force();
    }
}

/// A process that plays an end. It dies with the value.
pub struct Player {
    child: Child,
    out: BufReader<ChildStdout>,
    input: ChildStdin,
}

impl Player {
    /// With these arguments: see `shm/end.h`.
    pub fn new(language: Language, arguments: &str) -> Self {
        let mut command = match language.program() {
            Some(program) => {
                let mut command = Command::new(program);
                command.args(arguments.split(' '));
                command
            }
            None => {
                let mut command = Command::new(env::current_exe().unwrap());
                command
                    .args(["child", "--exact", "--nocapture", "--test-threads=1"])
                    .env(ROLE, arguments);
                command
            }
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            out: BufReader::new(child.stdout.take().unwrap()),
            input: child.stdin.take().unwrap(),
            child,
        }
    }

    /// What it says next, which must begin with this word.
    #[track_caller]
    pub fn expect(&mut self, word: &str) -> (u64, u64) {
        let (said, one, other) = self.next();
        assert_eq!(said, word);
        (one, other)
    }

    /// What it says next. What the test harness around it says does not count.
    #[track_caller]
    pub fn next(&mut self) -> (String, u64, u64) {
        loop {
            let mut line = String::new();
            let length = self.out.read_line(&mut line).unwrap();
            assert!(length > 0, "it ended too early");
            let parts: Vec<_> = line.split_whitespace().collect();
            if let [word, one, other] = parts[..] {
                if let (Ok(one), Ok(other)) = (one.parse(), other.parse()) {
                    return (word.into(), one, other);
                }
            }
        }
    }

    /// Lets it go on.
    pub fn tell(&mut self) {
        self.input.write_all(b"on\n").unwrap();
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, whatever it does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, which must be a good one.
    #[track_caller]
    pub fn finish(mut self) {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
