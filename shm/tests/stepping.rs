//! A process killed after each single instruction of a push and of a pop, and before and after each system call of what creates, claims,
//! replaces and removes: deterministic, by `ptrace`. (Lanes are rings by line.) Code that is not optimised has so many instructions that only some
//! are taken: run this in release.
//!
//! Between two system calls the latter change nothing that others see but the segment's state and its rings' closing.

mod common;

use common::{play, say, Guard, Player, Scrap};
use gimmal_shm::kinds::KindOf;
use gimmal_shm::{Consumer, Error, Segment};
use std::ptr::null_mut;

#[test]
fn child() {
    play(&[
        ("push-line", |name| {
            step_pushes(|| Segment::named(name).line(20))
        }),
        ("push-index", |name| {
            step_pushes(|| Segment::named(name).index(16))
        }),
        ("push-mpsc", |name| {
            step_pushes(|| Segment::named(name).mpsc(16, 2))
        }),
        ("pop-line", |name| {
            step_pops(|| Segment::named(name).line(20))
        }),
        ("pop-index", |name| {
            step_pops(|| Segment::named(name).index(16))
        }),
        ("pop-mpsc", |name| {
            step_pops(|| Segment::named(name).mpsc(16, 2))
        }),
        ("overtake", overtake),
        ("stop", stop_pushes),
        ("create", |name| {
            step_calls(name, false, |segment| {
                drop(segment.producer::<u64>().unwrap());
            })
        }),
        ("claim", |name| {
            step_calls(name, true, |segment| {
                drop(segment.consumer::<u64>().unwrap());
            })
        }),
        ("replace", |name| {
            step_calls(name, true, |segment| {
                drop(segment.replace().producer::<u64>().unwrap());
            })
        }),
        ("remove", |name| {
            step_calls(name, true, |segment| segment.remove().unwrap())
        }),
    ]);
}

/// How far a process goes before it is killed.
#[derive(Clone, Copy)]
enum Stride {
    Instruction,
    SystemCall,
}

/// Instructions from one kill to the next.
const EVERY: usize = if cfg!(debug_assertions) { 13 } else { 1 };

/// A stopped process.
struct Traced {
    pid: libc::pid_t,
}

impl Traced {
    /// Runs `set_up` and then `act` in another process, which is stopped between the two. Its exit code is what `act` returns.
    fn new<S>(set_up: impl FnOnce() -> S, act: impl FnOnce(&mut S) -> i32) -> Self {
        // SAFETY: the other threads of this process only wait, so that none can hold a lock that the child needs.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: these act on the child alone. It never returns.
            unsafe {
                libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>());
                let mut ready = set_up();
                libc::raise(libc::SIGSTOP);
                let code = act(&mut ready);
                libc::raise(libc::SIGSTOP);
                libc::_exit(code);
            }
        }
        let traced = Self { pid };
        assert_eq!(traced.wait(), Ok(libc::SIGSTOP));
        ptrace(libc::PTRACE_SETOPTIONS, pid, libc::PTRACE_O_EXITKILL);
        traced
    }

    /// Goes so many strides; false if `act` was over before.
    fn go(&self, stride: Stride, count: u64) -> bool {
        let request = match stride {
            Stride::Instruction => libc::PTRACE_SINGLESTEP,
            Stride::SystemCall => libc::PTRACE_SYSCALL,
        };
        for _ in 0..count {
            ptrace(request, self.pid, 0);
            match self.wait() {
                Ok(libc::SIGTRAP) => {}
                Ok(libc::SIGSTOP) => return false,
                other => panic!("stopped by {other:?}"),
            }
        }
        true
    }

    /// Kills it.
    fn kill(self) {
        // SAFETY: the child was not waited for to its end.
        assert_eq!(unsafe { libc::kill(self.pid, libc::SIGKILL) }, 0);
        assert_eq!(self.wait(), Err(None));
    }

    /// Lets it go on, and gives its exit code.
    fn finish(self) -> Option<i32> {
        loop {
            ptrace(libc::PTRACE_CONT, self.pid, 0);
            if let Err(code) = self.wait() {
                return code;
            }
        }
    }

    /// The signal that it stopped by, or else its exit code, if it was not killed.
    fn wait(&self) -> Result<i32, Option<i32>> {
        let mut status = 0;
        // SAFETY: the status is ours.
        assert_eq!(unsafe { libc::waitpid(self.pid, &mut status, 0) }, self.pid);
        if libc::WIFSTOPPED(status) {
            Ok(libc::WSTOPSIG(status))
        } else {
            Err(libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)))
        }
    }
}

