//! A full fence on every thread that may ring a bell, run by the kernel: Linux's `membarrier`.

use rustix::thread::{membarrier, MembarrierCommand};

/// Who is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The threads of this process.
    Process,
    /// The threads of every process that has registered.
    Machine,
}

impl Scope {
    /// Registers this process as one whose threads may be reached; false if the kernel cannot.
    pub(super) fn register(self) -> bool {
        membarrier(match self {
            Self::Process => MembarrierCommand::RegisterPrivateExpedited,
            Self::Machine => MembarrierCommand::RegisterGlobalExpedited,
        })
        .is_ok()
    }

    /// Has each of them execute a full fence, and this thread too; false if that did not happen.
    pub(super) fn fence(self) -> bool {
        membarrier(match self {
            Self::Process => MembarrierCommand::PrivateExpedited,
            Self::Machine => MembarrierCommand::GlobalExpedited,
        })
        .is_ok()
    }
}

/// Orders whoever still relies on another sleeper's barriers.
pub(super) fn withdraw() {
    // The last sleeper was of one of the two; the other call does no harm, and one that fails reached nobody before.
    Scope::Process.fence();
    Scope::Machine.fence();
}
