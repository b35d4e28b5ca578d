//! Google's generateContent and streamGenerateContent: the chunks, the complete response, errors,
//! and refusals. Forms as recorded from Gemini 3 in 2026.
//!
//! Calls have no ids, arguments are sent at once, the finish reason is `STOP` also with calls and is
//! in a last chunk with an empty text, and each chunk has the usage so far. A signature is on
//! the first call after its reasoning, or on the empty text if there is none.

mod pairs;
mod schema;

use std::time::Duration;

use serde_json::{Value, json};

use crate::asked::Asked;
use crate::event::Events;
use crate::provider_error::{ErrorKind, ProviderError};
use crate::turn::{End, Part, Piece, Turn, Usage, whole};

pub(super) use pairs::refused;

/// The chunks of a turn.
pub(super) fn events(turn: &Turn, asked: &Asked) -> Events {
    let mut stream =
        Stream { events: Events::default(), asked, usage: turn.usage, sent: 0, signature: None };
    for part in &turn.parts {
        stream.part(part);
    }
    let mut last = json!({ "text": "" });
    sign(&mut last, &mut stream.signature);
    stream.events.end_begins();
    let mut candidate = candidate(json!([last]));
    candidate["finishReason"] = json!(finish_reason(turn));
    stream.events.data(Duration::ZERO, &frame(asked, turn.usage, candidate));
    stream.events
}

/// The turn as one response.
pub(super) fn response(turn: &Turn, asked: &Asked) -> Value {
    let mut signature = None;
    let mut parts: Vec<Value> =
        turn.parts.iter().flat_map(|part| whole_part(part, &mut signature)).collect();
    if let Some(last) = parts.last_mut() {
        sign(last, &mut signature);
    }
    let mut candidate = candidate(Value::Array(parts));
    candidate["finishReason"] = json!(finish_reason(turn));
    frame(asked, turn.usage, candidate)
}

/// The status and the body of an error.
pub(super) fn error(error: &ProviderError, asked: &Asked) -> (u16, Value) {
    let (code, status, message) = words(error.kind, &asked.model);
    let message = error.message.clone().unwrap_or(message);
    let mut body = json!({ "code": code, "message": message, "status": status });
    let mut details = Vec::new();
    if error.kind == ErrorKind::Unauthorized {
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
        }));
    }
    if let Some(time) = error.retry_after {
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{}s", time.as_secs_f64()),
        }));
    }
    if !details.is_empty() {
        body["details"] = json!(details);
    }
    (code, json!({ "error": body }))
}

/// The error as an event inside a stream.
pub(super) fn error_event(provider_error: &ProviderError, asked: &Asked) -> String {
    format!("data: {}\n\n", error(provider_error, asked).1)
}

/// The texts of the user's contents.
pub(super) fn user_texts(body: &Value) -> Vec<String> {
    let contents = body["contents"].as_array().into_iter().flatten();
    let said = contents.filter(|content| content["role"] == "user" || content["role"].is_null());
    said.map(|content| {
        let parts = content["parts"].as_array().into_iter().flatten();
        parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
    })
    .filter(|text| !text.is_empty())
    .collect()
}

/// The number of the model's answers.
pub(super) fn answers(body: &Value) -> usize {
    let contents = body["contents"].as_array().into_iter().flatten();
    contents.filter(|content| content["role"] == "model").count()
}

/// The results: a single text unchanged, other objects as JSON text.
pub(super) fn results(body: &Value) -> Vec<String> {
    let contents = body["contents"].as_array().into_iter().flatten();
    let parts = contents.flat_map(|content| content["parts"].as_array().into_iter().flatten());
    let results = parts.filter_map(|part| part["functionResponse"].get("response"));
    results
        .map(|response| {
            let fields: Vec<&Value> =
                response.as_object().into_iter().flatten().map(|(_, field)| field).collect();
            match fields[..] {
                [Value::String(text)] => text.clone(),
                _ => response.to_string(),
            }
        })
        .collect()
}

/// Builds the chunks.
struct Stream<'a> {
    events: Events,
    asked: &'a Asked,
    usage: Usage,
    /// The number of chunks so far, from which a chunk's usage is computed.
    sent: u64,
    /// A signature that was not placed yet.
    signature: Option<String>,
}

