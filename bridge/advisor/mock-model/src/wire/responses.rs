//! OpenAI's Responses API: the stream, the complete response, errors, and refusals. Forms
//! as recorded from GPT-5 in 2026.

mod pairs;

use std::time::Duration;

use serde_json::{Value, json};

use super::history::text_of;
use super::openai_error::{self, OwnWords};
use crate::asked::Asked;
use crate::event::{Events, named};
use crate::provider_error::ProviderError;
use crate::turn::{End, Part, Piece, Turn, whole};

pub(super) use pairs::refused;

/// The stream of a turn.
pub(super) fn events(turn: &Turn, asked: &Asked) -> Events {
    let mut stream = Stream { events: Events::default(), asked, sequence: 0, output: Vec::new() };
    stream.begin();
    for part in &turn.parts {
        stream.part(part);
    }
    stream.events.end_begins();
    let mut object = object(asked, status(turn));
    object["output"] = json!(stream.output);
    close(&mut object, turn);
    let kind = if reason(turn).is_some() { "response.incomplete" } else { "response.completed" };
    stream.send(Duration::ZERO, kind, json!({ "response": object }));
    stream.events
}

/// The turn as one response.
pub(super) fn response(turn: &Turn, asked: &Asked) -> Value {
    let mut stream = Stream { events: Events::default(), asked, sequence: 0, output: Vec::new() };
    for part in &turn.parts {
        stream.part(part);
    }
    let mut object = object(asked, status(turn));
    object["output"] = json!(stream.output);
    close(&mut object, turn);
    object
}

/// A stream that begins and then fails.
pub(super) fn failed(code: &str, message: &str, asked: &Asked) -> Events {
    let mut stream = Stream { events: Events::default(), asked, sequence: 0, output: Vec::new() };
    stream.begin();
    stream.events.end_begins();
    let response = failed_object(code, message, asked);
    stream.send(Duration::ZERO, "response.failed", json!({ "response": response }));
    stream.events
}

/// The status and the body of an error.
pub(super) fn error(error: &ProviderError, asked: &Asked) -> (u16, Value) {
    let own = OwnWords {
        model_unknown: format!("The requested model '{}' does not exist.", asked.model),
        too_long: "Your input exceeds the context window of this model. Please adjust your input and \
                   try again.",
        overloaded: (
            Some("server_is_overloaded"),
            "Our servers are currently overloaded. Please try again later.",
        ),
        server: (Some("server_error"), "An error occurred while processing your request."),
    };
    openai_error::error(error, &own)
}

/// The error as the two events that end a stream.
pub(super) fn error_event(provider_error: &ProviderError, asked: &Asked) -> String {
    let (_, body) = error(provider_error, asked);
    let message = body["error"]["message"].as_str().unwrap_or_default();
    let code = body["error"]["code"].as_str().unwrap_or("server_error");
    let response = failed_object(code, message, asked);
    named("error", json!({ "error": body["error"] }))
        + &named("response.failed", json!({ "response": response }))
}

/// The number of the model's answers: each run of consecutive items from the model is one answer.
pub(super) fn answers(body: &Value) -> usize {
    let items = body["input"].as_array().map_or(&[][..], Vec::as_slice);
    let answer = |item: &Value| {
        matches!(item["type"].as_str(), Some("function_call" | "reasoning"))
            || item["role"] == "assistant"
    };
    items.chunk_by(|one, next| answer(one) == answer(next)).filter(|run| answer(&run[0])).count()
}

/// The texts of the results.
pub(super) fn results(body: &Value) -> Vec<String> {
    let items = body["input"].as_array().into_iter().flatten();
    let results = items.filter(|item| item["type"] == "function_call_output");
    results.map(|item| text_of(&item["output"])).collect()
}

/// Builds a stream.
struct Stream<'a> {
    events: Events,
    asked: &'a Asked,
    /// The number of the next event.
    sequence: u64,
    /// The complete items.
    output: Vec<Value>,
}