/// Kills a process after so many strides of `act`; false if `act` was over before.
fn kill_after<S>(
    stride: Stride,
    count: u64,
    set_up: impl FnOnce() -> S,
    act: impl FnOnce(&mut S),
) -> bool {
    let traced = Traced::new(set_up, |ready| {
        act(ready);
        0
    });
    let goes_on = traced.go(stride, count);
    traced.kill();
    goes_on
}

fn ptrace(request: libc::c_uint, pid: libc::pid_t, data: libc::c_int) {
    // SAFETY: these requests read and write no memory of this process; the child is stopped.
    let done = unsafe { libc::ptrace(request, pid, null_mut::<u8>(), data as usize as *mut u8) };
    assert_eq!(done, 0);
}

/// What is there, with dead producers' cells skipped.
fn take<K: KindOf>(rx: &mut Consumer<u64, K>) -> Option<u64> {
    rx.pop().unwrap().or_else(|| {
        rx.skip_dead();
        rx.pop().unwrap()
    })
}

fn step_pushes<K: KindOf>(segment: impl Fn() -> Segment<K>) {
    let mut rx = segment().consumer::<u64>().unwrap();
    let (mut id, mut arrived) = (0, 0);
    for steps in (0..).step_by(EVERY) {
        id += 1;
        let set_up = || segment().producer::<u64>().unwrap();
        let goes_on = kill_after(Stride::Instruction, steps, set_up, |tx| {
            tx.push(id).unwrap()
        });
        // All or nothing; and all once it was there.
        let found = take(&mut rx);
        assert!(
            found.is_none() || found == Some(id),
            "{found:?} after {steps}"
        );
        assert!(
            found.is_some() || arrived == 0 || goes_on,
            "lost after {steps}"
        );
        arrived += u64::from(found.is_some());
        assert_eq!(take(&mut rx), None, "twice after {steps}");
        // The successor goes on.
        id += 1;
        segment().producer::<u64>().unwrap().push(id).unwrap();
        assert_eq!(take(&mut rx), Some(id), "after {steps}");
        if !goes_on {
            assert!(0 < arrived && arrived < steps, "{arrived} of {steps}");
            return say("good");
        }
    }
}

fn step_pops<K: KindOf>(segment: impl Fn() -> Segment<K>) {
    let mut tx = segment().producer::<u64>().unwrap();
    let (mut id, mut left) = (0, 0);
    for steps in (0..).step_by(EVERY) {
        id += 1;
        tx.push(id).unwrap();
        let set_up = || segment().consumer::<u64>().unwrap();
        let goes_on = kill_after(Stride::Instruction, steps, set_up, |rx| {
            assert_eq!(rx.pop(), Ok(Some(id)));
        });
        // It is there still, or gone; and the next one comes.
        let mut rx = segment().consumer::<u64>().unwrap();
        let found = take(&mut rx);
        assert!(
            found.is_none() || found == Some(id),
            "{found:?} after {steps}"
        );
        left += u64::from(found.is_some());
        id += 1;
        tx.push(id).unwrap();
        assert_eq!(take(&mut rx), Some(id), "after {steps}");
        assert_eq!(take(&mut rx), None);
        if !goes_on {
            assert!(
                found.is_none() && 0 < left && left < steps,
                "{left} of {steps}"
            );
            return say("good");
        }
    }
}

