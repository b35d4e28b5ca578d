//! Gemini `streamGenerateContent` with `alt=sse`.

mod schema;

use serde_json::{Value, json};

use super::calls::{CallPiece, Calls};
use super::decoder::{Decoder, Reported, number_at, str_at};
use super::target::{Target, calls};
use crate::event::{Event, Reason, Usage};
use crate::id::Provider;
use crate::message::{Content, Message, Opaque, Part};
use crate::request::{Request, Tool};
use crate::sse;

/// Replaces the signature of a call by another provider. Gemini 3 answers 400 to calls
/// without one, and documents this value for histories of other models.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The body; the model is part of the path.
pub(super) fn body(target: &Target, request: &Request) -> Value {
    let mut body = json!({});
    if !request.system.is_empty() {
        body["systemInstruction"] = json!({"parts": [{"text": request.system}]});
    }
    if !request.tools.is_empty() {
        let declared: Vec<Value> = request.tools.iter().map(tool).collect();
        body["tools"] = json!([{"functionDeclarations": declared}]);
    }
    let mut settings = json!({});
    if let Some(limit) = request.output_limit {
        settings["maxOutputTokens"] = limit.into();
    }
    if let Some(budget) = request.thinking {
        settings["thinkingConfig"] = json!({"includeThoughts": true, "thinkingBudget": budget});
    }
    if settings.as_object().is_some_and(|settings| !settings.is_empty()) {
        body["generationConfig"] = settings;
    }
    let mut contents = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(parts) => {
                let parts: Vec<Value> = parts.iter().map(content).collect();
                contents.push(json!({"role": "user", "parts": parts}));
            }
            Message::Answer(parts) => answer(target, parts, &mut contents),
        }
    }
    body["contents"] = contents.into();
    body
}

/// A tool declaration. A schema without properties is left out, because it is rejected.
fn tool(tool: &Tool) -> Value {
    let mut declared = json!({"name": tool.name, "description": tool.description});
    let schema = schema::cut_down(&tool.schema);
    if schema["properties"].as_object().is_some_and(|properties| !properties.is_empty()) {
        declared["parameters"] = schema;
    }
    declared
}

fn content(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({"text": text}),
        Content::Image { media_type, base64 } => {
            json!({"inlineData": {"mimeType": media_type, "data": base64}})
        }
    }
}

/// The content of an answer, and one content with all of its results.
fn answer(target: &Target, parts: &[Part], contents: &mut Vec<Value>) {
    let provider = target.id.provider();
    let wants_signature = target.id.name().starts_with("gemini-3");
    let mut is_first_call = true;
    let said: Vec<Value> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Reasoning { .. } => None,
            Part::Text { text, opaque } => {
                let signature = Opaque::for_provider(opaque.as_ref(), provider);
                (!text.is_empty() || signature.is_some())
                    .then(|| signed(json!({"text": text}), signature))
            }
            Part::Call(call) => {
                let arguments = Value::from(call.arguments.clone());
                let called = json!({"functionCall": {"name": call.name, "args": arguments}});
                let signature = Opaque::for_provider(call.opaque.as_ref(), provider).cloned();
                // Of parallel calls only the first has a signature.
                let stand_in = wants_signature && std::mem::take(&mut is_first_call);
                let signature = signature.or_else(|| stand_in.then(|| NO_SIGNATURE.into()));
                Some(signed(called, signature.as_ref()))
            }
        })
        .collect();
    if said.is_empty() {
        return;
    }
    contents.push(json!({"role": "model", "parts": said}));
    let results: Vec<Value> = calls(parts)
        .map(|call| {
            let name = if call.result.is_failed() { "error" } else { "output" };
            let response = json!({name: call.result.text()});
            json!({"functionResponse": {"name": call.name, "response": response}})
        })
        .collect();
    if !results.is_empty() {
        contents.push(json!({"role": "user", "parts": results}));
    }
}

