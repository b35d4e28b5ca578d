//! An error in the form of OpenAI's two protocols. They share the body and most texts; each defines the differences.

use serde_json::{Value, json};

use crate::provider_error::{ErrorKind, ProviderError};

/// The texts that differ between the protocols.
pub(super) struct OwnWords<'a> {
    pub(super) model_unknown: String,
    pub(super) too_long: &'a str,
    /// Code and message.
    pub(super) overloaded: (Option<&'a str>, &'a str),
    /// Code and message.
    pub(super) server: (Option<&'a str>, &'a str),
}

/// The status and the body of an error.
pub(super) fn error(error: &ProviderError, own: &OwnWords<'_>) -> (u16, Value) {
    const INVALID: &str = "invalid_request_error";
    let (status, kind, code, message) = match error.kind {
        ErrorKind::BadRequest => (400, INVALID, None, "Invalid request."),
        ErrorKind::Unsupported => {
            (400, INVALID, Some("unsupported_parameter"), "Unsupported parameter.")
        }
        ErrorKind::Unauthorized => {
            (401, INVALID, Some("invalid_api_key"), "Incorrect API key provided.")
        }
        ErrorKind::Forbidden => (
            403,
            INVALID,
            Some("unsupported_country_region_territory"),
            "Country, region, or territory not supported",
        ),
        ErrorKind::Quota => (
            429,
            "insufficient_quota",
            Some("insufficient_quota"),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        ErrorKind::ModelUnknown => (404, INVALID, Some("model_not_found"), &*own.model_unknown),
        ErrorKind::ContextLength => (400, INVALID, Some("context_length_exceeded"), own.too_long),
        ErrorKind::RateLimited => (
            429,
            "requests",
            Some("rate_limit_exceeded"),
            "Rate limit reached. Please try again later.",
        ),
        ErrorKind::Overloaded => (503, "server_error", own.overloaded.0, own.overloaded.1),
        ErrorKind::Server => (500, "server_error", own.server.0, own.server.1),
    };
    let message = error.message.as_deref().unwrap_or(message);
    let body = json!({ "message": message, "type": kind, "param": error.param, "code": code });
    (status, json!({ "error": body }))
}
