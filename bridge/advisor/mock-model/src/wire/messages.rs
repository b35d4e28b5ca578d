//! Anthropic's Messages API: the stream, the complete message, errors, and refusals.
//! Forms as recorded from Claude Sonnet 4.5 in 2026.

mod pairs;

use std::time::Duration;

use serde_json::{Value, json};

use super::history::text_of;
use crate::asked::Asked;
use crate::event::{Events, named};
use crate::provider_error::{ErrorKind, ProviderError};
use crate::turn::{End, Part, Piece, Turn, Usage, whole};

pub(super) use pairs::refused;

/// The stream of a turn.
pub(super) fn events(turn: &Turn, asked: &Asked) -> Events {
    let mut stream = Stream { events: Events::default(), number: asked.number, index: 0 };
    let mut start = message(turn, asked);
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    stream.send("message_start", json!({ "message": start }));
    for part in &turn.parts {
        stream.part(part);
    }
    stream.events.end_begins();
    let delta = json!({ "stop_reason": stop_reason(turn), "stop_sequence": null });
    let usage = usage(turn.usage);
    stream.send("message_delta", json!({ "delta": delta, "usage": usage }));
    stream.send("message_stop", json!({}));
    stream.events
}

/// The turn as one message.
pub(super) fn message(turn: &Turn, asked: &Asked) -> Value {
    let blocks = turn.parts.iter().filter_map(block).enumerate().map(|(index, mut block)| {
        if block["type"] == "tool_use" {
            block["id"] = json!(call_id(asked.number, index));
        }
        block
    });
    json!({
        "id": format!("msg_{:06}", asked.number),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": blocks.collect::<Vec<_>>(),
        "stop_reason": stop_reason(turn),
        "stop_sequence": null,
        "usage": usage(turn.usage),
    })
}

/// The status and the body of an error.
pub(super) fn error(error: &ProviderError, asked: &Asked) -> (u16, Value) {
    let (status, kind, message) = words(error.kind, &asked.model);
    let message = error.message.clone().unwrap_or(message);
    let request_id = format!("req_{:06}", asked.number);
    let error = json!({ "type": kind, "message": message });
    (status, json!({ "type": "error", "error": error, "request_id": request_id }))
}

/// The error as an event inside a stream.
pub(super) fn error_event(provider_error: &ProviderError, asked: &Asked) -> String {
    let (_, mut body) = error(provider_error, asked);
    body["error"]["details"] = Value::Null;
    if let Some(body) = body.as_object_mut() {
        body.remove("request_id");
    }
    named("error", body)
}

/// The texts of the results.
pub(super) fn results(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().into_iter().flatten();
    let blocks = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results.map(|block| text_of(&block["content"])).collect()
}

/// Builds a stream; blocks are numbered from 0.
struct Stream {
    events: Events,
    number: u64,
    index: usize,
}

impl Stream {
    fn part(&mut self, part: &Part) {
        match part {
            Part::KeepAlive(pause) => self.events.named(*pause, "ping", json!({})),
            Part::Comment(pause) => self.events.comment(*pause),
            Part::Text(pieces) => {
                self.begin(json!({ "type": "text", "text": "" }));
                self.deltas(pieces, "text_delta", "text");
                self.stop();
            }
            Part::Refusal(text) => self.part(&Part::Text(vec![Piece::new(text)])),
            Part::Reasoning { shown, opaque } if shown.is_empty() => {
                let data = opaque.as_deref().unwrap_or_default();
                self.begin(json!({ "type": "redacted_thinking", "data": data }));
                self.stop();
            }
            Part::Reasoning { shown, opaque } => {
                self.begin(json!({ "type": "thinking", "thinking": "", "signature": "" }));
                self.deltas(shown, "thinking_delta", "thinking");
                if let Some(signature) = opaque {
                    self.deltas(&[Piece::new(signature)], "signature_delta", "signature");
                }
                self.stop();
            }
            Part::Call { name, arguments } => {
                let id = call_id(self.number, self.index);
                self.begin(json!({ "type": "tool_use", "id": id, "name": name, "input": {} }));
                // An empty piece is sent first; for a tool without arguments it is the only one.
                self.deltas(&[Piece::new("")], "input_json_delta", "partial_json");
                if !matches!(whole(arguments).as_str(), "" | "{}") {
                    self.deltas(arguments, "input_json_delta", "partial_json");
                }
                self.stop();
            }
        }
    }

