//! What is done before the first event: to the thread, to the memory, and to the caches.

use core::fmt;

/// What a worker's thread does while the ring is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Idle {
    /// It polls without a break, and so without a system call: for a core of its own.
    #[default]
    Spin,
    /// It lets other threads run between polls, which is a system call: for a core that is shared.
    #[cfg(feature = "std")]
    Yield,
}

/// How an engine is prepared. Nothing is done that is not asked for, and what cannot be done is an error.
///
/// ```
/// use gimmal_engine::Options;
///
/// let careful = Options::new().pin(3).priority(10).lock_memory().touch().warm_up(10_000);
/// # let _ = careful;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub(crate) core: Option<usize>,
    pub(crate) priority: Option<u8>,
    pub(crate) lock_memory: bool,
    pub(crate) touch: bool,
    pub(crate) warm_up: usize,
    pub(crate) idle: Idle,
}

impl Options {
    /// None of it.
    pub const fn new() -> Self {
        Self {
            core: None,
            priority: None,
            lock_memory: false,
            touch: false,
            warm_up: 0,
            idle: Idle::Spin,
        }
    }

    /// Keeps the worker's thread on this core. Linux.
    pub const fn pin(mut self, core: usize) -> Self {
        self.core = Some(core);
        self
    }

    /// Runs the worker's thread before all ordinary ones, by `SCHED_FIFO` with this priority, 1 to 99. Linux.
    ///
    /// A thread that spins at such a priority keeps its core from everybody else; the kernel takes it away for a
    /// twentieth of every second all the same, unless it was told not to (`sched_rt_runtime_us`).
    pub const fn priority(mut self, priority: u8) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Keeps the engine's memory from being paged out. Linux.
    pub const fn lock_memory(mut self) -> Self {
        self.lock_memory = true;
        self
    }

    /// Passes through the whole ring once, so that no event waits for its memory to be mapped.
    pub const fn touch(mut self) -> Self {
        self.touch = true;
        self
    }

    /// Evaluates so many made-up events, so that code and predictions are there when the first comes. Neither the handler nor
    /// the counters see them. 10,000 are enough.
    pub const fn warm_up(mut self, events: usize) -> Self {
        self.warm_up = events;
        self
    }

    /// What the worker's thread does while the ring is empty.
    pub const fn idle(mut self, idle: Idle) -> Self {
        self.idle = idle;
        self
    }
}

/// A step of the preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// [`Options::pin`], to this core.
    Pin(usize),
    /// [`Options::priority`], to this one.
    Priority(u8),
    /// [`Options::lock_memory`], of so many bytes.
    Lock(usize),
}

/// What could not be done, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrepareError {
    /// The step that failed.
    pub step: Preparation,
    /// The system's error number; `None` where there is no way to do it here at all.
    pub code: Option<i32>,
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self.step {
            Preparation::Pin(core) => {
                write!(f, "cannot keep the thread on core {core}")?;
                "the process must be allowed to use that core"
            }
            Preparation::Priority(priority) => {
                write!(f, "cannot give the thread real-time priority {priority}")?;
                "it takes CAP_SYS_NICE or a limit (ulimit -r) as high, and is 1 to 99"
            }
            Preparation::Lock(bytes) => {
                write!(f, "cannot lock {bytes} bytes of memory")?;
                "it takes CAP_IPC_LOCK or a limit (ulimit -l) as high"
            }
        };
        match self.code {
            Some(code) => write!(f, ": error {code}; {advice}"),
            None => f.write_str(": this needs Linux, and the feature `linux`"),
        }
    }
}

impl core::error::Error for PrepareError {}
