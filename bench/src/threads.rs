//! Two threads that stay on their processors for the whole comparison and never sleep: whoever calls leads, and one
//! follower waits for work by spinning. A thread that sleeps may wake elsewhere, at another distance from its partner.

use crate::abi::{Kernel, Line, Run, Side, Sides};
use crate::away::switches;
use anyhow::{bail, ensure, Context, Result};
use nix::libc;
use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
use nix::unistd::Pid;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The priority under `--rt`: above ordinary threads, below the kernel's own.
const PRIORITY: libc::c_int = 10;

/// What the follower is to do next.
#[derive(Clone, Copy)]
struct Job {
    /// None: end.
    side: Option<Side>,
    context: *mut c_void,
    run: *const Run,
}

/// Where the leader posts jobs.
struct Board {
    /// How many jobs were posted.
    posted: Line<AtomicU64>,
    /// How many of them are done.
    done: Line<AtomicU64>,
    /// Involuntary switches of the follower in the last job.
    switches: AtomicI64,
    /// Written by the leader while `posted == done`, read by the follower otherwise.
    job: UnsafeCell<Job>,
}

// SAFETY: `job` changes hands with `posted` and `done`; what it points at outlives the job (see `Crew::run`).
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

/// The two threads. The one that made it leads.
pub struct Crew {
    board: Arc<Board>,
    taken_off: i64,
    follower: Option<JoinHandle<()>>,
}

impl Crew {
    /// Pins the calling thread to the first of `cores` and a new one to the second.
    ///
    /// # Errors
    ///
    /// If a core cannot be had, or real-time scheduling was asked for and is not allowed.
    pub fn new(cores: [usize; 2], realtime: bool) -> Result<Self> {
        let board = Arc::new(Board {
            posted: Line(AtomicU64::new(0)),
            done: Line(AtomicU64::new(0)),
            switches: AtomicI64::new(0),
            job: UnsafeCell::new(Job {
                side: None,
                context: ptr::null_mut(),
                run: ptr::null(),
            }),
        });
        let theirs = Arc::clone(&board);
        let (report, settled) = std::sync::mpsc::channel();
        // Settled before the leader is: a thread inherits pins and priority, and must not start on the leader's core.
        let follower = std::thread::Builder::new()
            .name("follower".into())
            .spawn(move || {
                let outcome =
                    settle(cores[1])
                        .and_then(|()| if realtime { set_priority(true) } else { Ok(()) });
                let failed = outcome.is_err();
                let heard = report.send(outcome).is_ok();
                if heard && !failed {
                    follow(&theirs);
                }
            })?;
        settled.recv().context("the follower ended early")??;
        let crew = Self {
            board,
            taken_off: 0,
            follower: Some(follower),
        };
        settle(cores[0])?;
        if realtime {
            set_priority(true)?;
        }
        Ok(crew)
    }

    /// Runs both sides over one context and returns how often the system took either thread off its core meanwhile.
    ///
    /// # Safety
    ///
    /// `context` belongs to the kernel that `sides` are of.
    pub unsafe fn run(&mut self, sides: Sides, context: *mut c_void, run: &Run) -> i64 {
        let before = switches();
        if sides.follow.is_some() {
            self.post(Job {
                side: sides.follow,
                context,
                run,
            });
        }
        // SAFETY: the caller vouches for the context; the run is borrowed until both sides are done.
        unsafe { (sides.lead)(context, run) };
        let theirs = if sides.follow.is_some() {
            self.wait()
        } else {
            0
        };
        let taken_off = switches() - before + theirs;
        self.taken_off += taken_off;
        taken_off
    }

    /// How often the system took either thread off its core in all runs so far.
    pub fn taken_off(&self) -> i64 {
        self.taken_off
    }

