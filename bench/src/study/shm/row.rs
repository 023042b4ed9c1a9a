//! What is measured.

/// How a ring publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// By line.
    Line,
    /// By index.
    Index,
}

pub const KINDS: [Kind; 2] = [Kind::Line, Kind::Index];
/// Of a message.
pub const BYTES: [usize; 2] = [8, 48];

impl Kind {
    /// In one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Index => "index",
        }
    }

    /// The kind of that name.
    pub fn of(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

/// What passes the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A ring between two threads.
    Local(Kind),
    /// The same once more: the control.
    Again(Kind),
    /// A segment between two threads.
    Segment(Kind),
    /// A segment between two processes.
    Across(Kind),
    /// iceoryx2 between two processes.
    Iceoryx2,
}

impl Subject {
    /// As in the tables.
    pub fn name(self) -> String {
        match self {
            Self::Local(kind) => format!("{}, one process", kind.name()),
            Self::Again(kind) => format!("{}, one process again", kind.name()),
            Self::Segment(kind) => format!("{}, segment in one process", kind.name()),
            Self::Across(kind) => format!("{}, across", kind.name()),
            Self::Iceoryx2 => "iceoryx2, across".to_owned(),
        }
    }

    /// What it is compared with.
    pub const fn reference(self) -> Self {
        match self {
            Self::Local(kind) | Self::Again(kind) | Self::Segment(kind) | Self::Across(kind) => {
                Self::Local(kind)
            }
            Self::Iceoryx2 => Self::Across(Kind::Line),
        }
    }
}

/// Which way is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// There and back.
    RoundTrip,
    /// There, on a schedule.
    OneWay,
}

impl Way {
    /// As in the titles of tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundTrip => "Round trip",
            Self::OneWay => "One way",
        }
    }
}

/// A row of a table, and a cell of every round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    pub way: Way,
    pub bytes: usize,
    pub subject: Subject,
}

impl Row {
    /// All, with iceoryx2 if it was built.
    pub fn all(with_iceoryx2: bool) -> Vec<Self> {
        let mut rows = Vec::new();
        for way in [Way::RoundTrip, Way::OneWay] {
            for bytes in BYTES {
                let ours = KINDS.into_iter().flat_map(|kind| {
                    [
                        Subject::Local(kind),
                        Subject::Again(kind),
                        Subject::Segment(kind),
                        Subject::Across(kind),
                    ]
                });
                let theirs = (with_iceoryx2 && way == Way::RoundTrip).then_some(Subject::Iceoryx2);
                rows.extend(ours.chain(theirs).map(|subject| Self {
                    way,
                    bytes,
                    subject,
                }));
            }
        }
        rows
    }

    /// The row that this one is compared with.
    pub const fn reference(self) -> Self {
        Self {
            subject: self.subject.reference(),
            ..self
        }
    }

    /// The row of the same messages with another subject.
    pub const fn with(self, subject: Subject) -> Self {
        Self { subject, ..self }
    }
}
