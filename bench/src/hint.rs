//! The spin hints; the twin of those in `cxx/timing.hpp`.

use clap::ValueEnum;

/// What a thread does while it waits for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Hint {
    /// Looks again at once.
    None,
    /// The processor's hint for spinning (`pause`).
    Pause,
    /// Waits until its loads are done (`lfence`).
    Lfence,
}

impl Hint {
    /// As on the command line and in the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pause => "pause",
            Self::Lfence => "lfence",
        }
    }
}

/// A hint that is compiled into a kernel.
pub trait Relax: 'static {
    /// What to do before looking again.
    fn relax();
}

/// [`Hint::None`].
pub struct NoHint;

impl Relax for NoHint {
    #[inline(always)]
    fn relax() {}
}

/// [`Hint::Pause`].
pub struct PauseHint;

impl Relax for PauseHint {
    #[inline(always)]
    fn relax() {
        std::hint::spin_loop();
    }
}

/// [`Hint::Lfence`].
pub struct LfenceHint;

impl Relax for LfenceHint {
    #[inline(always)]
    fn relax() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has the instruction.
        unsafe {
            core::arch::x86_64::_mm_lfence();
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: a barrier touches nothing.
        unsafe {
            core::arch::asm!("dsb sy");
        }
    }
}
