//! Who a process is: what an end states of itself, so that others can say who holds or held it.
//!
//! None of it decides anything: a pid is reused, hidden by namespaces and mount options, and a zombie has one. Locks decide.

use rustix::fs::{stat, Stat};
use std::fs;

/// A process, as others on this machine can tell it from any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Identity {
    /// The process's number in its pid namespace.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did: a pid and this are not reused together.
    pub start: u64,
    /// The inode of its pid namespace; 0 if that cannot be told.
    pub pid_namespace: u64,
}

impl Identity {
    /// This process.
    pub(crate) fn own() -> Self {
        Self {
            pid: std::process::id(),
            start: process("self").map_or(0, |process| process.start),
            pid_namespace: own_pid_namespace(),
        }
    }

    /// Whether the process is stopped, by a signal or a debugger; false if that cannot be told from here.
    pub fn is_stopped(&self) -> bool {
        self.pid_namespace == own_pid_namespace()
            && process(&self.pid.to_string())
                .is_some_and(|found| found.start == self.start && b"Tt".contains(&found.state))
    }
}

/// The machine's identity since it started; zeros if that cannot be told.
pub(crate) fn boot() -> [u64; 2] {
    let Ok(text) = fs::read_to_string("/proc/sys/kernel/random/boot_id") else {
        return [0; 2];
    };
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    let half = |range| {
        digits
            .get(range)
            .and_then(|half| u64::from_str_radix(half, 16).ok())
            .unwrap_or(0)
    };
    [half(0..16), half(16..32)]
}

fn own_pid_namespace() -> u64 {
    stat("/proc/self/ns/pid").map_or(0, |found: Stat| found.st_ino)
}

/// What `/proc` tells of a process.
struct Process {
    state: u8,
    start: u64,
}

fn process(pid: &str) -> Option<Process> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The third and the 22nd field; the second is a name in parentheses, which may hold spaces and parentheses itself.
fn parse(stat: &str) -> Option<Process> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = *fields.next()?.as_bytes().first()?;
    let start = fields.nth(18)?.parse().ok()?;
    Some(Process { state, start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a) S (b c)) T 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21";
        let found = parse(stat).unwrap();
        assert_eq!((found.state, found.start), (b'T', 4242));
        assert!(parse("7 (a").is_none());
        assert!(parse("7 (a) S 1 2").is_none());
    }

    #[test]
    fn this_process_runs_and_has_started() {
        let own = Identity::own();
        assert_eq!(own, Identity::own());
        assert_ne!(own.start, 0);
        assert!(!own.is_stopped());
        assert_ne!(boot(), [0; 2]);
    }
}
