//! Access to parts of a report by JSON Pointer. Readers keep the JSON, because a later minor version may
//! add fields that the types do not know.

use serde_json::{Map, Value, json};

/// Prefix of each line of `[Limits]`.
pub const LIMITS_MARK: &str = "[Limits]";

const VERSION: &str = "/schema_version";
const RUN_ID: &str = "/run_id";
const CONTEXT: &str = "/fused_context/for_model/additional_context";
const ITEMS: &str = "/fused_context/for_model/structured/items";
const STRUCTURED: &str = "/fused_context/for_model/structured";
const PROMPT: &str = "/inputs/prompt";
const PLAN_TEXT: &str = "/fused_context/for_user/tool_plan_text";
const RESULTS_TEXT: &str = "/fused_context/for_user/results_text";
const LIMITS_TEXT: &str = "/fused_context/for_user/limits_text";
const TOOLS: &str = "/tool_plan/tools";
const REPO_ROOT: &str = "/inputs/repo_root";
const IS_DEGRADED: &str = "/degraded/is_degraded";

/// Whether a value has the right type.
type Kind = fn(&Value) -> bool;

/// The parts of a report of any version.
const ALWAYS: &[(&str, Kind)] = &[(VERSION, Value::is_string), (CONTEXT, Value::is_string)];

/// The further parts of version 1 that readers depend on.
const VERSION_1: &[(&str, Kind)] = &[
    (RUN_ID, Value::is_string),
    ("/client", Value::is_object),
    ("/inputs", Value::is_object),
    ("/tool_plan", Value::is_object),
    (TOOLS, Value::is_array),
    ("/tool_results", Value::is_array),
    (PLAN_TEXT, Value::is_string),
    (RESULTS_TEXT, Value::is_string),
    (LIMITS_TEXT, Value::is_string),
    (IS_DEGRADED, Value::is_boolean),
    ("/enforcement/source", Value::is_string),
];

/// Result of a quick check of a value. Full validation against the schema takes longer than a
/// hook can wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version<'r> {
    /// A report of version 1 or of a later minor version.
    One,
    /// A report of another version, which is named. Only its context is known.
    Other(&'r str),
}

/// Checks which version a report is of.
///
/// # Errors
/// The JSON Pointer of the first part that is missing or of a wrong type.
pub fn version(report: &Value) -> Result<Version<'_>, &'static str> {
    let first_wrong = |parts: &[(&'static str, Kind)]| {
        let is_right = |(at, kind): &(&'static str, Kind)| report.pointer(at).is_some_and(kind);
        parts.iter().find(|part| !is_right(part)).map_or(Ok(()), |(at, _)| Err(*at))
    };
    first_wrong(ALWAYS)?;
    let version = text(report, VERSION);
    if version.split('.').next() != Some("1") {
        return Ok(Version::Other(version));
    }
    first_wrong(VERSION_1)?;
    Ok(Version::One)
}

/// The text for the model; if empty, nothing is injected.
#[must_use]
pub fn context(report: &Value) -> &str {
    text(report, CONTEXT)
}

/// The id of the run or plan.
#[must_use]
pub fn run_id(report: &Value) -> &str {
    text(report, RUN_ID)
}

/// The prompt, masked; empty if the report does not contain it.
#[must_use]
pub fn prompt(report: &Value) -> &str {
    text(report, PROMPT)
}

/// The planned tools and the reasons: `[Auto Tools]`.
#[must_use]
pub fn plan_text(report: &Value) -> &str {
    text(report, PLAN_TEXT)
}

/// The findings: `[Results]`.
#[must_use]
pub fn results_text(report: &Value) -> &str {
    text(report, RESULTS_TEXT)
}

/// The restrictions: `[Limits]`, one per line.
#[must_use]
pub fn limits_text(report: &Value) -> &str {
    text(report, LIMITS_TEXT)
}

/// The folder that the context is about, if one was found.
#[must_use]
pub fn repo_root(report: &Value) -> Option<&str> {
    report.pointer(REPO_ROOT).and_then(Value::as_str)
}

/// Whether the report is degraded.
#[must_use]
pub fn is_degraded(report: &Value) -> bool {
    report.pointer(IS_DEGRADED) == Some(&Value::Bool(true))
}

/// Number of planned tools.
#[must_use]
pub fn tool_count(report: &Value) -> usize {
    count(report, TOOLS)
}

/// Number of code locations found.
#[must_use]
pub fn item_count(report: &Value) -> usize {
    count(report, ITEMS)
}

/// Replaces the text for the model.
pub fn set_context(report: &mut Value, context: String) {
    if let Some(place) = report.pointer_mut(CONTEXT) {
        *place = Value::String(context);
    }
}

/// Removes the structured findings.
pub fn clear_structured(report: &mut Value) {
    if let Some(place) = report.pointer_mut(STRUCTURED) {
        *place = Value::Object(Map::new());
    }
}

/// Adds a limit, given without its prefix, unless it exists.
pub fn add_limit(report: &mut Value, limit: &str) {
    let line = limit_line(limit);
    let earlier = limits_text(report);
    if earlier.lines().any(|known| known == line) {
        return;
    }
    let text = if earlier.is_empty() { line } else { format!("{earlier}\n{line}") };
    if let Some(place) = report.pointer_mut(LIMITS_TEXT) {
        *place = Value::String(text);
    }
}

/// A line of `[Limits]`.
#[must_use]
pub fn limit_line(limit: &str) -> String {
    format!("{LIMITS_MARK} {limit}")
}

/// Sets the reason and the level of degradation.
pub fn set_degraded(report: &mut Value, reason: &str, degraded_to: &str) {
    report["degraded"] =
        json!({ "is_degraded": true, "reason": reason, "degraded_to": degraded_to });
}

/// The top-level members of a report.
///
/// # Panics
/// If the value is not an object, which must have been checked before.
pub(super) fn members(report: &mut Value) -> &mut Map<String, Value> {
    report.as_object_mut().expect("a report is an object (its schema)")
}

fn text<'r>(report: &'r Value, at: &str) -> &'r str {
    report.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

fn count(report: &Value, at: &str) -> usize {
    report.pointer(at).and_then(Value::as_array).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str =
        include_str!("../../../../../schemas/examples/valid/orchestrator-report-run.json");

    #[test]
    fn each_part_is_in_a_report_and_looked_for() {
        let report: Value = serde_json::from_str(RUN).unwrap();
        assert_eq!(version(&report), Ok(Version::One));
        for (at, _) in ALWAYS.iter().chain(VERSION_1) {
            let mut broken = report.clone();
            *broken.pointer_mut(at).unwrap() = Value::Null;
            assert_eq!(version(&broken), Err(*at));
        }
        assert!(item_count(&report) > 0 && tool_count(&report) > 0);
        assert!(repo_root(&report).is_some() && !context(&report).is_empty());
    }
}
