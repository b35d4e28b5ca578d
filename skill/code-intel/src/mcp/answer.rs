//! Answers as the protocol carries them: cleaned, secrets masked, and within a bound that clients take
//! whole. What was left out is said.

use redact::Cut;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::call::Reply;

/// The longest answer as JSON, in bytes. Claude Code (2.1.197) takes 25,000 tokens of a tool's answer; this
/// is some 12,000.
const ANSWER_MAX: usize = 48 * 1024;
/// The longest text of a fault, in characters.
const FAULT_MAX: usize = 600;

/// An answer, with what was said of the call's arguments among its limits.
pub(super) fn reply(reply: &Reply, said: Vec<String>) -> CallToolResult {
    let Ok(mut value) = serde_json::to_value(reply) else { return fault("the answer is none") };
    for line in said {
        limit(&mut value, line);
    }
    clean(&mut value);
    fit(&mut value, ANSWER_MAX);
    // As text and as structured content: each client shows one of them.
    CallToolResult::structured(value)
}

/// A fault of the call: an error of the tool, not of the protocol, so that the model sees it.
pub(super) fn fault(why: &str) -> CallToolResult {
    let why = redact::sanitize(why, Cut::chars(FAULT_MAX).marked());
    CallToolResult::error(vec![ContentBlock::text(why)])
}

/// Adds a line to the answer's limits.
fn limit(answer: &mut Value, line: String) {
    answer["truncated"] = true.into();
    if let Some(limits) = answer["limits"].as_array_mut() {
        limits.push(line.into());
    }
}

/// Cleans every text of control characters and masks its secrets.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact::sanitize(text, Cut::NONE),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Leaves out the last items until the answer is no longer than `max` bytes.
fn fit(answer: &mut Value, max: usize) {
    let mut length = answer.to_string().len();
    let whole = answer["items"].as_array().map_or(0, Vec::len);
    // Room for the line that says so.
    while length > max.saturating_sub(120)
        && let Some(last) = answer["items"].as_array_mut().and_then(Vec::pop)
    {
        length = length.saturating_sub(last.to_string().len() + 1);
    }
    let left = answer["items"].as_array().map_or(0, Vec::len);
    if left == whole {
        return;
    }
    // Edges lead from item to item by position.
    let items = answer["items"].as_array_mut().into_iter().flatten();
    for edges in items.filter_map(|item| item.get_mut("edges")?.as_array_mut()) {
        edges.retain(|edge| edge["to"].as_u64().is_some_and(|to| to < left as u64));
    }
    limit(answer, format!("{left} of {whole} items are shown: the answer was too long"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_answer_loses_its_last_items_and_says_so() {
        let item = |to: usize| json!({"path": "é".repeat(300), "edges": [{"to": to}, {"to": 0}]});
        let items: Vec<Value> = (0..20).map(|number| item(19 - number)).collect();
        let mut answer = json!({"tool": "t", "items": items, "truncated": false, "limits": []});
        fit(&mut answer, 4_096);
        assert!(answer.to_string().len() <= 4_096);
        let left = answer["items"].as_array().unwrap().len();
        assert!((4..8).contains(&left), "{left}");
        assert_eq!(answer["truncated"], true);
        assert_eq!(
            answer["limits"],
            json!([format!("{left} of 20 items are shown: the answer was too long")])
        );
        assert_eq!(answer["items"][0]["edges"], json!([{"to": 0}]));
        let short = json!({"items": [1, 2], "truncated": false, "limits": []});
        let mut same = short.clone();
        fit(&mut same, 4_096);
        assert_eq!(same, short);
    }

    #[test]
    fn no_control_character_and_no_secret_gets_out() {
        let key = "AKIAIOSFODNN7QXAMPLF";
        let mut value = json!({"items": [{"snippet": format!("a\u{1b}[31mb\nkey = {key}")}]});
        clean(&mut value);
        let text = value["items"][0]["snippet"].as_str().unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains(key), "{text}");
        assert!(text.contains('\n') && text.contains("[REDACTED:"), "{text}");
    }
}
