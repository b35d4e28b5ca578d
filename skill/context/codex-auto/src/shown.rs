//! What a person is shown of a report: one line of numbers, or all of it.

use serde_json::Value;

/// How much was looked up and found, in one line.
#[must_use]
pub fn counts(report: &Value) -> String {
    let count =
        |pointer: &str| report.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
    format!(
        "[Auto Tools] {} · [Results] {} · [Limits] {}",
        count("/tool_plan/tools"),
        count("/fused_context/for_model/structured/items"),
        part(report, "limits_text").lines().count(),
    )
}

/// What was found for a prompt, in full.
#[must_use]
pub fn sections(report: &Value) -> String {
    let tools = match part(report, "tool_plan_text") {
        "" => "[Auto Tools] none: nothing was looked up for this prompt",
        tools => tools,
    };
    let parts = [tools, part(report, "results_text"), part(report, "limits_text")];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn part<'r>(report: &'r Value, name: &str) -> &'r str {
    let part = report.pointer(&format!("/fused_context/for_user/{name}"));
    part.and_then(Value::as_str).unwrap_or_default().trim_end()
}
