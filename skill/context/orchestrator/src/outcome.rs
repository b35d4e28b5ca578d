//! Converts a tool's outcome into its result in the report and in `[Limits]`, and derives the exit code.

use std::time::Duration;

use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::limits;
use orchestration::report::{Degraded, ErrorCode, Status, ToolError, ToolResult};
use serde_json::{Map, json};

use crate::draft::Draft;
use crate::limits::Limits;
use crate::plan::Refused;
use crate::redaction::{self, Sanitized};
use crate::run::Outcome;
use crate::tool::{Found, ToolFault};

/// The time `after` the beginning, RFC 3339 with milliseconds.
#[must_use]
pub fn moment(begun: Timestamp, after: Duration) -> String {
    let after = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
    let moment = Timestamp::from_millisecond(begun.as_millisecond().saturating_add(after));
    moment.unwrap_or(begun).to_string()
}

/// A tool that answered. It may have run with changed arguments; `clamped` says which.
#[must_use]
pub fn answered(
    tool: &str,
    at: &str,
    took: Duration,
    sanitized: &Sanitized,
    clamped: Option<&String>,
) -> ToolResult {
    let mut data = Map::new();
    data.insert("version".to_owned(), json!(sanitized.found.version));
    data.insert("places".to_owned(), json!(sanitized.found.findings.len()));
    ToolResult {
        summary: sanitized.found.summary.clone(),
        data: Some(data),
        error: clamped.map(|message| ToolError {
            message: message.clone(),
            code: Some(ErrorCode::InvalidArgs),
        }),
        redactions: sanitized.redactions.clone(),
        truncated: !sanitized.found.limits.is_empty(),
        ..blank(tool, Status::Ok, at, took)
    }
}

/// A tool that failed.
#[must_use]
pub fn failed(
    tool: &str,
    at: &str,
    took: Duration,
    outcome: &Outcome,
    timeout_ms: u64,
    limits: &mut Limits,
) -> ToolResult {
    let (status, code, message) = match outcome {
        Outcome::Timeout | Outcome::Fault(ToolFault::TooSlow) => {
            (Status::Timeout, ErrorCode::Timeout, format!("no answer within {timeout_ms} ms"))
        }
        Outcome::NoBudget => {
            (Status::Skipped, ErrorCode::BudgetExceeded, "no time was left for it".to_owned())
        }
        Outcome::Missing => {
            (Status::Skipped, ErrorCode::ToolUnavailable, "nothing offers it here".to_owned())
        }
        Outcome::Fault(fault @ ToolFault::InvalidArgs(_)) => {
            (Status::Error, ErrorCode::InvalidArgs, fault.to_string())
        }
        Outcome::Fault(fault @ ToolFault::Unreadable(_)) => {
            (Status::Error, ErrorCode::Parse, fault.to_string())
        }
        Outcome::Fault(fault @ ToolFault::Unavailable(_)) => {
            (Status::Error, ErrorCode::ToolUnavailable, fault.to_string())
        }
        Outcome::Fault(fault @ ToolFault::Crashed(_)) => {
            (Status::Error, ErrorCode::Unknown, fault.to_string())
        }
        Outcome::Found(_) => (Status::Error, ErrorCode::Unknown, String::new()),
    };
    // The tool's error message is as untrusted as its findings.
    let message = redaction::sanitize(Found { summary: message, ..Found::default() }).found.summary;
    match code {
        ErrorCode::Timeout => limits.say(format!("{}: {tool} ({message})", limits::TOOL_TIMEOUT)),
        ErrorCode::BudgetExceeded => limits.say(limits::BUDGET),
        ErrorCode::ToolUnavailable | ErrorCode::Unknown => {
            limits.say(format!("{}: {tool} ({message})", limits::TOOL_UNAVAILABLE));
        }
        _ => limits.say(format!("{tool}: {message}")),
    }
    ToolResult {
        error: Some(ToolError { message, code: Some(code) }),
        ..blank(tool, status, at, took)
    }
}

/// A tool that does not run.
#[must_use]
pub fn refused(refused: &Refused, at: &str) -> ToolResult {
    let tool = redact::sanitize(&refused.tool, redact::Cut::chars(80));
    let message = redact::sanitize(&refused.message, redact::Cut::chars(600));
    ToolResult {
        error: Some(ToolError { message, code: Some(refused.code) }),
        ..blank(&tool, Status::Skipped, at, Duration::ZERO)
    }
}

fn blank(tool: &str, status: Status, at: &str, took: Duration) -> ToolResult {
    ToolResult {
        tool: tool.to_owned(),
        status,
        started_at: at.to_owned(),
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        summary: String::new(),
        data: None,
        error: None,
        redactions: Vec::new(),
        truncated: false,
    }
}

/// Records in the draft what is missing, and returns the exit code.
/// One useful answer counts as success.
#[must_use]
pub fn exit(draft: &mut Draft) -> Exit {
    let planned = &draft.report.tool_plan.tools;
    let results = &draft.report.tool_results[..planned.len()];
    let missing: Vec<&ToolResult> =
        results.iter().filter(|result| result.status != Status::Ok).collect();
    let is_useful = planned
        .iter()
        .zip(results)
        .any(|(tool, result)| tool.tier > 0 && result.status == Status::Ok);
    let is_late = |result: &&ToolResult| {
        let code = result.error.as_ref().and_then(|error| error.code);
        matches!(code, Some(ErrorCode::Timeout | ErrorCode::BudgetExceeded))
    };
    let is_any_late = missing.iter().any(is_late);
    let is_cut = results.iter().any(|result| result.truncated);
    let mut reasons: Vec<String> = missing
        .iter()
        .map(|result| {
            let message = result.error.as_ref().map(|error| error.message.as_str());
            format!("{}: {}", result.tool, message.unwrap_or_default())
        })
        .collect();
    if is_cut {
        reasons.push("results truncated".to_owned());
    }
    if !reasons.is_empty() {
        let degraded_to = if is_useful { "partial" } else { "plan-only" };
        draft.report.degraded = Degraded {
            is_degraded: true,
            reason: reasons.join("; "),
            degraded_to: degraded_to.to_owned(),
        };
    }
    match (is_useful, is_any_late) {
        (true, _) => Exit::Done,
        (false, true) => Exit::Late,
        (false, false) if missing.is_empty() => Exit::Done,
        (false, false) => Exit::NoTool,
    }
}
