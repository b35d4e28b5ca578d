//! Refusals of Chat Completions: results without their calls, calls without their results, and
//! those of single providers.

use serde_json::Value;

use crate::asked::Asked;
use crate::dialect::Refuses;
use crate::provider_error::{ErrorKind, ProviderError};

/// Why this request is refused; none if it is valid.
pub(crate) fn refused(asked: &Asked) -> Option<ProviderError> {
    let Some(messages) = asked.body["messages"].as_array() else {
        let error = ProviderError::bad_request("Missing required parameter: 'messages'.");
        return Some(error.about("messages"));
    };
    unpaired(messages).or_else(|| match asked.dialect.refuses {
        Refuses::Nothing => None,
        Refuses::MaxTokens => max_tokens(asked),
        Refuses::BrokenArguments => broken_arguments(messages),
        Refuses::LostReasoning => lost_reasoning(asked, messages),
    })
}

/// The first message that separates a call from its result.
fn unpaired(messages: &[Value]) -> Option<ProviderError> {
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let wrong = |text: String| {
            Some(ProviderError::bad_request(text).about(format!("messages.[{index}].role")))
        };
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = open.iter().position(|open| *open == id) else {
                return wrong(
                    "Invalid parameter: messages with role 'tool' must be a response to a \
                     preceeding message with 'tool_calls'."
                        .to_owned(),
                );
            };
            open.remove(place);
        } else if !open.is_empty() {
            return wrong(without_results(&open));
        } else {
            open = calls(message).map(|call| call["id"].as_str().unwrap_or_default()).collect();
        }
    }
    let last = format!("messages.[{}].role", messages.len());
    (!open.is_empty()).then(|| ProviderError::bad_request(without_results(&open)).about(last))
}

fn without_results(open: &[&str]) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to \
         each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    )
}

fn max_tokens(asked: &Asked) -> Option<ProviderError> {
    let reasons = ["o3", "o4-", "gpt-5"].iter().any(|start| asked.model.starts_with(start));
    (reasons && !asked.body["max_tokens"].is_null()).then(|| {
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                       'max_completion_tokens' instead.";
        ProviderError { kind: ErrorKind::Unsupported, ..ProviderError::bad_request(message) }
            .about("max_tokens")
    })
}

fn broken_arguments(messages: &[Value]) -> Option<ProviderError> {
    let broken = |call: &Value| {
        let text = call["function"]["arguments"].as_str().unwrap_or_default();
        serde_json::from_str::<Value>(text).is_err()
    };
    messages.iter().flat_map(calls).any(broken).then(|| {
        ProviderError::bad_request(
            "<400> InternalError.Algo.InvalidParameter: The \"function.arguments\" parameter of the \
             code model must be in JSON format.",
        )
    })
}

fn lost_reasoning(asked: &Asked, messages: &[Value]) -> Option<ProviderError> {
    if !asked.model.starts_with("kimi-k") {
        return None;
    }
    let temperature = asked.body["temperature"].as_f64();
    if temperature.is_some_and(|temperature| temperature != 1.0) {
        let message = "invalid temperature: only 1 is allowed for this model";
        return Some(ProviderError::bad_request(message));
    }
    if asked.body["tool_choice"] == "required" {
        let message = "tool_choice 'required' is incompatible with thinking enabled";
        return Some(ProviderError::bad_request(message));
    }
    let lost = |message: &Value| {
        calls(message).next().is_some() && !message["reasoning_content"].is_string()
    };
    messages.iter().position(lost).map(|index| {
        ProviderError::bad_request(format!(
            "thinking is enabled but reasoning_content is missing in assistant tool call message at \
             index {index}"
        ))
    })
}

/// The calls of a message.
fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
}