impl Stream<'_> {
    fn part(&mut self, part: &Part) {
        match part {
            // This provider has no event without content: a comment has the same effect.
            Part::KeepAlive(pause) | Part::Comment(pause) => self.events.comment(*pause),
            Part::Text(pieces) => self.texts(pieces, |text| json!({ "text": text })),
            Part::Refusal(text) => {
                self.texts(&[Piece::new(text)], |text| json!({ "text": text }));
            }
            Part::Reasoning { shown, opaque } => {
                self.texts(shown, |text| json!({ "text": text, "thought": true }));
                self.signature.clone_from(opaque);
            }
            Part::Call { name, arguments } => {
                let mut call = call(name, arguments);
                sign(&mut call, &mut self.signature);
                let pause = arguments.iter().map(|piece| piece.pause).sum();
                self.send(pause, candidate(json!([call])));
            }
        }
    }

    fn texts(&mut self, pieces: &[Piece], part: impl Fn(&str) -> Value) {
        for piece in pieces {
            self.send(piece.pause, candidate(json!([part(&piece.text)])));
        }
    }

    fn send(&mut self, pause: Duration, candidate: Value) {
        self.sent += 1;
        let output = self.usage.reasoning_tokens + self.sent;
        let so_far = Usage { output_tokens: output.min(self.usage.output_tokens), ..self.usage };
        self.events.data(pause, &frame(self.asked, so_far, candidate));
    }
}

/// A part of a whole response.
fn whole_part(part: &Part, signature: &mut Option<String>) -> Option<Value> {
    match part {
        Part::KeepAlive(_) | Part::Comment(_) => None,
        Part::Text(pieces) => Some(json!({ "text": whole(pieces) })),
        Part::Refusal(text) => Some(json!({ "text": text })),
        Part::Reasoning { shown, opaque } => {
            signature.clone_from(opaque);
            (!shown.is_empty()).then(|| json!({ "text": whole(shown), "thought": true }))
        }
        Part::Call { name, arguments } => {
            let mut call = call(name, arguments);
            sign(&mut call, signature);
            Some(call)
        }
    }
}

/// A call; without arguments the field is absent.
fn call(name: &str, arguments: &[Piece]) -> Value {
    let mut call = json!({ "functionCall": { "name": name } });
    let arguments: Value = serde_json::from_str(&whole(arguments)).unwrap_or(Value::Null);
    if arguments.as_object().is_some_and(|fields| !fields.is_empty()) {
        call["functionCall"]["args"] = arguments;
    }
    call
}

fn sign(part: &mut Value, signature: &mut Option<String>) {
    if let Some(signature) = signature.take() {
        part["thoughtSignature"] = json!(signature);
    }
}

fn candidate(parts: Value) -> Value {
    json!({ "content": { "parts": parts, "role": "model" }, "index": 0 })
}

fn frame(asked: &Asked, usage: Usage, candidate: Value) -> Value {
    // Reasoning is counted separately from the candidates' tokens.
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": usage.input_tokens,
            "cachedContentTokenCount": usage.cached_input_tokens,
            "candidatesTokenCount": usage.output_tokens.saturating_sub(usage.reasoning_tokens),
            "thoughtsTokenCount": usage.reasoning_tokens,
            "totalTokenCount": usage.input_tokens + usage.output_tokens,
        },
        "modelVersion": asked.model,
        "responseId": format!("response-{:06}", asked.number),
    })
}

fn finish_reason(turn: &Turn) -> &str {
    match &turn.end {
        End::Done if turn.refuses() => "SAFETY",
        End::Done => "STOP",
        End::Length => "MAX_TOKENS",
        End::Filtered => "SAFETY",
        End::Named(reason) => reason,
    }
}

/// Code, status and usual message of each kind.
fn words(kind: ErrorKind, model: &str) -> (u16, &'static str, String) {
    let (code, status, message) = match kind {
        ErrorKind::BadRequest | ErrorKind::Unsupported => {
            (400, "INVALID_ARGUMENT", "Request contains an invalid argument.")
        }
        ErrorKind::Unauthorized => {
            (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
        }
        ErrorKind::Forbidden => (403, "PERMISSION_DENIED", "The caller does not have permission"),
        ErrorKind::Quota | ErrorKind::RateLimited => {
            (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan.")
        }
        ErrorKind::ModelUnknown => {
            let message = format!(
                "models/{model} is not found for API version v1beta, or is not supported for \
                 generateContent."
            );
            return (404, "NOT_FOUND", message);
        }
        ErrorKind::ContextLength => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed \
             (1048576).",
        ),
        ErrorKind::Overloaded => {
            (503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
        }
        ErrorKind::Server => (500, "INTERNAL", "An internal error has occurred. Please retry."),
    };
    (code, status, message.to_owned())
}

#[cfg(test)]
mod tests;