impl Stream<'_> {
    fn begin(&mut self) {
        let response = object(self.asked, "in_progress");
        self.send(Duration::ZERO, "response.created", json!({ "response": response.clone() }));
        self.send(Duration::ZERO, "response.in_progress", json!({ "response": response }));
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::KeepAlive(pause) => self.send(*pause, "keepalive", json!({})),
            Part::Comment(pause) => self.events.comment(*pause),
            Part::Text(pieces) => {
                let part =
                    |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
                self.message(pieces, "output_text", "text", &part);
            }
            Part::Refusal(text) => {
                let part = |text: &str| json!({ "type": "refusal", "refusal": text });
                self.message(&[Piece::new(text)], "refusal", "refusal", &part);
            }
            Part::Reasoning { shown, opaque } => self.reasoning(shown, opaque.as_deref()),
            Part::Call { name, arguments } => self.call(name, arguments),
        }
    }

    fn message(&mut self, pieces: &[Piece], kind: &str, field: &str, part: &dyn Fn(&str) -> Value) {
        let id = format!("{}_{}", self.id("msg"), self.output.len());
        let item = |status: &str, content: Value| {
            json!({
                "type": "message", "id": id, "role": "assistant", "status": status,
                "content": content,
            })
        };
        self.added(item("in_progress", json!([])));
        let place = json!({ "item_id": id, "content_index": 0 });
        self.inside("response.content_part.added", &place, "part", part(""));
        self.deltas(&format!("response.{kind}.delta"), &place, pieces);
        let text = whole(pieces);
        self.inside(&format!("response.{kind}.done"), &place, field, json!(text));
        self.inside("response.content_part.done", &place, "part", part(&text));
        self.done(item("completed", json!([part(&text)])));
    }

    fn reasoning(&mut self, shown: &[Piece], opaque: Option<&str>) {
        let id = format!("{}_{}", self.id("rs"), self.output.len());
        let item = |summary: Value| {
            let mut item = json!({ "type": "reasoning", "id": id, "summary": summary });
            if let Some(opaque) = opaque {
                item["encrypted_content"] = json!(opaque);
            }
            item
        };
        self.added(item(json!([])));
        if shown.is_empty() {
            return self.done(item(json!([])));
        }
        let part = |text: &str| json!({ "type": "summary_text", "text": text });
        let place = json!({ "item_id": id, "summary_index": 0 });
        self.inside("response.reasoning_summary_part.added", &place, "part", part(""));
        self.deltas("response.reasoning_summary_text.delta", &place, shown);
        let text = whole(shown);
        self.inside("response.reasoning_summary_text.done", &place, "text", json!(text));
        self.inside("response.reasoning_summary_part.done", &place, "part", part(&text));
        self.done(item(json!([part(&text)])));
    }

    fn call(&mut self, name: &str, arguments: &[Piece]) {
        let id = format!("{}_{}", self.id("fc"), self.output.len());
        let call_id = format!("{}_{}", self.id("call"), self.output.len());
        let item = |status: &str, arguments: &str| {
            json!({
                "type": "function_call", "id": id, "status": status, "call_id": call_id,
                "name": name, "arguments": arguments,
            })
        };
        self.added(item("in_progress", ""));
        let place = json!({ "item_id": id });
        self.deltas("response.function_call_arguments.delta", &place, arguments);
        let text = whole(arguments);
        let done = "response.function_call_arguments.done";
        self.inside(done, &place, "arguments", json!(text));
        self.done(item("completed", &text));
    }

    fn added(&mut self, item: Value) {
        let data = json!({ "output_index": self.output.len(), "item": item });
        self.send(Duration::ZERO, "response.output_item.added", data);
    }

    fn done(&mut self, item: Value) {
        let data = json!({ "output_index": self.output.len(), "item": item });
        self.send(Duration::ZERO, "response.output_item.done", data);
        self.output.push(item);
    }

    fn deltas(&mut self, kind: &str, place: &Value, pieces: &[Piece]) {
        for piece in pieces {
            let mut data = place.clone();
            data["output_index"] = json!(self.output.len());
            data["delta"] = json!(piece.text);
            self.send(piece.pause, kind, data);
        }
    }

    /// An event about the current item, with one field of its own.
    fn inside(&mut self, kind: &str, place: &Value, field: &str, value: Value) {
        let mut data = place.clone();
        data["output_index"] = json!(self.output.len());
        data[field] = value;
        self.send(Duration::ZERO, kind, data);
    }

    fn send(&mut self, pause: Duration, kind: &str, mut data: Value) {
        data["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        self.events.named(pause, kind, data);
    }

    fn id(&self, prefix: &str) -> String {
        id(self.asked, prefix)
    }
}

fn id(asked: &Asked, prefix: &str) -> String {
    format!("{prefix}_mock_{}", asked.number)
}

fn object(asked: &Asked, status: &str) -> Value {
    let id = id(asked, "resp");
    json!({ "id": id, "object": "response", "status": status, "model": asked.model, "output": [] })
}

fn failed_object(code: &str, message: &str, asked: &Asked) -> Value {
    let mut object = object(asked, "failed");
    object["error"] = json!({ "code": code, "message": message });
    object
}

fn status(turn: &Turn) -> &'static str {
    if reason(turn).is_some() { "incomplete" } else { "completed" }
}

/// Sets the usage, and the reason if the response is incomplete.
fn close(object: &mut Value, turn: &Turn) {
    let usage = turn.usage;
    object["incomplete_details"] = match reason(turn) {
        Some(reason) => json!({ "reason": reason }),
        None => Value::Null,
    };
    object["usage"] = json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": { "cached_tokens": usage.cached_input_tokens },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
        "total_tokens": usage.input_tokens + usage.output_tokens,
    });
}

/// Why the response is incomplete.
fn reason(turn: &Turn) -> Option<&str> {
    match &turn.end {
        End::Done => None,
        End::Length => Some("max_output_tokens"),
        End::Filtered => Some("content_filter"),
        End::Named(reason) => Some(reason),
    }
}

#[cfg(test)]
mod tests;
