//! Refusals of the Messages API: results without their calls, calls without their results, input
//! that is not an object, thinking without its signature, more than four cache breakpoints, and a
//! request without `max_tokens`.

use serde_json::Value;

use crate::provider_error::ProviderError;

/// The most blocks with `cache_control` in a request.
const BREAKPOINTS_MAX: usize = 4;

/// Why this body is refused; none if it is valid.
pub(crate) fn refused(body: &Value) -> Option<ProviderError> {
    let Some(messages) = body["messages"].as_array() else {
        return Some(ProviderError::bad_request("messages: Field required"));
    };
    if !body["max_tokens"].is_u64() {
        return Some(ProviderError::bad_request("max_tokens: Field required"));
    }
    let breakpoints: usize =
        ["system", "tools", "messages"].iter().map(|field| breakpoints(&body[field])).sum();
    if breakpoints > BREAKPOINTS_MAX {
        return Some(ProviderError::bad_request(format!(
            "A maximum of {BREAKPOINTS_MAX} blocks with cache_control may be provided. Found \
             {breakpoints}."
        )));
    }
    // Messages with the role `system` may be anywhere, and separate nothing.
    let said: Vec<(usize, &Value)> =
        messages.iter().enumerate().filter(|(_, message)| message["role"] != "system").collect();
    let mut open: Vec<&str> = Vec::new();
    let mut asker = 0;
    for (index, message) in said {
        let wrong = match message["role"].as_str() {
            Some("user") => {
                answers(index, message, &open).or_else(|| unanswered(asker, message, &open))
            }
            _ => unanswered(asker, message, &open)
                .or_else(|| inputs(index, message))
                .or_else(|| unsigned(index, message)),
        };
        if wrong.is_some() {
            return wrong.map(ProviderError::bad_request);
        }
        open = ids(message, "tool_use", "id").map(|(_, id)| id).collect();
        asker = index;
    }
    unanswered(asker, &Value::Null, &open).map(ProviderError::bad_request)
}

/// Results in this message for unknown calls, or two for the same call.
fn answers(index: usize, message: &Value, open: &[&str]) -> Option<String> {
    let mut seen = Vec::new();
    for (place, id) in ids(message, "tool_result", "tool_use_id") {
        if !open.contains(&id) {
            return Some(format!(
                "messages.{index}.content.{place}: unexpected `tool_use_id` found in `tool_result` \
                 blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block \
                 in the previous message."
            ));
        }
        if seen.contains(&id) {
            return Some(format!(
                "messages.{index}.content.{place}: each tool_use must have a single result. Found \
                 multiple `tool_result` blocks with id: {id}"
            ));
        }
        seen.push(id);
    }
    None
}

/// Calls of the previous message without a result in this one. Results come before everything else.
fn unanswered(asker: usize, message: &Value, open: &[&str]) -> Option<String> {
    let blocks = message["content"].as_array().into_iter().flatten();
    let results = blocks.take_while(|block| block["type"] == "tool_result");
    let answered: Vec<&str> = results.filter_map(|block| block["tool_use_id"].as_str()).collect();
    let missing: Vec<&str> = open
        .iter()
        .copied()
        .filter(|id| message["role"] != "user" || !answered.contains(id))
        .collect();
    (!missing.is_empty()).then(|| {
        format!(
            "messages.{asker}: `tool_use` ids were found without `tool_result` blocks immediately \
             after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the \
             next message.",
            missing.join(", ")
        )
    })
}

/// Calls whose input is not an object.
fn inputs(index: usize, message: &Value) -> Option<String> {
    let blocks = message["content"].as_array().into_iter().flatten().enumerate();
    let mut calls = blocks.filter(|(_, block)| block["type"] == "tool_use");
    calls.find(|(_, block)| !block["input"].is_object()).map(|(place, _)| {
        format!(
            "messages.{index}.content.{place}.tool_use.input: Input should be a valid dictionary"
        )
    })
}

/// Thinking that comes back without its signature.
fn unsigned(index: usize, message: &Value) -> Option<String> {
    let mut blocks = message["content"].as_array().into_iter().flatten();
    let place =
        blocks.position(|block| block["type"] == "thinking" && !block["signature"].is_string())?;
    Some(format!("messages.{index}.content.{place}.thinking.signature: Field required"))
}

/// The number of cache breakpoints within this value.
fn breakpoints(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(breakpoints).sum(),
        Value::Object(fields) => {
            usize::from(fields.get("cache_control").is_some_and(|control| !control.is_null()))
                + fields.get("content").map_or(0, breakpoints)
        }
        _ => 0,
    }
}

/// The blocks of this type, each with its position and the id in this field.
fn ids<'a>(
    message: &'a Value,
    kind: &'static str,
    field: &'static str,
) -> impl Iterator<Item = (usize, &'a str)> {
    let blocks = message["content"].as_array().into_iter().flatten().enumerate();
    blocks
        .filter(move |(_, block)| block["type"] == kind)
        .map(move |(place, block)| (place, block[field].as_str().unwrap_or_default()))
}
