//! Classifies error responses. Statuses are ambiguous, so the provider's messages are matched
//! first, by a table.

mod delay;

use std::time::{Duration, SystemTime};

use redact::{Cut, Redactor};
use serde_json::Value;

use crate::failure::Failure;

/// Maximum length of a message, in characters: a few lines of a terminal.
const MESSAGE_CHARS: usize = 500;

/// An error response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reply<'r> {
    pub(crate) status: u16,
    /// The requested delay, from the headers.
    pub(crate) after: Option<Duration>,
    pub(crate) body: &'r str,
}

impl<'r> Reply<'r> {
    /// A response with its headers, received at `now`.
    pub(crate) fn new(
        status: u16,
        headers: &http::HeaderMap,
        body: &'r str,
        now: SystemTime,
    ) -> Self {
        Self { status, after: delay::from_headers(headers, now), body }
    }
}

/// The meaning of a message, independent of the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    TooLong,
    NoCredit,
    WrongKey,
    NoModel,
    RefusedContent,
    Overload,
}

/// Messages of providers, in lower case, and the statuses with which they occur. The first match
/// decides. `code` values are written as in the JSON.
const WORDS: &[(Meaning, &[u16], &[&str])] = &[
    (
        Meaning::TooLong,
        &[400, 413, 422, 500],
        &[
            "prompt is too long",
            "context_length_exceeded",
            "maximum context length",
            "maximum prompt length",
            "exceeds the maximum number of tokens",
            "exceed context limit",
            "exceeded model token limit",
            "range of input length should be",
            "input length and `max_tokens` exceed",
            "prompt exceeds max length",
            "request_too_large",
            "\"code\":\"1261\"",
        ],
    ),
    (
        Meaning::NoCredit,
        &[400, 402, 403, 429],
        &[
            "insufficient_quota",
            "exceeded_current_quota_error",
            "credit balance is too low",
            "insufficient balance",
            "arrearage",
            "billing_hard_limit_reached",
            "\"code\":\"1113\"",
        ],
    ),
    (
        Meaning::WrongKey,
        &[400],
        &[
            "api_key_invalid",
            "api key not valid",
            "incorrect api key",
            "invalid api key",
            "invalid_api_key",
        ],
    ),
    (
        Meaning::NoModel,
        &[400, 403, 404, 422],
        &[
            "model_not_found",
            "model not exist",
            "model not found",
            "model does not exist",
            "does not exist or you do not have access",
            "is not found for api version",
            "model_not_supported",
            "\"code\":\"1211\"",
        ],
    ),
    (
        Meaning::RefusedContent,
        &[400, 403, 422],
        &[
            "data_inspection_failed",
            "content_policy_violation",
            "content_filter",
            "inappropriate content",
            "\"code\":\"1301\"",
        ],
    ),
    (
        Meaning::Overload,
        &[429, 500],
        &[
            "engine_overloaded_error",
            "overloaded_error",
            "currently overloaded",
            "\"code\":\"1305\"",
        ],
    ),
];

/// The failure for `reply`. `redactor` knows the key, so it is masked in the provider's message.
pub(crate) fn classify(reply: Reply<'_>, redactor: &Redactor) -> Failure {
    let Reply { status, body, .. } = reply;
    let after = reply.after.or_else(|| delay::from_body(body));
    let message = message(reply, redactor);
    let meaning = meaning(status, body);
    match (meaning, status) {
        (Some(Meaning::TooLong), _) | (None, 413) => Failure::ContextLength { message },
        (Some(Meaning::NoCredit), _) | (None, 402) => Failure::Quota { message },
        (Some(Meaning::WrongKey), _) | (None, 401 | 403) => Failure::Auth { status, message },
        (Some(Meaning::NoModel), _) | (None, 404) => {
            Failure::ModelUnknown { message, nearest: Vec::new() }
        }
        (Some(Meaning::RefusedContent), _) => Failure::Refused { message },
        (Some(Meaning::Overload), _) | (None, 503 | 529) => {
            Failure::Overloaded { status, after, message }
        }
        (None, 429) => Failure::RateLimited { after, message },
        (None, 300..500) => Failure::BadRequest { status, message },
        (None, 500..) => Failure::Server { status, message },
        (None, _) => Failure::Unreadable { message },
    }
}

fn meaning(status: u16, body: &str) -> Option<Meaning> {
    // JSON may be written with blanks after its colons.
    let body = body.to_lowercase().replace("\": ", "\":");
    let found = WORDS.iter().find(|(_, statuses, words)| {
        statuses.contains(&status) && words.iter().any(|word| body.contains(word))
    });
    found.map(|&(meaning, ..)| meaning)
}

/// The provider's message, masked; never a page of HTML.
fn message(reply: Reply<'_>, redactor: &Redactor) -> String {
    if (300..400).contains(&reply.status) {
        return "the address leads elsewhere, and a key is not sent after it".to_owned();
    }
    let value: Value = serde_json::from_str(reply.body).unwrap_or_default();
    let pointers = [
        "/error/message",
        "/0/error/message",
        "/message",
        "/error",
        "/msg",
        "/detail",
        "/error/code",
    ];
    let told = pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_str());
    let is_page = reply.body.trim_start().starts_with('<');
    let text = match told {
        Some(text) => text,
        None if is_page => "a page of HTML",
        None if reply.body.trim().is_empty() => "no explanation",
        None => reply.body.trim(),
    };
    redactor.sanitize(text, Cut::chars(MESSAGE_CHARS).marked()).text.into_owned()
}

#[cfg(test)]
mod tests;
