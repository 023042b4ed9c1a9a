//! Ends the process if a cell never does: a queue that loses a message leaves both threads spinning for it. An alarm costs
//! a system call between cells and nothing during one, where a watching thread would take time from the two cores.

use anyhow::Result;
use nix::libc;
use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};
use nix::unistd::alarm;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Far beyond what any cell takes, even on a machine that is busy with something else.
const LIMIT_SECONDS: u32 = 120;

static MESSAGE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Armed for the whole comparison.
pub struct Watchdog {
    message: String,
}

impl Watchdog {
    /// Takes over the alarm signal.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn new() -> Result<Self> {
        let action = SigAction::new(SigHandler::Handler(end), SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler does only what a signal handler may: it writes bytes and ends the process.
        unsafe { sigaction(Signal::SIGALRM, &action)? };
        Ok(Self {
            message: String::new(),
        })
    }

    /// Starts the time of one cell, which `what` names.
    pub fn start(&mut self, what: &str) {
        alarm::cancel();
        self.message = format!("{what} did not end within {LIMIT_SECONDS} s: a message was lost, or a core was not to be had\n");
        LENGTH.store(self.message.len(), Ordering::Relaxed);
        // Pairs with the Acquire in the handler.
        MESSAGE.store(self.message.as_mut_ptr(), Ordering::Release);
        alarm::set(LIMIT_SECONDS);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        alarm::cancel();
    }
}

extern "C" fn end(_: libc::c_int) {
    // Pairs with the Release in `start`.
    let message = MESSAGE.load(Ordering::Acquire);
    // SAFETY: the alarm is set only while the watchdog holds the message, and both calls are safe in a signal handler.
    unsafe {
        libc::write(2, message.cast(), LENGTH.load(Ordering::Relaxed));
        libc::_exit(70);
    }
}
