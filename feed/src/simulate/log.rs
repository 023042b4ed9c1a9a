//! What an exchange does, as lines for people.

use super::Counts;
use crate::units::count;

/// What has happened between two looks.
pub(super) fn news(before: &Counts, now: &Counts) -> Vec<String> {
    let mut lines = Vec::new();
    let came = now.connections - before.connections;
    let went = (before.listening + came).saturating_sub(now.listening);
    for fault in now.faults.iter().skip(before.faults.len()) {
        lines.push(format!("fault     {fault}"));
    }
    if went > 0 {
        let left = now.listening;
        lines.push(format!("clients   {went} gone, {left} listening"));
    } else if came > 0 {
        let listening = now.listening;
        lines.push(format!("clients   {came} came, {listening} listening"));
    }
    lines
}

/// The faults that did not strike, if there are any.
pub fn never_struck(counts: &Counts) -> Option<String> {
    let names: Vec<String> = counts.to_come.iter().map(ToString::to_string).collect();
    (!names.is_empty()).then(|| {
        format!(
            "never struck: {}; there were {} and {}",
            names.join(", "),
            count(counts.messages, "message"),
            count(counts.snapshots, "request for a snapshot"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_happened_is_told_once() {
        let start = Counts::default();
        let mut now = Counts {
            connections: 2,
            listening: 2,
            faults: vec!["gap@3".parse().unwrap()],
            to_come: vec!["cut@9".parse().unwrap()],
            messages: 1,
            ..start.clone()
        };
        let expected = ["fault     gap@3", "clients   2 came, 2 listening"];
        assert_eq!(news(&start, &now), expected);
        assert!(news(&now, &now).is_empty());
        let before = now.clone();
        // One went, and came back.
        now.connections += 1;
        assert_eq!(news(&before, &now), ["clients   1 gone, 2 listening"]);
        let text = never_struck(&now).unwrap();
        assert_eq!(
            text,
            "never struck: cut@9; there were 1 message and 0 requests for a snapshot"
        );
        assert_eq!(never_struck(&start), None);
    }
}
