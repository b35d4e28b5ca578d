//! Anthropic Messages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::calls::{CallPiece, Calls};
use super::decoder::{Decoder, Reported, str_at};
use super::target::{Target, calls, plain_id};
use crate::catalogue::ASSUMED_OUTPUT;
use crate::estimate;
use crate::event::{Event, Reason, Usage};
use crate::id::Provider;
use crate::message::{Content, Message, Opaque, Part};
use crate::request::{Request, Tool};
use crate::sse;

/// Default maximum of an answer, in tokens. The protocol requires a limit,
/// and answers 400 if request and limit together exceed the window.
const USUAL_OUTPUT: u64 = 32_000;

/// Minimum limit of an answer, in tokens, however full the window is.
const LEAST_OUTPUT: u64 = 1_024;

/// Number of the last user messages with a cache breakpoint; with those of tools and system
/// prompt they are the four that the protocol allows.
const MARKED_MESSAGES: usize = 2;

/// The body. The limit comes after the messages, because it depends on them. Cache breakpoints
/// move with the end of the conversation; apart from them each body begins with the previous one.
pub(super) fn body(target: &Target, request: &Request) -> Value {
    let mut body = json!({"model": target.id.name(), "stream": true});
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        mark(last);
        body["tools"] = tools.into();
    }
    if !request.system.is_empty() {
        let mut system = json!({"type": "text", "text": request.system});
        mark(&mut system);
        body["system"] = json!([system]);
    }
    let mut messages = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::User(contents) => user(contents.iter().filter_map(content), &mut messages),
            Message::Answer(parts) => answer(target.id.provider(), at, parts, &mut messages),
        }
    }
    let users = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    for message in users.take(MARKED_MESSAGES) {
        let blocks = message["content"].as_array_mut();
        blocks.and_then(|blocks| blocks.last_mut()).into_iter().for_each(mark);
    }
    body["messages"] = messages.into();
    let limit = limit(target, request);
    body["max_tokens"] = limit.into();
    if let Some(budget) = request.thinking.filter(|_| may_think(target, request)) {
        let budget = budget.clamp(LEAST_OUTPUT, limit.max(LEAST_OUTPUT + 1) - 1);
        if budget < limit {
            body["thinking"] = json!({"type": "enabled", "budget_tokens": budget});
        }
    }
    body
}

/// The rest of the window, at most the requested limit.
fn limit(target: &Target, request: &Request) -> u64 {
    let most = target.limits.output.unwrap_or(ASSUMED_OUTPUT);
    let wanted = request.output_limit.unwrap_or_else(|| most.min(USUAL_OUTPUT)).min(most);
    let left = target.limits.window.saturating_sub(estimate::request(request));
    wanted.min(left.max(LEAST_OUTPUT))
}

/// Whether thinking can be enabled: not if the conversation ends in calls of an answer without thinking,
/// because the protocol requires that such an answer begins with its thinking.
fn may_think(target: &Target, request: &Request) -> bool {
    let Some(Message::Answer(parts)) = request.messages.last() else { return true };
    parts.iter().any(|part| thought(part, target.id.provider()).is_some())
}

fn mark(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn tool(tool: &Tool) -> Value {
    let Tool { name, description, schema } = tool;
    json!({"name": name, "description": description, "input_schema": schema})
}

/// Adds a user message; the protocol rejects one without blocks.
fn user(blocks: impl Iterator<Item = Value>, messages: &mut Vec<Value>) {
    let blocks: Vec<Value> = blocks.collect();
    if !blocks.is_empty() {
        messages.push(json!({"role": "user", "content": blocks}));
    }
}

/// A block; `None` for blank text, which the protocol rejects.
fn content(content: &Content) -> Option<Value> {
    match content {
        Content::Text(text) => said(text),
        Content::Image { media_type, base64 } => {
            let source = json!({"type": "base64", "media_type": media_type, "data": base64});
            Some(json!({"type": "image", "source": source}))
        }
    }
}

fn said(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn thought(part: &Part, provider: Provider) -> Option<&Value> {
    match part {
        Part::Reasoning { opaque, .. } => Opaque::for_provider(opaque.as_ref(), provider),
        Part::Text { .. } | Part::Call(_) => None,
    }
}

/// The message of an answer, and one message with all of its results.
fn answer(provider: Provider, at: usize, parts: &[Part], messages: &mut Vec<Value>) {
    let mut place = 0;
    let blocks: Vec<Value> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text, .. } => said(text),
            Part::Reasoning { .. } => thought(part, provider).cloned(),
            Part::Call(call) => {
                let id = plain_id(&call.id, at, place);
                place += 1;
                let input = Value::from(call.arguments.clone());
                Some(json!({"type": "tool_use", "id": id, "name": call.name, "input": input}))
            }
        })
        .collect();
    let is_said = blocks.iter().any(|block| block["type"] == "text" || block["type"] == "tool_use");
    if !is_said {
        return;
    }
    messages.push(json!({"role": "assistant", "content": blocks}));
    let results = calls(parts).enumerate().map(|(place, call)| {
        let id = plain_id(&call.id, at, place);
        let mut result =
            json!({"type": "tool_result", "tool_use_id": id, "content": call.result.text()});
        if call.result.is_failed() {
            result["is_error"] = true.into();
        }
        result
    });
    user(results, messages);
}

/// Decodes a stream up to `message_stop`.
pub(super) struct Messages {
    provider: Provider,
    calls: Calls,
    /// Open thinking blocks, by their index.
    thinking: BTreeMap<u64, Value>,
    usage: Counts,
    reason: Option<Reason>,
    skipped: usize,
}

