//! OpenAI Chat Completions, as used by OpenAI, DeepSeek, Alibaba, xAI, Zhipu, Moonshot and custom
//! endpoints.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::calls::{CallPiece, Calls};
use super::decoder::{Decoder, Reported, number_at, str_at};
use super::target::{Target, calls, plain_id, text};
use crate::catalogue::OutputLimit;
use crate::event::{Event, Reason, Usage};
use crate::id::Provider;
use crate::message::{Content, Message, Opaque, Part};
use crate::request::{Request, Tool};
use crate::sse;

/// The field with reasoning, also used in our [`Opaque`].
const REASONING: &str = "reasoning_content";

/// Replaces the reasoning of an answer of another provider, if some is required.
const NO_REASONING: &str = "(not recorded)";

/// The HTTP status for a provider that reports an overload as the finish reason.
const OVERLOADED: u16 = 503;

/// The body. Temperature is not sent, because newer models reject it.
pub(super) fn body(target: &Target, request: &Request) -> Value {
    let mut body = json!({
        "model": target.id.name(),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if let Some(limit) = request.output_limit {
        let name = match target.quirks.output_limit {
            OutputLimit::MaxTokens => "max_tokens",
            OutputLimit::MaxCompletionTokens => "max_completion_tokens",
        };
        body[name] = limit.into();
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::User(contents) => messages.push(user(contents)),
            Message::Answer(parts) => answer(target, at, parts, &mut messages),
        }
    }
    body["messages"] = messages.into();
    body
}

fn tool(tool: &Tool) -> Value {
    let Tool { name, description, schema } = tool;
    let function = json!({"name": name, "description": description, "parameters": schema});
    json!({"type": "function", "function": function})
}

fn user(contents: &[Content]) -> Value {
    let content = match contents {
        [Content::Text(text)] => json!(text),
        contents => contents.iter().map(content).collect(),
    };
    json!({"role": "user", "content": content})
}

fn content(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Image { media_type, base64 } => {
            let url = format!("data:{media_type};base64,{base64}");
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}

/// The message of an answer and the messages of its results.
fn answer(target: &Target, at: usize, parts: &[Part], messages: &mut Vec<Value>) {
    let provider = target.id.provider();
    // OpenAI rejects long ids; the others need exactly the id that they gave.
    let id = |id: &str, place| match provider {
        Provider::Openai => plain_id(id, at, place),
        _ if id.is_empty() => plain_id(id, at, place),
        _ => id.to_owned(),
    };
    let text = text(parts);
    let calls: Vec<_> = calls(parts).enumerate().collect();
    if text.is_empty() && calls.is_empty() {
        return;
    }
    let content = if text.is_empty() { Value::Null } else { text.into() };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        let quirks = target.quirks;
        match reasoning(provider, parts) {
            own if quirks.reasoning_returns && !own.is_empty() => message[REASONING] = own.into(),
            _ if quirks.reasoning_stand_in => message[REASONING] = NO_REASONING.into(),
            _ => {}
        }
        let listed = calls.iter().map(|&(place, call)| {
            let arguments = Value::from(call.arguments.clone()).to_string();
            let function = json!({"name": call.name, "arguments": arguments});
            json!({"id": id(&call.id, place), "type": "function", "function": function})
        });
        message["tool_calls"] = listed.collect();
    }
    messages.push(message);
    for (place, call) in calls {
        let content = call.result.text();
        let id = id(&call.id, place);
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
    }
}

/// The reasoning of `provider` itself.
fn reasoning(provider: Provider, parts: &[Part]) -> String {
    let thought = parts.iter().filter_map(|part| match part {
        Part::Reasoning { opaque, .. } => Opaque::for_provider(opaque.as_ref(), provider),
        Part::Text { .. } | Part::Call(_) => None,
    });
    thought.filter_map(|value| value[REASONING].as_str()).collect()
}

/// Decodes a stream of chunks up to `[DONE]`.
pub(super) struct Chat {
    provider: Provider,
    calls: Calls,
    /// Reasoning since the last text or call.
    reasoning: String,
    usage: Usage,
    reason: Option<Reason>,
    skipped: usize,
}

impl Chat {
    pub(super) fn new(provider: Provider, prefix: &str) -> Self {
        Self {
            provider,
            calls: Calls::new(prefix),
            reasoning: String::new(),
            usage: Usage::default(),
            reason: None,
            skipped: 0,
        }
    }

    /// `[DONE]`: the answer is complete if its finish reason came before.
    fn done(&mut self, out: &mut Vec<Event>) {
        let Some(reason) = self.reason.take() else { return };
        self.end_reasoning(out);
        self.calls.finish(out);
        out.push(Event::Usage(self.usage));
        out.push(Event::End(reason));
    }

    fn delta(&mut self, delta: &Value, out: &mut Vec<Event>) {
        for name in [REASONING, "reasoning"] {
            let shown = str_at(delta, &format!("/{name}"));
            if !shown.is_empty() {
                self.reasoning.push_str(shown);
                out.push(Event::Reasoning { shown: shown.to_owned(), opaque: None });
                break;
            }
        }
        for name in ["content", "refusal"] {
            let text = joined(&delta[name]);
            if !text.is_empty() {
                self.end_reasoning(out);
                out.push(Event::Text { text: text.into_owned(), opaque: None });
            }
        }
        for (place, piece) in (0u64..).zip(delta["tool_calls"].as_array().into_iter().flatten()) {
            self.end_reasoning(out);
            let arguments = match &piece["function"]["arguments"] {
                Value::String(text) => Cow::Borrowed(&**text),
                Value::Null => Cow::Borrowed(""),
                other => Cow::Owned(other.to_string()),
            };
            let piece = CallPiece {
                slot: piece["index"].as_u64().unwrap_or(place),
                id: str_at(piece, "/id"),
                name: str_at(piece, "/function/name"),
                arguments: &arguments,
            };
            self.calls.piece(piece, out);
        }
    }

    /// Emits the reasoning so far in the form to be sent back.
    fn end_reasoning(&mut self, out: &mut Vec<Event>) {
        if !self.reasoning.is_empty() {
            let value = json!({REASONING: std::mem::take(&mut self.reasoning)});
            let opaque = Some(Opaque { provider: self.provider, value });
            out.push(Event::Reasoning { shown: String::new(), opaque });
        }
    }

    fn usage(&mut self, usage: &Value, out: &mut Vec<Event>) {
        if let Some(usage) = usage.as_object() {
            self.usage = self::usage(usage);
            out.push(Event::Usage(self.usage));
        }
    }
}

impl Decoder for Chat {
    fn read(&mut self, event: &sse::Event, out: &mut Vec<Event>) -> Result<(), Reported> {
        if event.data.trim() == "[DONE]" {
            self.done(out);
            return Ok(());
        }
        let Ok(chunk) = serde_json::from_str::<Value>(&event.data) else {
            self.skipped += 1;
            return Ok(());
        };
        if chunk["error"].is_object() || chunk["error"].is_string() {
            let status = chunk["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let status = status.filter(|status| (400..600).contains(status)).unwrap_or(500);
            return Err(Reported { status, body: event.data.clone() });
        }
        if !chunk["choices"].is_array() && !chunk["usage"].is_object() {
            self.skipped += 1;
        }
        let choice = &chunk["choices"][0];
        self.delta(&choice["delta"], out);
        self.usage(&choice["usage"], out);
        self.usage(&chunk["usage"], out);
        if let Some(word) = choice["finish_reason"].as_str().filter(|word| !word.is_empty()) {
            self.reason = Some(reason(word).ok_or_else(|| {
                let body = json!({"error": {"message": format!("finish_reason: {word}")}});
                Reported { status: OVERLOADED, body: body.to_string() }
            })?);
        }
        Ok(())
    }

    fn skipped(&self) -> usize {
        self.skipped
    }
}

/// Text, or the text of a list of parts.
fn joined(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => Cow::Owned(parts.iter().map(|part| str_at(part, "/text")).collect()),
        _ => Cow::Borrowed(""),
    }
}

/// The finish reason; `None` if the provider aborted, as documented by DeepSeek
/// (`insufficient_system_resource`) and Zhipu (`network_error`).
fn reason(word: &str) -> Option<Reason> {
    Some(match word {
        "stop" => Reason::Answered,
        "tool_calls" | "function_call" => Reason::Calls,
        "length" => Reason::Length,
        "content_filter" | "sensitive" => Reason::Refused,
        "insufficient_system_resource" | "network_error" => return None,
        other => Reason::Unknown(other.to_owned()),
    })
}

/// Normalises the providers' usage.
fn usage(usage: &Map<String, Value>) -> Usage {
    let usage = Value::Object(usage.clone());
    let input = number_at(&usage, "/prompt_tokens");
    let completion = number_at(&usage, "/completion_tokens");
    let reasoning = number_at(&usage, "/completion_tokens_details/reasoning_tokens");
    let total = number_at(&usage, "/total_tokens");
    // OpenAI's details, DeepSeek's and Moonshot's own fields.
    let cached =
        ["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/cached_tokens"]
            .map(|pointer| number_at(&usage, pointer));
    // xAI counts reasoning in addition to the answer, the others within it. The total tells which.
    let is_beside = reasoning > 0 && total == input + completion + reasoning;
    let output = if is_beside { completion + reasoning } else { completion };
    let cached = cached.into_iter().max().unwrap_or_default();
    Usage { input, cached, cache_written: 0, output, reasoning }
}
