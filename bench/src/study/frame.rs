//! What is true of every study: a quick look decides nothing, nor does a run that was disturbed, and what the system did is said.

use super::result::{Findings, Verdict};
use crate::report::Machine;

/// The share of what was measured, in percent, of which what is left decides nothing.
const TOO_MUCH: u64 = 50;

/// How a study ran, as far as it matters to what it found.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'m> {
    /// Whether it was to be quick.
    pub quick: bool,
    /// The machine.
    pub machine: &'m Machine,
    /// Hundredths of a second that the host took of the two cores meanwhile, if it says.
    pub stolen: Option<u64>,
}

/// The findings with the claim judged only if there is enough to judge it by, and with notes of all that.
pub fn settled(mut findings: Findings, circumstances: Circumstances<'_>) -> Findings {
    if let Some(claim) = &mut findings.claim {
        let why = match &findings.disturbed {
            _ if circumstances.quick => Some("a quick look".to_owned()),
            Some(disturbed) if disturbed.percent() > TOO_MUCH => Some(format!(
                "too much was disturbed for a verdict, {} %",
                disturbed.percent()
            )),
            _ => None,
        };
        if let Some(why) = why {
            claim.verdict = Verdict::Unjudged;
            claim.margin = format!("{why}: {}", claim.margin);
        }
    }
    let notes = &mut findings.notes;
    if circumstances.quick {
        notes.push("A quick look (--quick) takes fewer rounds than a verdict needs, so no claim is judged by it.".to_owned());
    }
    notes.extend(
        findings
            .disturbed
            .as_ref()
            .map(|disturbed| disturbed.words() + "."),
    );
    if let Some(stolen) = circumstances.stolen.filter(|&stolen| stolen > 0) {
        notes.push(format!(
            "Meanwhile the host of this virtual machine gave {} ms of the two cores' time to others.",
            stolen * 10
        ));
    }
    notes.extend(circumstances.machine.throttling());
    findings
}

#[cfg(test)]
mod tests {
    use super::super::result::{Claim, Disturbed};
    use super::*;

    fn refuted(disturbed: Option<(u64, u64)>) -> Findings {
        Findings {
            claim: Some(Claim {
                record: String::new(),
                prediction: String::new(),
                verdict: Verdict::Refuted,
                margin: "5 miss".to_owned(),
            }),
            disturbed: disturbed.map(|(kept, dropped)| Disturbed {
                of: "cells".to_owned(),
                kept,
                dropped,
            }),
            ..Findings::default()
        }
    }

    fn after(findings: Findings, quick: bool, stolen: Option<u64>) -> (Verdict, String, String) {
        let machine = Machine {
            scheduling: "SCHED_FIFO".to_owned(),
            sched_rt_runtime_us: Some(950_000),
            ..Machine::default()
        };
        let circumstances = Circumstances {
            quick,
            machine: &machine,
            stolen,
        };
        let settled = settled(findings, circumstances);
        let claim = settled.claim.unwrap();
        (claim.verdict, claim.margin, settled.notes.join("\n"))
    }

    #[test]
    fn a_quick_look_decides_nothing() {
        let (verdict, margin, notes) = after(refuted(None), true, None);
        assert_eq!(verdict, Verdict::Unjudged);
        assert_eq!(margin, "a quick look: 5 miss");
        assert!(notes.contains("--quick"), "{notes}");
        let (verdict, margin, notes) = after(refuted(None), false, None);
        assert_eq!((verdict, margin.as_str()), (Verdict::Refuted, "5 miss"));
        assert!(!notes.contains("--quick"), "{notes}");
    }

    #[test]
    fn what_was_disturbed_is_said_and_too_much_of_it_decides_nothing() {
        let (verdict, _, notes) = after(refuted(Some((60, 40))), false, Some(0));
        assert_eq!(verdict, Verdict::Refuted);
        assert!(
            notes.contains("40 of 100 cells (40 %) were left out"),
            "{notes}"
        );
        assert!(!notes.contains("host"), "{notes}");
        let (verdict, margin, _) = after(refuted(Some((40, 60))), false, None);
        assert_eq!(verdict, Verdict::Unjudged);
        assert!(margin.starts_with("too much was disturbed"), "{margin}");
    }

    #[test]
    fn what_the_system_did_is_said() {
        let (.., notes) = after(refuted(None), false, Some(7));
        assert!(
            notes.contains("70 ms") && notes.contains("sched_rt_runtime_us at 950000"),
            "{notes}"
        );
    }
}
