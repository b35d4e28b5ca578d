//! The ledger as text for the model, the most important entries first.

use crate::fence;
use crate::records::{AnchorKind, Ledger, Mode, Standing};

/// How many decisions are shown.
const DECISIONS_MAX: usize = 12;
/// The longest line of an anchor, in characters.
const LINE_MAX: usize = 300;

/// The ledger as lines: mode, risks, tasks, the newest decisions.
pub fn summary(ledger: &Ledger) -> String {
    let count = |kind| ledger.of_kind(kind).count();
    let mut lines = vec![
        mode(ledger),
        format!(
            "Anchors: {} (RISK_HIGH {}, TASK_ACTIVE {}, DECISION {})",
            ledger.anchors.len(),
            count(AnchorKind::RiskHigh),
            count(AnchorKind::TaskActive),
            count(AnchorKind::Decision)
        ),
    ];
    for kind in [AnchorKind::RiskHigh, AnchorKind::TaskActive] {
        lines.extend(ledger.of_kind(kind).map(line));
    }
    lines.extend(ledger.of_kind(AnchorKind::Decision).rev().take(DECISIONS_MAX).map(line));
    lines.join("\n")
}

/// `full`, or the degraded capabilities.
pub fn mode(ledger: &Ledger) -> String {
    if ledger.metadata.mode == Mode::Full {
        return "Mode: full".to_owned();
    }
    let degraded = ledger.metadata.capabilities.iter();
    let degraded = degraded.filter(|(_, seen)| seen.standing == Standing::Degraded);
    let forms: Vec<String> = degraded
        .map(|(capability, seen)| {
            let why = fence::sanitize_line(&seen.why, 120);
            format!("{} ({why}): {}", capability.number(), capability.form())
        })
        .collect();
    format!("Mode: degraded: {}", forms.join("; "))
}

/// One anchor. Its text comes from sub-agents, and is sanitized again because another writer may have
/// written the file.
pub fn line(anchor: &crate::records::Anchor) -> String {
    let task = match (&anchor.task_id, anchor.kind) {
        (Some(task), AnchorKind::Decision) => format!(" [{}]", fence::sanitize_line(task, 60)),
        _ => String::new(),
    };
    let (word, id) = (anchor.kind.word(), fence::sanitize_line(&anchor.id, 40));
    format!("- {word} {id}{task}: {}", fence::sanitize_line(&anchor.content, LINE_MAX))
}
