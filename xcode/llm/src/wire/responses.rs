//! OpenAI Responses, for models that need it. Nothing is stored by the provider: reasoning is sent
//! back, encrypted, in the request.

use serde_json::{Value, json};

use super::calls::{CallPiece, Calls};
use super::decoder::{Decoder, Reported, number_at, str_at};
use super::target::{Target, calls, plain_id};
use crate::event::{Event, Reason, Usage};
use crate::id::Provider;
use crate::message::{Content, Message, Opaque, Part};
use crate::request::{Request, Tool};
use crate::sse;

pub(super) fn body(target: &Target, request: &Request) -> Value {
    let mut body = json!({
        "model": target.id.name(),
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
    });
    if let Some(limit) = request.output_limit {
        body["max_output_tokens"] = limit.into();
    }
    if !request.system.is_empty() {
        body["instructions"] = (*request.system).into();
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    let mut input = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::User(contents) => {
                let contents: Vec<Value> = contents.iter().map(content).collect();
                input.push(json!({"type": "message", "role": "user", "content": contents}));
            }
            Message::Answer(parts) => answer(target.id.provider(), at, parts, &mut input),
        }
    }
    body["input"] = input.into();
    body
}

fn tool(tool: &Tool) -> Value {
    let Tool { name, description, schema } = tool;
    json!({
        "type": "function",
        "name": name,
        "description": description,
        "parameters": schema,
        "strict": false,
    })
}

fn content(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({"type": "input_text", "text": text}),
        Content::Image { media_type, base64 } => {
            let url = format!("data:{media_type};base64,{base64}");
            json!({"type": "input_image", "image_url": url})
        }
    }
}

/// The items of an answer, then the items of its results.
fn answer(provider: Provider, at: usize, parts: &[Part], input: &mut Vec<Value>) {
    let is_said = |part: &Part| match part {
        Part::Text { text, .. } => !text.is_empty(),
        Part::Call(_) => true,
        Part::Reasoning { .. } => false,
    };
    // Reasoning without a following item is rejected.
    if !parts.iter().any(is_said) {
        return;
    }
    let mut place = 0;
    for part in parts {
        match part {
            Part::Text { text, .. } if text.is_empty() => {}
            Part::Text { text, .. } => {
                let content = json!([{"type": "output_text", "text": text}]);
                input.push(json!({"type": "message", "role": "assistant", "content": content}));
            }
            Part::Reasoning { opaque, .. } => {
                input.extend(Opaque::for_provider(opaque.as_ref(), provider).cloned());
            }
            Part::Call(call) => {
                let arguments = Value::from(call.arguments.clone()).to_string();
                input.push(json!({
                    "type": "function_call",
                    "call_id": plain_id(&call.id, at, place),
                    "name": call.name,
                    "arguments": arguments,
                }));
                place += 1;
            }
        }
    }
    input.extend(calls(parts).enumerate().map(|(place, call)| {
        let id = plain_id(&call.id, at, place);
        json!({"type": "function_call_output", "call_id": id, "output": call.result.text()})
    }));
}

/// Decodes a stream up to `response.completed` or `response.incomplete`.
pub(super) struct Responses {
    provider: Provider,
    calls: Calls,
    has_called: bool,
    skipped: usize,
}

impl Responses {
    pub(super) fn new(provider: Provider, prefix: &str) -> Self {
        Self { provider, calls: Calls::new(prefix), has_called: false, skipped: 0 }
    }

    fn begin(&mut self, slot: u64, item: &Value, out: &mut Vec<Event>) {
        if str_at(item, "/type") == "function_call" {
            let piece = CallPiece {
                slot,
                id: str_at(item, "/call_id"),
                name: str_at(item, "/name"),
                arguments: str_at(item, "/arguments"),
            };
            self.has_called = true;
            self.calls.whole(piece, None, out);
        }
    }

    /// Handles a complete item: reasoning in the form to be sent back, a call with all its arguments.
    fn end(&mut self, slot: u64, item: &Value, out: &mut Vec<Event>) {
        match str_at(item, "/type") {
            "reasoning" => {
                let opaque = Some(Opaque { provider: self.provider, value: item.clone() });
                out.push(Event::Reasoning { shown: String::new(), opaque });
            }
            "function_call" if !self.calls.has(slot) => self.begin(slot, item, out),
            "function_call" => self.calls.settle(slot, str_at(item, "/arguments")),
            _ => {}
        }
    }

    /// Handles the end of the answer, complete or cut off at its limit.
    fn stop(&mut self, response: &Value, out: &mut Vec<Event>) {
        let reason = match str_at(response, "/incomplete_details/reason") {
            "" if self.has_called => Reason::Calls,
            "" => Reason::Answered,
            "max_output_tokens" => Reason::Length,
            "content_filter" => Reason::Refused,
            other => Reason::Unknown(other.to_owned()),
        };
        self.calls.finish(out);
        out.push(Event::Usage(usage(&response["usage"])));
        out.push(Event::End(reason));
    }
}

impl Decoder for Responses {
    fn read(&mut self, event: &sse::Event, out: &mut Vec<Event>) -> Result<(), Reported> {
        let Ok(value) = serde_json::from_str::<Value>(&event.data) else {
            self.skipped += 1;
            return Ok(());
        };
        let slot = value["output_index"].as_u64().unwrap_or_default();
        let delta = str_at(&value, "/delta").to_owned();
        match str_at(&value, "/type") {
            "response.output_text.delta" | "response.refusal.delta" if !delta.is_empty() => {
                out.push(Event::Text { text: delta, opaque: None });
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta"
                if !delta.is_empty() =>
            {
                out.push(Event::Reasoning { shown: delta, opaque: None });
            }
            "response.function_call_arguments.delta" if self.calls.has(slot) => {
                let piece = CallPiece { slot, arguments: &delta, ..CallPiece::default() };
                self.calls.piece(piece, out);
            }
            "response.output_item.added" => self.begin(slot, &value["item"], out),
            "response.output_item.done" => self.end(slot, &value["item"], out),
            "response.completed" | "response.incomplete" => self.stop(&value["response"], out),
            "response.failed" => {
                let error = &value["response"]["error"];
                return Err(reported(str_at(error, "/code"), error));
            }
            "error" => {
                let error = if value["error"].is_object() { &value["error"] } else { &value };
                return Err(reported(str_at(error, "/code"), error));
            }
            known if FRAMES.contains(&known) => {}
            _ => self.skipped += 1,
        }
        Ok(())
    }

    fn skipped(&self) -> usize {
        self.skipped
    }
}

/// Events that repeat the content of others.
const FRAMES: [&str; 11] = [
    "response.content_part.added",
    "response.content_part.done",
    "response.created",
    "response.function_call_arguments.done",
    "response.in_progress",
    "response.output_text.done",
    "response.queued",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.done",
    "response.refusal.done",
];

/// The HTTP status for a documented error code.
fn reported(code: &str, error: &Value) -> Reported {
    let status = match code {
        "rate_limit_exceeded" | "insufficient_quota" => 429,
        "server_is_overloaded" | "slow_down" => 503,
        "context_length_exceeded" | "invalid_prompt" => 400,
        _ => 500,
    };
    Reported { status, body: json!({"error": error}).to_string() }
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input: number_at(usage, "/input_tokens"),
        cached: number_at(usage, "/input_tokens_details/cached_tokens"),
        cache_written: 0,
        output: number_at(usage, "/output_tokens"),
        reasoning: number_at(usage, "/output_tokens_details/reasoning_tokens"),
    }
}
