//! How often, and for how long, the system kept a thread from its core while it had something to do.

use nix::sys::resource::{getrusage, UsageWho};
use std::fs::read_to_string;

/// What the kernel has counted of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Away {
    /// Times that the thread was taken off its core for another.
    switches: i64,
    /// Nanoseconds that it waited for a core, where the kernel counts them.
    waited: Option<u64>,
}

impl Away {
    /// Of the calling thread, since it began.
    pub fn so_far() -> Self {
        let text = read_to_string("/proc/thread-self/schedstat");
        Self {
            switches: switches(),
            waited: text.ok().and_then(|text| waited(&text)),
        }
    }

    /// Of another process, which has one thread.
    pub fn of_process(pid: u32) -> Self {
        let read = |file| read_to_string(format!("/proc/{pid}/{file}")).ok();
        Self {
            switches: read("status")
                .and_then(|text| taken_off(&text))
                .unwrap_or(0),
            waited: read("schedstat").and_then(|text| waited(&text)),
        }
    }

    /// What came since then.
    pub fn since(self, then: Self) -> Self {
        let waited = self.waited.zip(then.waited);
        Self {
            switches: self.switches - then.switches,
            waited: waited.map(|(now, then)| now.saturating_sub(then)),
        }
    }

    /// Whether that disturbed something that lasted so many nanoseconds, of which this share does not matter. Where nobody was taken
    /// off, what a thread waited is the way of its own wakes.
    pub fn disturbs(self, lasted: f64, share: f64) -> bool {
        let matters = |waited: u64| waited as f64 > lasted * share;
        self.switches > 0 && self.waited.is_none_or(matters)
    }
}

/// How often the system took the calling thread off its core for another.
pub fn switches() -> i64 {
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.involuntary_context_switches())
}

/// The second number of three: nanoseconds on a queue for a core.
fn waited(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().nth(1)?.parse().ok()
}

/// The kernel's count in a process's `status`.
fn taken_off(status: &str) -> Option<i64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}

/// Hundredths of a second that the host of a virtual machine gave these cores' time to others, since the machine began; none where it
/// does not say.
pub fn stolen(cores: [usize; 2]) -> Option<u64> {
    let text = read_to_string("/proc/stat").ok()?;
    let each = cores.map(|core| stolen_of(&text, core));
    Some(each[0]? + each[1]?)
}

fn stolen_of(stat: &str, core: usize) -> Option<u64> {
    const STEAL: usize = 8;
    let name = format!("cpu{core} ");
    let line = stat.lines().find(|line| line.starts_with(&name))?;
    line.split_whitespace().nth(STEAL)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_are_read() {
        assert_eq!(waited("216558 7202864 3\n"), Some(7_202_864));
        assert_eq!(waited("216558"), None);
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t9\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!((taken_off(status), taken_off("")), (Some(4), None));
        let stat =
            "cpu  1 2 3 4 5 6 7 8 9 0\ncpu1 1 2 3 4 5 6 7 80 9 0\ncpu10 1 2 3 4 5 6 7 81 9 0\n";
        assert_eq!(
            (stolen_of(stat, 1), stolen_of(stat, 10), stolen_of(stat, 2)),
            (Some(80), Some(81), None)
        );
    }

    #[test]
    fn a_share_that_does_not_matter_disturbs_nothing() {
        let away = |switches, waited| Away { switches, waited };
        assert!(away(1, Some(300)).disturbs(1e5, 0.002));
        assert!(
            !away(1, Some(100)).disturbs(1e5, 0.002),
            "too short to matter"
        );
        assert!(!away(0, Some(90_000)).disturbs(1e5, 0.002), "its own wakes");
        assert!(away(1, None).disturbs(1e5, 0.002), "nobody knows how long");
        let since = away(5, Some(900)).since(away(3, Some(400)));
        assert_eq!(since, away(2, Some(500)));
    }

    #[test]
    fn a_thread_that_another_is_put_before_is_disturbed() {
        use crate::threads::{allowed_cores, settle};
        let core = allowed_cores().unwrap()[0];
        let crowd = std::sync::atomic::AtomicBool::new(true);
        // Two that spin on one core take turns, whatever else the machine does.
        let away = std::thread::scope(|scope| {
            scope.spawn(|| {
                settle(core).unwrap();
                // A flag and nothing else.
                while crowd.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let spinner = scope.spawn(|| {
                settle(core).unwrap();
                let before = Away::so_far();
                loop {
                    let away = Away::so_far().since(before);
                    if away.disturbs(1e6, 0.01) {
                        return away;
                    }
                }
            });
            let away = spinner.join().unwrap();
            crowd.store(false, std::sync::atomic::Ordering::Relaxed);
            away
        });
        assert!(away.switches > 0);
    }
}