fn signed(mut part: Value, signature: Option<&Value>) -> Value {
    if let Some(signature) = signature {
        part["thoughtSignature"] = signature.clone();
    }
    part
}

/// Decodes a stream. It has no end marker: the answer is complete if a finish reason came and the
/// connection ended without an error.
pub(super) struct Gemini {
    provider: Provider,
    calls: Calls,
    /// Number of calls so far.
    called: u64,
    usage: Usage,
    reason: Option<Reason>,
    skipped: usize,
}

impl Gemini {
    pub(super) fn new(provider: Provider, prefix: &str) -> Self {
        Self {
            provider,
            calls: Calls::new(prefix),
            called: 0,
            usage: Usage::default(),
            reason: None,
            skipped: 0,
        }
    }

    fn part(&mut self, part: &Value, out: &mut Vec<Event>) {
        let signature = part["thoughtSignature"].as_str().filter(|text| !text.is_empty());
        let opaque = signature.map(|text| Opaque { provider: self.provider, value: text.into() });
        if let Some(call) = part["functionCall"].as_object() {
            let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
            let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
            let piece = CallPiece { slot: self.called, id, name, arguments: &arguments };
            self.called += 1;
            self.calls.whole(piece, opaque, out);
        } else if part["thought"] == true {
            // The signature of a summary belongs to the next part, where it is repeated.
            let shown = str_at(part, "/text");
            if !shown.is_empty() {
                out.push(Event::Reasoning { shown: shown.to_owned(), opaque: None });
            }
        } else if part["text"].is_string() || opaque.is_some() {
            let text = str_at(part, "/text").to_owned();
            if !text.is_empty() || opaque.is_some() {
                out.push(Event::Text { text, opaque });
            }
        } else {
            self.skipped += 1;
        }
    }

    fn count(&mut self, usage: &Value, out: &mut Vec<Event>) {
        if !usage.is_object() {
            return;
        }
        let reasoning = number_at(usage, "/thoughtsTokenCount");
        self.usage = Usage {
            input: number_at(usage, "/promptTokenCount"),
            cached: number_at(usage, "/cachedContentTokenCount"),
            cache_written: 0,
            output: number_at(usage, "/candidatesTokenCount").saturating_add(reasoning),
            reasoning,
        };
        out.push(Event::Usage(self.usage));
    }
}

impl Decoder for Gemini {
    fn read(&mut self, event: &sse::Event, out: &mut Vec<Event>) -> Result<(), Reported> {
        let Ok(chunk) = serde_json::from_str::<Value>(&event.data) else {
            self.skipped += 1;
            return Ok(());
        };
        if chunk["error"].is_object() {
            let status = chunk["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let status = status.filter(|status| (400..600).contains(status)).unwrap_or(500);
            return Err(Reported { status, body: event.data.clone() });
        }
        let candidate = &chunk["candidates"][0];
        let known = [candidate, &chunk["usageMetadata"], &chunk["promptFeedback"]];
        if !known.into_iter().any(Value::is_object) {
            self.skipped += 1;
        }
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, out);
        }
        self.count(&chunk["usageMetadata"], out);
        if chunk["promptFeedback"]["blockReason"].is_string() {
            self.reason = Some(Reason::Refused);
        }
        if let Some(word) = candidate["finishReason"].as_str() {
            self.reason = Some(reason(word));
        }
        Ok(())
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        let Some(reason) = self.reason.take() else { return };
        self.calls.finish(out);
        // The finish reason is `STOP` even if there are calls.
        let reason =
            if reason == Reason::Answered && self.called > 0 { Reason::Calls } else { reason };
        out.push(Event::Usage(self.usage));
        out.push(Event::End(reason));
    }

    fn skipped(&self) -> usize {
        self.skipped
    }
}

fn reason(word: &str) -> Reason {
    match word {
        "STOP" => Reason::Answered,
        "MAX_TOKENS" => Reason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => Reason::Refused,
        other => Reason::Unknown(other.to_owned()),
    }
}
