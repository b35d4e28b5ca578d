//! Refusals of generateContent: calls and results that are not in pairs, calls of this turn without
//! their signature, and schemas with unsupported keywords.

use serde_json::Value;

use super::schema;
use crate::asked::Asked;
use crate::provider_error::ProviderError;

/// Why this request is refused; none if it is valid.
pub(crate) fn refused(asked: &Asked) -> Option<ProviderError> {
    let contents = asked.body["contents"].as_array().map_or(&[][..], Vec::as_slice);
    if contents.is_empty() {
        return Some(ProviderError::bad_request(
            "* GenerateContentRequest.contents: contents is not specified",
        ));
    }
    let wrong = unpaired(contents)
        .or_else(|| unsigned(asked, contents))
        .or_else(|| schema::unknown_word(&asked.body));
    wrong.map(ProviderError::bad_request)
}

/// The first content that separates a call from its result.
fn unpaired(contents: &[Value]) -> Option<String> {
    let mut open = 0;
    for content in contents {
        let results = count(content, "functionResponse");
        if results > 0 && open == 0 {
            return Some(
                "Please ensure that function response turn comes immediately after a function call \
                 turn."
                    .to_owned(),
            );
        }
        if results != open {
            return Some(uneven());
        }
        open = count(content, "functionCall");
    }
    (open > 0).then(uneven)
}

fn uneven() -> String {
    "Please ensure that the number of function response parts is equal to the number of function \
     call parts of the function call turn."
        .to_owned()
}

/// Gemini 3 requires the signature on the first call of each answer since the user's last message.
fn unsigned(asked: &Asked, contents: &[Value]) -> Option<String> {
    if !asked.model.starts_with("gemini-3") {
        return None;
    }
    let words = |content: &Value| {
        content["role"] != "model" && parts(content).any(|part| part["text"].is_string())
    };
    let turn = contents.iter().rposition(words).unwrap_or_default();
    for (index, content) in contents.iter().enumerate().skip(turn) {
        let first = parts(content).find(|part| !part["functionCall"].is_null());
        if let Some(call) = first.filter(|part| !part["thoughtSignature"].is_string()) {
            let name = call["functionCall"]["name"].as_str().unwrap_or_default();
            return Some(format!(
                "Function call is missing a thought_signature in functionCall parts. This is \
                 required for tools to work correctly, and missing thought_signature may lead to \
                 degraded model performance. Additional data, function call `default_api:{name}` , \
                 position {}. Please refer to \
                 https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
                index + 1
            ));
        }
    }
    None
}

fn count(content: &Value, field: &str) -> usize {
    parts(content).filter(|part| !part[field].is_null()).count()
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    content["parts"].as_array().into_iter().flatten()
}
