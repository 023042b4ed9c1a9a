//! How an end fares, and whose it is.

use gimmal_shm::EndState;
use serde::Serialize;

/// An end, as JSON has it.
#[derive(Debug, Serialize)]
pub struct End {
    /// `alive`, `stopped`, `dead` or `absent`.
    pub peer: String,
    pub pid: Option<u32>,
    pub claims: u32,
    /// Seconds since it last said that it runs.
    pub last_beat: Option<f64>,
}

impl From<EndState> for End {
    fn from(state: EndState) -> Self {
        Self {
            peer: state.peer.to_string(),
            pid: state.holder.map(|holder| holder.pid),
            claims: state.claims,
            last_beat: state.last_beat.map(|beat| beat.as_secs_f64()),
        }
    }
}

impl End {
    /// For a table: `alive (4711)`.
    pub fn brief(&self) -> String {
        match self.pid {
            Some(pid) => format!("{} ({pid})", self.peer),
            None => self.peer.clone(),
        }
    }

    /// All of it. The lock says who is alive, and no heartbeat: a healthy end that only pushes beats never.
    pub fn long(&self) -> String {
        let mut text = self.brief();
        text += &match self.claims {
            1 => ", claimed once".to_owned(),
            claims => format!(", claimed {claims} times"),
        };
        if let Some(beat) = self.last_beat {
            text += &format!(", last claim, wait or beat() {beat:.1} s ago");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_in_words() {
        let mut end = End {
            peer: "alive".into(),
            pid: Some(42),
            claims: 1,
            last_beat: Some(22.04),
        };
        assert_eq!(end.brief(), "alive (42)");
        assert_eq!(
            end.long(),
            "alive (42), claimed once, last claim, wait or beat() 22.0 s ago"
        );
        (end.pid, end.claims, end.last_beat) = (None, 0, None);
        assert_eq!(end.long(), "alive, claimed 0 times");
    }
}
