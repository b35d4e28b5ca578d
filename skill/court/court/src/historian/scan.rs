//! The first layer: compares each node's metrics with the sub-agent's own report. Pure and fast. A finding
//! is a reason for a closer look, not a verdict.

use std::fmt;

use crate::records::{Confidence, ExitStatus, ObjectiveNode};

/// Duration below which a sub-agent hardly worked, in milliseconds.
const SHORT_MS: u64 = 2_000;
/// Number of calls up to which a sub-agent hardly worked.
const SHORT_CALLS: u64 = 1;

/// Why a node needs a closer look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Abnormal {
    /// A model request failed, whatever the client reports.
    ApiFailure,
    /// It ended with an error.
    Error,
    /// It was interrupted.
    Interrupted,
    /// It claims a change, but no write of it succeeded.
    NoWrite,
    /// It succeeded almost at once, with hardly a call.
    Short,
    /// It states a low confidence.
    LowConfidence,
    /// It reports a problem.
    Reported,
    /// It could not be measured.
    Unmeasured,
}

/// What is abnormal about a node; empty for a normal one.
#[must_use]
pub(super) fn scan(node: &ObjectiveNode) -> Vec<Abnormal> {
    let metrics = &node.metrics;
    let ended_well = metrics.exit_status == ExitStatus::Success;
    let hardly = metrics.tool_call_count <= SHORT_CALLS && metrics.duration_ms < SHORT_MS;
    let claims = claims_change(&node.self_report.summary);
    [
        (metrics.api_failure, Abnormal::ApiFailure),
        (metrics.exit_status == ExitStatus::Error && !metrics.api_failure, Abnormal::Error),
        (metrics.exit_status == ExitStatus::Interrupted, Abnormal::Interrupted),
        (
            ended_well && metrics.measured && claims && !metrics.has_write_operation,
            Abnormal::NoWrite,
        ),
        (ended_well && metrics.measured && hardly, Abnormal::Short),
        (node.self_report.confidence == Confidence::Low, Abnormal::LowConfidence),
        (!node.self_report.anomalies.is_empty(), Abnormal::Reported),
        (!metrics.measured, Abnormal::Unmeasured),
    ]
    .into_iter()
    .filter_map(|(applies, abnormal)| applies.then_some(abnormal))
    .collect()
}

/// Words that claim a change.
const CHANGED: [&str; 14] = [
    "implemented",
    "fixed",
    "created",
    "updated",
    "refactored",
    "wrote",
    "added",
    "removed",
    "renamed",
    "migrated",
    "changed",
    "modified",
    "rewrote",
    "edited",
];

/// The same in Chinese, which has no word boundaries.
const CHANGED_ZH: [&str; 8] =
    ["已实现", "已修复", "已创建", "已更新", "已完成", "已添加", "已修改", "重构了"];

/// Words before such a word that negate it.
const NOT: [&str; 8] = ["not", "never", "no", "nothing", "cannot", "can't", "wasn't", "without"];

fn claims_change(summary: &str) -> bool {
    let lower = summary.to_lowercase();
    if CHANGED_ZH.iter().any(|word| lower.contains(word)) {
        return true;
    }
    let words: Vec<&str> = lower
        .split(|char: char| !(char.is_alphanumeric() || char == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().any(|(at, word)| {
        let before = &words[at.saturating_sub(3)..at];
        CHANGED.contains(word) && !before.iter().any(|word| NOT.contains(word))
    })
}

impl fmt::Display for Abnormal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ApiFailure => "its request to the model failed",
            Self::Error => "it ended with an error",
            Self::Interrupted => "it was interrupted",
            Self::NoWrite => "it says that it changed something, but no write succeeded",
            Self::Short => "it ended almost at once, with hardly a tool call",
            Self::LowConfidence => "its own confidence is low",
            Self::Reported => "it reports an anomaly",
            Self::Unmeasured => "nothing could be counted: only its own words are known",
        })
    }
}
