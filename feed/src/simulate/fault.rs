//! What the exchange does wrong, and when.

use clap::ValueEnum;
use std::fmt;
use std::str::FromStr;

/// Something that the exchange does wrong, once.
///
/// Those of the stream strike the first diff that is due, those of snapshots a request for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Fault {
    /// A diff is left out
    Gap,
    /// A diff is sent twice
    Duplicate,
    /// A diff is sent after the next of its symbol
    Reorder,
    /// Connections are closed, and the market moves on before anybody is back
    Disconnect,
    /// Connections end without a close, in the middle of a diff, and the market moves on before anybody is back
    Cut,
    /// A diff is cut short within its frame, so that its JSON is broken
    Malformed,
    /// A diff comes with a great deal of white space
    Oversized,
    /// Nothing more is sent, pings are not answered, and the connection stays open
    PingTimeout,
    /// The answer comes late, and is as old as the request
    SlowSnapshot,
    /// The answer is the book as the market opened, older than any diff
    StaleSnapshot,
    /// The answer is an error 429, with the time after which to ask again; whoever asks before is refused by an error 418
    TooManyRequests,
    /// The answer is an error 500
    ServerError,
    /// The connection ends in the middle of the answer
    TruncatedSnapshot,
}

impl Fault {
    /// Whether it strikes a request for a snapshot, and not the stream.
    pub const fn is_of_snapshots(self) -> bool {
        matches!(
            self,
            Self::SlowSnapshot
                | Self::StaleSnapshot
                | Self::TooManyRequests
                | Self::ServerError
                | Self::TruncatedSnapshot
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.pad(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// A fault and when it strikes, written `NAME@COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheduled {
    /// What goes wrong.
    pub fault: Fault,
    /// Which message of the stream, or which request for a snapshot, counted from 1.
    pub at: u64,
}

impl fmt::Display for Scheduled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.fault, self.at)
    }
}

impl FromStr for Scheduled {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, at) = text
            .split_once('@')
            .ok_or_else(|| format!("{text:?} is not NAME@COUNT"))?;
        let fault = <Fault as ValueEnum>::from_str(name, false).map_err(|_| {
            let all: Vec<_> = Fault::value_variants()
                .iter()
                .map(Fault::to_string)
                .collect();
            format!("{name:?} is none of the faults {}", all.join(", "))
        })?;
        match at.parse() {
            Ok(at) if at > 0 => Ok(Self { fault, at }),
            _ => Err(format!("{at:?} is no count, which starts at 1")),
        }
    }
}

/// The faults to come and those that struck.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) to_come: Vec<Scheduled>,
    pub(super) struck: Vec<Scheduled>,
}

impl Plan {
    pub(super) fn new(mut faults: Vec<Scheduled>) -> Self {
        faults.sort_by_key(|scheduled| scheduled.at);
        Self {
            to_come: faults,
            struck: Vec::new(),
        }
    }

    /// Adds a fault, after those that are due as early.
    pub(super) fn add(&mut self, fault: Scheduled) {
        let place = self.to_come.partition_point(|one| one.at <= fault.at);
        self.to_come.insert(place, fault);
    }

    /// The fault that strikes a diff which is this message of the stream: the first that is due.
    pub(super) fn of_diff(&mut self, count: u64) -> Option<Fault> {
        self.take(|one| !one.fault.is_of_snapshots() && one.at <= count)
    }

    /// The fault that strikes this request for a snapshot.
    pub(super) fn of_snapshot(&mut self, count: u64) -> Option<Fault> {
        self.take(|one| one.fault.is_of_snapshots() && one.at <= count)
    }

    fn take(&mut self, is_due: impl Fn(&Scheduled) -> bool) -> Option<Fault> {
        let index = self.to_come.iter().position(is_due)?;
        let due = self.to_come.remove(index);
        self.struck.push(due);
        Some(due.fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_as_they_are_written() {
        for fault in Fault::value_variants() {
            let scheduled = Scheduled {
                fault: *fault,
                at: 7,
            };
            assert_eq!(scheduled.to_string().parse(), Ok(scheduled));
        }
        for (text, reason) in [
            ("gap", "not NAME@COUNT"),
            ("gap@0", "no count"),
            ("gap@x", "no count"),
            ("flood@1", "none of the faults gap, duplicate"),
        ] {
            assert!(text.parse::<Scheduled>().unwrap_err().contains(reason));
        }
    }

    #[test]
    fn each_fault_strikes_once_and_where_it_belongs() {
        let faults = ["slow-snapshot@1", "gap@9", "cut@5"].map(|text| text.parse().unwrap());
        let mut plan = Plan::new(faults.to_vec());
        assert_eq!(plan.of_diff(4), None);
        assert_eq!(plan.of_diff(9), Some(Fault::Cut));
        assert_eq!(plan.of_diff(9), Some(Fault::Gap));
        assert_eq!(plan.of_diff(10), None);
        assert_eq!(plan.of_snapshot(1), Some(Fault::SlowSnapshot));
        assert_eq!(plan.of_snapshot(2), None);
        plan.add("gap@12".parse().unwrap());
        plan.add("cut@11".parse().unwrap());
        assert_eq!(plan.of_diff(12), Some(Fault::Cut));
        assert_eq!(plan.of_diff(12), Some(Fault::Gap));
        assert_eq!(plan.struck.len(), 5);
    }
}