    /// Runs a closure on each of the two cores; returns how often the system took either thread off its core meanwhile.
    ///
    /// A panic in either ends the process.
    pub fn both<L: FnMut(), F: FnMut() + Send>(&mut self, lead: L, follow: F) -> i64 {
        struct Both<L, F> {
            lead: Line<L>,
            follow: Line<F>,
        }
        unsafe extern "C" fn call_lead<L: FnMut(), F>(both: *mut c_void, _: *const Run) {
            // SAFETY: `both` is what `run` was given below, and this thread alone takes this part of it.
            let lead = unsafe { &mut (*both.cast::<Both<L, F>>()).lead };
            lead.0();
        }
        unsafe extern "C" fn call_follow<L, F: FnMut()>(both: *mut c_void, _: *const Run) {
            // SAFETY: as in `call_lead`.
            let follow = unsafe { &mut (*both.cast::<Both<L, F>>()).follow };
            follow.0();
        }
        let mut both = Both {
            lead: Line(lead),
            follow: Line(follow),
        };
        let sides = Sides {
            lead: call_lead::<L, F>,
            follow: Some(call_follow::<L, F>),
        };
        // SAFETY: the sides take the context for what it is.
        unsafe { self.run(sides, (&raw mut both).cast(), &Run::new(0, 1, &[])) }
    }

    fn post(&mut self, job: Job) {
        // SAFETY: every posted job is done, so the follower does not look.
        unsafe { *self.board.job.get() = job };
        // Pairs with the Acquire in `follow`.
        self.board.posted.0.fetch_add(1, Ordering::Release);
    }

    fn wait(&self) -> i64 {
        let posted = self.board.posted.0.load(Ordering::Relaxed);
        // Pairs with the Release in `follow`.
        while self.board.done.0.load(Ordering::Acquire) != posted {
            std::hint::spin_loop();
        }
        self.board.switches.load(Ordering::Relaxed)
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.post(Job {
            side: None,
            context: ptr::null_mut(),
            run: ptr::null(),
        });
        if let Some(follower) = self.follower.take() {
            // The follower's loop calls only kernels, which abort rather than unwind.
            let _ = follower.join();
        }
    }
}

fn follow(board: &Board) {
    let mut done = 0;
    loop {
        // Pairs with the Release in `post`.
        while board.posted.0.load(Ordering::Acquire) == done {
            std::hint::spin_loop();
        }
        // SAFETY: a job is posted and not done, so the leader does not write.
        let job = unsafe { *board.job.get() };
        let Some(side) = job.side else { return };
        let before = switches();
        // SAFETY: `Crew::run` vouches for the context and keeps the run until this job is done.
        unsafe { side(job.context, job.run) };
        board.switches.store(switches() - before, Ordering::Relaxed);
        done += 1;
        // Pairs with the Acquire in `wait`.
        board.done.0.store(done, Ordering::Release);
    }
}

/// A kernel with its queues.
pub struct Cell {
    kernel: Kernel,
    context: *mut c_void,
}

impl Cell {
    /// Makes the kernel's queues.
    pub fn new(kernel: &Kernel, capacity: usize) -> Self {
        // SAFETY: the table's functions take any capacity that the kernel is for.
        let context = unsafe { (kernel.create)(capacity) };
        Self {
            kernel: *kernel,
            context,
        }
    }

    /// Runs it with the hint of that number.
    pub fn run(&mut self, crew: &mut Crew, hint: usize, run: &Run) -> i64 {
        // SAFETY: the context is this kernel's.
        unsafe { crew.run(self.kernel.by_hint[hint], self.context, run) }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // SAFETY: made by `create`, destroyed once.
        unsafe { (self.kernel.destroy)(self.context) };
    }
}

/// Lets the calling thread run on any of these cores.
pub(crate) fn free(cores: &[usize]) -> Result<()> {
    allow(Pid::from_raw(0), cores)
}

/// Keeps another process, which has one thread, on this core.
pub(crate) fn settle_process(pid: u32, core: usize) -> Result<()> {
    allow(Pid::from_raw(i32::try_from(pid)?), &[core])
}

/// 0 is the calling thread.
fn allow(pid: Pid, cores: &[usize]) -> Result<()> {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core)?;
    }
    sched_setaffinity(pid, &set).with_context(|| format!("cannot run on {}", list(cores)))
}

/// Keeps the calling thread on this core.
pub(crate) fn settle(core: usize) -> Result<()> {
    free(&[core])
}

