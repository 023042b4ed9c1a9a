//! The rows of the ablation: the base, and what differs from it in one thing.

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// Everything: by line, hybrid, fenced counter, pinned, locked, touched and warm, real-time if that was asked for.
    Base,
    /// The same once more: the control.
    Again,
    /// The same by the engine's own two ends, which count.
    Engine,
    /// By index, a line for each place: the usual design.
    ByIndex,
    /// By index, places of 48 bytes side by side, some of which straddle two lines.
    SideBySide,
    /// By line, the producer fetches so many cells ahead for writing.
    Ahead(u8),
    /// The first comparison that decides.
    Branched,
    /// All comparisons at once.
    Branchless,
    /// Timed by the system's clock.
    SystemClock,
    /// Timed by the counter, which may be read before what precedes it is done.
    PlainCounter,
    /// Timed by the counter, read when what precedes it is done.
    #[cfg(target_arch = "x86_64")]
    WaitingCounter,
    /// Threads may move between the two cores.
    Unpinned,
    /// Memory that may be paged out.
    Unlocked,
    /// Memory that nobody has touched, and code that nobody has run, in every cell.
    Untouched,
    /// Without real-time priority.
    Ordinary,
}

impl Row {
    /// All that can be measured, with real-time priority or without.
    pub fn all(realtime: bool) -> Vec<Self> {
        let mut rows = vec![
            Self::Base,
            Self::Again,
            Self::Engine,
            Self::ByIndex,
            Self::SideBySide,
            Self::Ahead(1),
            Self::Ahead(2),
            Self::Ahead(4),
            Self::Branched,
            Self::Branchless,
            Self::SystemClock,
            Self::PlainCounter,
            #[cfg(target_arch = "x86_64")]
            Self::WaitingCounter,
            Self::Unpinned,
            Self::Unlocked,
            Self::Untouched,
        ];
        if realtime {
            rows.push(Self::Ordinary);
        }
        rows
    }

    /// As in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Again => "base again",
            Self::Engine => "the engine itself",
            Self::ByIndex => "by index",
            Self::SideBySide => "by index, not padded",
            Self::Ahead(1) => "looking 1 ahead",
            Self::Ahead(2) => "looking 2 ahead",
            Self::Ahead(_) => "looking 4 ahead",
            Self::Branched => "branched",
            Self::Branchless => "branchless",
            Self::SystemClock => "system's clock",
            Self::PlainCounter => "counter, no fence",
            #[cfg(target_arch = "x86_64")]
            Self::WaitingCounter => "counter, rdtscp",
            Self::Unpinned => "not pinned",
            Self::Unlocked => "memory not locked",
            Self::Untouched => "not touched, not warm",
            Self::Ordinary => "no real-time priority",
        }
    }
}
