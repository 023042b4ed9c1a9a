//! A process that goes a stride at a time, by `ptrace`, and is killed where the test says.

use std::ptr::null_mut;

/// How far a process goes before it is killed.
#[derive(Clone, Copy)]
pub enum Stride {
    Instruction,
    SystemCall,
}

/// A stopped process.
pub struct Traced {
    pid: libc::pid_t,
}

impl Traced {
    /// Runs `set_up` and then `act` in another process, which is stopped between the two. Its exit code is what `act` returns.
    pub fn new<S>(set_up: impl FnOnce() -> S, act: impl FnOnce(&mut S) -> i32) -> Self {
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
    pub fn go(&self, stride: Stride, count: u64) -> bool {
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

    /// Whether it is about to call the system, or has just entered it. Where that cannot be told, it is.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_at_call(&self) -> bool {
        true
    }

    /// Whether it is about to call the system, or has just entered it.
    #[cfg(target_arch = "x86_64")]
    pub fn is_at_call(&self) -> bool {
        const SYSCALL: [u8; 2] = [0x0f, 0x05];
        const ENTERED: i64 = -(libc::ENOSYS as i64);
        // SAFETY: a plain structure of integers, for which zero is a value.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        // SAFETY: this request writes the registers of the child, which is stopped, to such a structure.
        let done = unsafe {
            libc::ptrace(
                libc::PTRACE_GETREGS,
                self.pid,
                null_mut::<u8>(),
                &raw mut registers,
            )
        };
        assert_eq!(done, 0);
        if registers.orig_rax as i64 >= 0 && registers.rax as i64 == ENTERED {
            return true;
        }
        // SAFETY: this request reads a word of the child where an instruction of its lies.
        let word = unsafe {
            libc::ptrace(
                libc::PTRACE_PEEKTEXT,
                self.pid,
                registers.rip as *mut u8,
                null_mut::<u8>(),
            )
        };
        word.to_ne_bytes()[..2] == SYSCALL
    }

    /// Kills it.
    pub fn kill(self) {
        // SAFETY: the child was not waited for to its end.
        assert_eq!(unsafe { libc::kill(self.pid, libc::SIGKILL) }, 0);
        assert_eq!(self.wait(), Err(None));
    }

    /// Lets it go on, and gives its exit code.
    pub fn finish(self) -> Option<i32> {
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
pub fn kill_after<S>(
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