/// Runs the calling thread before all ordinary ones, or as one of them.
pub(crate) fn set_priority(realtime: bool) -> Result<()> {
    let (policy, sched_priority) = if realtime {
        (libc::SCHED_FIFO, PRIORITY)
    } else {
        (libc::SCHED_OTHER, 0)
    };
    let parameters = libc::sched_param { sched_priority };
    // SAFETY: the pointer is to a whole parameter block; 0 is the calling thread.
    let outcome = unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) };
    ensure!(
        outcome == 0,
        "real-time scheduling is not allowed here: {}",
        std::io::Error::last_os_error()
    );
    Ok(())
}

/// The cores that this process may use.
///
/// # Errors
///
/// If the system does not say.
pub fn allowed_cores() -> Result<Vec<usize>> {
    let set = sched_getaffinity(Pid::from_raw(0)).context("cannot ask for this process's cores")?;
    Ok((0..CpuSet::count())
        .filter(|&core| set.is_set(core).unwrap_or(false))
        .collect())
}

/// The two cores to use: those asked for, or the first two that are no siblings on one physical core.
///
/// # Errors
///
/// If there are not two different ones to be had.
pub fn choose_cores(
    asked: Option<[usize; 2]>,
    allowed: &[usize],
    siblings: impl Fn(usize, usize) -> bool,
) -> Result<[usize; 2]> {
    if let Some(cores) = asked {
        ensure!(
            cores[0] != cores[1],
            "--cores names core {} twice; a producer and a consumer need two of {}",
            cores[0],
            list(allowed)
        );
        for core in cores {
            ensure!(
                allowed.contains(&core),
                "core {core} is not there for this process, which may use {}",
                list(allowed)
            );
        }
        return Ok(cores);
    }
    let [first, rest @ ..] = allowed else {
        bail!("this process may use no core")
    };
    let Some(second) = rest
        .iter()
        .find(|&&core| !siblings(*first, core))
        .or(rest.first())
    else {
        bail!("this process may use core {first} alone; a producer and a consumer need two");
    };
    Ok([*first, *second])
}

/// Whether two cores are hardware threads of one physical core.
pub fn are_siblings(one: usize, other: usize) -> bool {
    let path = format!("/sys/devices/system/cpu/cpu{one}/topology/thread_siblings_list");
    std::fs::read_to_string(path).is_ok_and(|list| in_list(list.trim(), other))
}

/// Whether a list as the kernel writes it (`0,4-6`) holds a number.
fn in_list(list: &str, wanted: usize) -> bool {
    list.split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        matches!((first.parse::<usize>(), last.parse::<usize>()), (Ok(first), Ok(last)) if (first..=last).contains(&wanted))
    })
}

fn list(cores: &[usize]) -> String {
    cores
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_chosen_or_refused_with_a_reason() {
        let no_siblings = |_, _| false;
        assert_eq!(choose_cores(None, &[0, 1], no_siblings).unwrap(), [0, 1]);
        assert_eq!(
            choose_cores(None, &[0, 1, 2, 3], |a, b| a / 2 == b / 2).unwrap(),
            [0, 2]
        );
        assert_eq!(
            choose_cores(None, &[0, 1], |_, _| true).unwrap(),
            [0, 1],
            "siblings where there is nothing else"
        );
        assert_eq!(
            choose_cores(Some([3, 1]), &[0, 1, 3], no_siblings).unwrap(),
            [3, 1]
        );
        let refused = |asked, allowed: &[usize]| {
            choose_cores(asked, allowed, no_siblings)
                .unwrap_err()
                .to_string()
        };
        assert!(refused(None, &[5]).contains("core 5 alone"));
        assert!(refused(None, &[]).contains("no core"));
        assert!(refused(Some([1, 1]), &[0, 1])
            .contains("twice; a producer and a consumer need two of 0, 1"));
        assert!(refused(Some([0, 7]), &[0, 1])
            .contains("core 7 is not there for this process, which may use 0, 1"));
    }

    #[test]
    fn the_kernels_lists_are_read() {
        for (list, inside, outside) in
            [("0", 0, 1), ("0,4", 4, 2), ("0-3", 2, 4), ("0,4-6,9", 5, 7)]
        {
            assert!(in_list(list, inside) && !in_list(list, outside), "{list}");
        }
    }
}