    fn begin(&mut self, block: Value) {
        self.send("content_block_start", json!({ "index": self.index, "content_block": block }));
        self.send("ping", json!({}));
    }

    fn deltas(&mut self, pieces: &[Piece], kind: &str, field: &str) {
        for piece in pieces {
            let mut delta = json!({ "type": kind });
            delta[field] = json!(piece.text);
            let data = json!({ "index": self.index, "delta": delta });
            self.events.named(piece.pause, "content_block_delta", data);
        }
    }

    fn stop(&mut self) {
        self.send("content_block_stop", json!({ "index": self.index }));
        self.index += 1;
    }

    fn send(&mut self, kind: &str, data: Value) {
        self.events.named(Duration::ZERO, kind, data);
    }
}

/// A block of a complete message, with a call still without its id.
fn block(part: &Part) -> Option<Value> {
    Some(match part {
        Part::KeepAlive(_) | Part::Comment(_) => return None,
        Part::Text(pieces) => json!({ "type": "text", "text": whole(pieces) }),
        Part::Refusal(text) => json!({ "type": "text", "text": text }),
        Part::Reasoning { shown, opaque } if shown.is_empty() => {
            json!({ "type": "redacted_thinking", "data": opaque.as_deref().unwrap_or_default() })
        }
        Part::Reasoning { shown, opaque } => json!({
            "type": "thinking", "thinking": whole(shown),
            "signature": opaque.as_deref().unwrap_or_default(),
        }),
        Part::Call { name, arguments } => {
            // A complete message requires an object here; no other value can be represented.
            let input: Value =
                serde_json::from_str(&whole(arguments)).unwrap_or_else(|_| json!({}));
            json!({ "type": "tool_use", "id": "", "name": name, "input": input })
        }
    })
}

/// The id of the call in this block of the answer to this request.
fn call_id(number: u64, index: usize) -> String {
    format!("toolu_{number:06}{index:02}")
}

fn stop_reason(turn: &Turn) -> &str {
    match &turn.end {
        End::Done if turn.refuses() => "refusal",
        End::Done if turn.calls() => "tool_use",
        End::Done => "end_turn",
        End::Length => "max_tokens",
        End::Filtered => "refusal",
        End::Named(reason) => reason,
    }
}

/// Tokens from the cache are counted separately from the input.
fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens.saturating_sub(usage.cached_input_tokens),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_input_tokens,
        "output_tokens": usage.output_tokens,
    })
}

/// Status, type and usual message of each kind.
fn words(kind: ErrorKind, model: &str) -> (u16, &'static str, String) {
    let (status, kind, message) = match kind {
        ErrorKind::BadRequest | ErrorKind::Unsupported => {
            (400, "invalid_request_error", "Invalid request")
        }
        ErrorKind::Unauthorized => (401, "authentication_error", "invalid x-api-key"),
        ErrorKind::Forbidden => {
            (403, "permission_error", "Your API key does not have permission to use this resource")
        }
        ErrorKind::Quota => (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & \
             Billing to upgrade or purchase credits.",
        ),
        ErrorKind::ModelUnknown => return (404, "not_found_error", format!("model: {model}")),
        ErrorKind::ContextLength => {
            (400, "invalid_request_error", "prompt is too long: 202128 tokens > 200000 maximum")
        }
        ErrorKind::RateLimited => (
            429,
            "rate_limit_error",
            "This request would exceed your organization's rate limit. Please try again later.",
        ),
        ErrorKind::Overloaded => (529, "overloaded_error", "Overloaded"),
        ErrorKind::Server => (500, "api_error", "Internal server error"),
    };
    (status, kind, message.to_owned())
}

#[cfg(test)]
mod tests;
