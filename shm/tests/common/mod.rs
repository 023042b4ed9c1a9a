//! What the tests with several processes share: names that go away, children that die, tests that end.
#![allow(dead_code)]

pub mod traced;

use gimmal_shm::Segment;
use rustix::process::{waitid, WaitId, WaitIdOptions};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const ROLE: &str = "GIMMAL_TEST_ROLE";
const ARGUMENT: &str = "GIMMAL_TEST_ARGUMENT";

/// A segment's name that no other test has. Its segment is removed at the end, however the test ends.
pub struct Scrap(String);

impl Scrap {
    pub fn new(what: &str) -> Self {
        // Relaxed: a count.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("test-{what}-{}-{count}", std::process::id()))
    }

    pub fn segment(&self) -> Segment {
        Segment::named(&self.0)
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    pub fn path(&self) -> String {
        format!("/dev/shm/gimmal-{}", self.0)
    }
}

impl Drop for Scrap {
    fn drop(&mut self) {
        // There may be none.
        let _ = self.segment().remove_by_force();
        for left in [self.path(), format!("/dev/shm/.gimmal-{}", self.0)] {
            let _ = std::fs::remove_file(left);
        }
    }
}

/// Ends the whole test program if it is not dropped in time: a test that hangs must fail.
pub struct Guard(Option<mpsc::Sender<()>>);

impl Guard {
    pub fn new(seconds: u64) -> Self {
        let (alive, gone) = mpsc::channel::<()>();
        let test = thread::current().name().unwrap_or("a test").to_owned();
        thread::spawn(move || {
            let timed_out = mpsc::RecvTimeoutError::Timeout;
            if gone.recv_timeout(Duration::from_secs(seconds)) == Err(timed_out) {
                eprintln!("{test} did not end within {seconds} s");
                remove_all();
                std::process::exit(101);
            }
        });
        Self(Some(alive))
    }
}

/// Removes what this test program has left: nothing is dropped when it ends at once.
fn remove_all() {
    let own = format!("-{}-", std::process::id());
    for file in std::fs::read_dir("/dev/shm").unwrap().flatten() {
        if file.file_name().to_string_lossy().contains(&own) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// Another process that plays a role of this test program. It dies with the value.
pub struct Player {
    child: Child,
    out: BufReader<ChildStdout>,
    input: ChildStdin,
}

impl Player {
    /// The test program's test `child` must call [`play`] with this role.
    pub fn new(role: &str, argument: &str) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["child", "--exact", "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .env(ARGUMENT, argument)
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

    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// What it says next; empty if it has ended.
    pub fn hear(&mut self) -> String {
        loop {
            let mut line = String::new();
            if self.out.read_line(&mut line).unwrap() == 0 {
                return String::new();
            }
            if let Some((_, said)) = line.split_once('@') {
                return said.trim_end().into();
            }
        }
    }

    pub fn expect(&mut self, said: &str) {
        assert_eq!(self.hear(), said);
    }

    pub fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// Kills it, and waits until it is gone.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Kills it, and leaves it a zombie.
    pub fn kill_to_zombie(&mut self) {
        self.child.kill().unwrap();
        let looking = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid()), looking).unwrap();
    }

    /// Waits for its end, which must be a good one.
    pub fn finish(mut self) {
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.kill();
    }
}

/// In a [`Player`]'s process, plays its role; elsewhere does nothing.
pub fn play(roles: &[(&str, fn(&str))]) {
    let Ok(role) = env::var(ROLE) else { return };
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).unwrap();
    let (_, play) = roles.iter().find(|(name, _)| *name == role).unwrap();
    play(&env::var(ARGUMENT).unwrap());
}

/// In a role: says something to the test.
pub fn say(what: &str) {
    println!("@{what}");
    std::io::stdout().flush().unwrap();
}

/// In a role: waits for what the test tells next.
pub fn listen() -> String {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    line.trim_end().into()
}