/// Usage as reported in several events.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    fresh: u64,
    cached: u64,
    written: u64,
    output: u64,
}

impl Messages {
    pub(super) fn new(provider: Provider, prefix: &str) -> Self {
        Self {
            provider,
            calls: Calls::new(prefix),
            thinking: BTreeMap::new(),
            usage: Counts::default(),
            reason: None,
            skipped: 0,
        }
    }

    fn begin_block(&mut self, slot: u64, block: &Value, out: &mut Vec<Event>) {
        match str_at(block, "/type") {
            "text" => text(str_at(block, "/text"), out),
            "tool_use" => {
                // Arguments arrive in pieces; a server that sends them here sends no pieces.
                let input = block["input"].as_object().filter(|input| !input.is_empty());
                let arguments = input.map(|_| block["input"].to_string()).unwrap_or_default();
                let (id, name) = (str_at(block, "/id"), str_at(block, "/name"));
                let piece = CallPiece { slot, id, name, arguments: &arguments };
                self.calls.whole(piece, None, out);
            }
            "thinking" | "redacted_thinking" => {
                reasoning(str_at(block, "/thinking"), out);
                self.thinking.insert(slot, block.clone());
            }
            _ => self.skipped += 1,
        }
    }

    fn delta(&mut self, slot: u64, delta: &Value, out: &mut Vec<Event>) {
        match str_at(delta, "/type") {
            "text_delta" => text(str_at(delta, "/text"), out),
            "input_json_delta" if self.calls.has(slot) => {
                let arguments = str_at(delta, "/partial_json");
                self.calls.piece(CallPiece { slot, arguments, ..CallPiece::default() }, out);
            }
            "thinking_delta" => {
                reasoning(str_at(delta, "/thinking"), out);
                self.grow(slot, "thinking", delta);
            }
            "signature_delta" => self.grow(slot, "signature", delta),
            _ => self.skipped += 1,
        }
    }

    /// Appends the delta's text to the field of the thinking block.
    fn grow(&mut self, slot: u64, field: &str, delta: &Value) {
        let Some(block) = self.thinking.get_mut(&slot) else {
            self.skipped += 1;
            return;
        };
        let more = delta[field].as_str().unwrap_or_default();
        let whole = format!("{}{more}", block[field].as_str().unwrap_or_default());
        block[field] = whole.into();
    }

    fn end_block(&mut self, slot: u64, out: &mut Vec<Event>) {
        if let Some(value) = self.thinking.remove(&slot) {
            let opaque = Some(Opaque { provider: self.provider, value });
            out.push(Event::Reasoning { shown: String::new(), opaque });
        }
    }

    /// Records reported usage; newer streams repeat the input at the end.
    fn count(&mut self, usage: &Value, out: &mut Vec<Event>) {
        if !usage.is_object() {
            return;
        }
        let Counts { fresh, cached, written, output } = &mut self.usage;
        for (name, count) in [
            ("input_tokens", fresh),
            ("cache_read_input_tokens", cached),
            ("cache_creation_input_tokens", written),
            ("output_tokens", output),
        ] {
            *count = usage[name].as_u64().unwrap_or(*count);
        }
        out.push(Event::Usage(self.usage.total()));
    }

    fn stop(&mut self, out: &mut Vec<Event>) {
        if let Some(reason) = self.reason.take() {
            self.calls.finish(out);
            out.push(Event::Usage(self.usage.total()));
            out.push(Event::End(reason));
        }
    }
}

impl Counts {
    fn total(self) -> Usage {
        let Self { fresh, cached, written, output } = self;
        let input = fresh.saturating_add(cached).saturating_add(written);
        Usage { input, cached, cache_written: written, output, reasoning: 0 }
    }
}

impl Decoder for Messages {
    fn read(&mut self, event: &sse::Event, out: &mut Vec<Event>) -> Result<(), Reported> {
        let Ok(value) = serde_json::from_str::<Value>(&event.data) else {
            self.skipped += 1;
            return Ok(());
        };
        let slot = value["index"].as_u64().unwrap_or_default();
        match str_at(&value, "/type") {
            "message_start" => self.count(&value["message"]["usage"], out),
            "content_block_start" => self.begin_block(slot, &value["content_block"], out),
            "content_block_delta" => self.delta(slot, &value["delta"], out),
            "content_block_stop" => self.end_block(slot, out),
            "message_delta" => {
                self.count(&value["usage"], out);
                if let Some(word) = value["delta"]["stop_reason"].as_str() {
                    self.reason = Some(reason(word));
                }
            }
            "message_stop" => self.stop(out),
            "ping" => {}
            "error" => {
                let status = status(str_at(&value, "/error/type"));
                return Err(Reported { status, body: event.data.clone() });
            }
            _ => self.skipped += 1,
        }
        Ok(())
    }

    fn skipped(&self) -> usize {
        self.skipped
    }
}

fn text(text: &str, out: &mut Vec<Event>) {
    if !text.is_empty() {
        out.push(Event::Text { text: text.to_owned(), opaque: None });
    }
}

fn reasoning(shown: &str, out: &mut Vec<Event>) {
    if !shown.is_empty() {
        out.push(Event::Reasoning { shown: shown.to_owned(), opaque: None });
    }
}

fn reason(word: &str) -> Reason {
    match word {
        "end_turn" | "stop_sequence" => Reason::Answered,
        "tool_use" => Reason::Calls,
        "max_tokens" | "model_context_window_exceeded" => Reason::Length,
        "refusal" => Reason::Refused,
        other => Reason::Unknown(other.to_owned()),
    }
}

/// The HTTP status for a documented error type.
fn status(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}