/// Whatever `act` does with the segment when it is killed, there is a segment afterwards, both of whose ends can be had.
fn step_calls(name: &str, is_there: bool, act: fn(Segment<gimmal_shm::kinds::Line>)) {
    let segment = || Segment::named(name).line(20);
    let mut epochs = Vec::new();
    for calls in 0.. {
        match segment().remove() {
            Ok(()) | Err(Error::NotFound(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
        if is_there {
            let mut tx = segment().producer::<u64>().unwrap();
            tx.push(1).unwrap();
        }
        let goes_on = kill_after(
            Stride::SystemCall,
            calls,
            || Some(segment()),
            |segment| {
                act(segment.take().unwrap());
            },
        );
        let mut tx = segment().producer::<u64>().unwrap();
        let mut rx = segment().consumer::<u64>().unwrap();
        assert!(tx.is_current() && rx.is_current(), "after {calls}");
        // What was in it is lost only with it.
        let is_old = is_there && tx.epoch() == 1 && rx.len() == 1;
        assert_eq!(rx.len(), usize::from(is_old), "after {calls}");
        tx.push(2).unwrap();
        while rx.pop().unwrap() != Some(2) {}
        epochs.push(rx.epoch());
        if !goes_on {
            assert!(calls > 10, "only {calls} calls");
            assert!(
                epochs.iter().all(|epoch| (1..=3).contains(epoch)),
                "{epochs:?}"
            );
            return say("good");
        }
    }
}

/// One of many producers that is stopped after whichever instruction of a push, and lives, is not given up.
fn stop_pushes(name: &str) {
    let segment = || Segment::named(name).mpsc(16, 2);
    let mut rx = segment().consumer::<u64>().unwrap();
    for (id, steps) in (0..).step_by(EVERY).enumerate() {
        let id = id as u64;
        let set_up = || segment().producer::<u64>().unwrap();
        let traced = Traced::new(set_up, |tx| i32::from(tx.push(id).is_err()));
        let goes_on = traced.go(Stride::Instruction, steps);
        let early = rx.pop().unwrap();
        assert_eq!(rx.skip_dead(), 0, "after {steps}");
        assert_eq!(traced.finish(), Some(0), "after {steps}");
        let late = take(&mut rx);
        assert_eq!(early.or(late), Some(id), "after {steps}");
        assert!(early.is_none() || late.is_none(), "twice after {steps}");
        if !goes_on {
            assert!(early.is_some() && id > 2);
            return say("good");
        }
    }
}

/// Whoever claims an end while the segment is replaced, before or after whichever of its system calls, has that of the new one.
fn overtake(name: &str) {
    let segment = || Segment::named(name).line(20);
    drop(segment().producer::<u64>().unwrap());
    let mut replaced = 0;
    for calls in 0.. {
        let traced = Traced::new(segment, |_| match segment().producer::<u64>() {
            Ok(tx) => i32::from(!tx.is_current()),
            Err(_) => 2,
        });
        let goes_on = traced.go(Stride::SystemCall, calls);
        match segment().replace().producer::<u64>() {
            Ok(_) => replaced += 1,
            Err(Error::Busy { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
        assert_eq!(traced.finish(), Some(0), "after {calls}");
        if !goes_on {
            assert!(5 < replaced && replaced < calls, "{replaced} of {calls}");
            return say("good");
        }
    }
}

fn survive(role: &str) {
    let _guard = Guard::new(300);
    let scrap = Scrap::new(role);
    let mut player = Player::new(role, scrap.name());
    assert_eq!(player.hear(), "good", "{role}");
    player.finish();
}

#[test]
fn a_push_is_there_or_not_after_each_instruction() {
    ["push-line", "push-index", "push-mpsc"]
        .into_iter()
        .for_each(survive);
}

#[test]
fn a_pop_is_done_or_not_after_each_instruction() {
    ["pop-line", "pop-index", "pop-mpsc"]
        .into_iter()
        .for_each(survive);
}

#[test]
fn a_claim_that_a_replacement_overtakes_begins_again() {
    survive("overtake");
}

#[test]
fn a_producer_that_is_slow_is_not_taken_for_a_dead_one() {
    survive("stop");
}

#[test]
fn a_segment_is_usable_after_each_system_call() {
    ["create", "claim", "replace", "remove"]
        .into_iter()
        .for_each(survive);
}
