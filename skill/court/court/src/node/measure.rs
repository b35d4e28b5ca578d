//! Computes a sub-agent's node from all observations. Pure.

use std::path::Path;

use gate::{Context, NoDisk, Policy, ToolCall, judge};
use serde_json::Value;

use super::report::self_report;
use super::returned::Returned;
use crate::records::Launch;
use crate::records::{ExitStatus, Metrics, ObjectiveNode, Role};
use crate::transcript::Record;

/// Observations of one sub-agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'s> {
    /// The client's result.
    pub returned: Option<&'s Returned>,
    /// The agent's transcript, if it was found.
    pub record: Option<&'s Record>,
    /// The transcript's path.
    pub record_path: Option<&'s Path>,
    /// Its last message, from the event of its end.
    pub words: Option<&'s str>,
    /// The reason of a failed request, as reported by the client.
    pub failure: Option<&'s str>,
    /// The call itself failed.
    pub is_error: bool,
    /// It was interrupted, or the session ended before it did.
    pub is_interrupted: bool,
}

/// The node of a sub-agent that has ended.
#[must_use]
pub fn measure(launch: &Launch, seen: Seen<'_>, now_ms: u64) -> ObjectiveNode {
    let returned = seen.returned.cloned().unwrap_or_default();
    let empty = Record::default();
    let record = seen.record.unwrap_or(&empty);
    let exit_status = exit(&seen, &returned, record);
    let statement = record.statement.as_deref();
    let words = [seen.words, Some(returned.text.as_str()), statement, seen.failure];
    let words = words.into_iter().flatten().find(|words| !words.trim().is_empty());
    // The transcript is written with a delay; the client's own count is never too high.
    let tool_call_count = record.tool_calls.max(returned.tool_calls.unwrap_or_default());
    let delegates = record.tools.iter().any(|tool| tool == "Agent" || tool == "Task");
    let is_minister = delegates || launch.is_minister();
    let failure = seen.failure.is_some() || record.failed || returned.is_unanswered;
    ObjectiveNode {
        task_id: launch.task_id.clone(),
        parent_id: launch.parent_id.clone(),
        agent_id: launch.agent_id.clone().or(returned.agent_id),
        agent_type: launch.agent_type.clone().or(returned.agent_type),
        role: if is_minister { Role::Minister } else { Role::Worker },
        metrics: Metrics {
            tool_call_count,
            tools_used: record.tools.iter().cloned().collect(),
            has_write_operation: record.has_write || returned.edits.is_some_and(|edits| edits > 0),
            exit_status,
            duration_ms: returned.duration_ms.or(record.duration_ms()).unwrap_or_default(),
            token_usage: returned
                .tokens
                .or(seen.record.map(|record| record.tokens.output))
                .filter(|_| !failure),
            tokens: seen.record.map(|record| record.tokens),
            api_failure: failure,
            measured: seen.record.is_some() || returned.tool_calls.is_some(),
        },
        self_report: self_report(words.unwrap_or_default()),
        raw_log_path: seen.record_path.map(|path| path.to_string_lossy().into_owned()),
        created_at: now_ms,
    }
}

fn exit(seen: &Seen<'_>, returned: &Returned, record: &Record) -> ExitStatus {
    let status = returned.status.as_deref().unwrap_or("completed");
    let is_stopped = matches!(status, "killed" | "interrupted" | "cancelled" | "canceled");
    if seen.failure.is_some() || record.failed || returned.is_unanswered {
        ExitStatus::Error
    } else if seen.is_interrupted || record.interrupted || is_stopped {
        ExitStatus::Interrupted
    } else if seen.is_error {
        ExitStatus::Error
    } else if matches!(status, "completed" | "async_launched" | "success") {
        ExitStatus::Success
    } else {
        ExitStatus::Error
    }
}

/// Prefixes of the gate's rules about changes.
const CHANGES: [&str; 10] = [
    "files.",
    "git.",
    "tool.write",
    "code.destroys",
    "cluster.",
    "cloud.",
    "database.",
    "infrastructure.",
    "package.",
    "system.",
];

/// Whether a successful call changed something: by its tool, and for a shell command by the gate's
/// findings. A program unknown to the gate does not count.
#[must_use]
pub fn writes(name: &str, input: &Value) -> bool {
    match name {
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => true,
        "Bash" => {
            let context = Context {
                cwd: "/project",
                project: "/project",
                home: "/home/user",
                scratch: &[],
                protected: &[],
                disk: &NoDisk,
            };
            let judgement = judge(&ToolCall { name, input }, &context, Policy::Graded);
            let changes = |id: &str| CHANGES.iter().any(|room| id.starts_with(room));
            judgement.findings.iter().any(|finding| changes(finding.rule.id))
        }
        _ => false,
    }
}
