//! What is shown to the user of a report: one line of counts, or everything.

use orchestration::parts;
use serde_json::Value;

/// The counts of look-ups and findings in one line.
#[must_use]
pub fn counts(report: &Value) -> String {
    format!(
        "[Auto Tools] {} · [Results] {} · [Limits] {}",
        parts::tool_count(report),
        parts::item_count(report),
        parts::limits_text(report).trim_end().lines().count(),
    )
}

/// Everything found for a prompt.
#[must_use]
pub fn sections(report: &Value) -> String {
    let tools = match parts::plan_text(report) {
        "" => "[Auto Tools] none: nothing was looked up for this prompt",
        tools => tools,
    };
    let sections = [tools, parts::results_text(report), parts::limits_text(report)];
    let sections = sections.map(str::trim_end);
    let sections: Vec<&str> = sections.into_iter().filter(|text| !text.is_empty()).collect();
    sections.join("\n")
}
