//! Failures of a request: one variant for each different reaction of a caller.

use std::time::Duration;

/// Why a request failed. Messages are the provider's, without control characters, with
/// secrets masked, at most 500 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The key was rejected. Another key or another model helps, a retry does not.
    #[error("the key was refused ({status}): {message}")]
    Auth {
        /// 401 or 403, or 400 with providers that use it for wrong keys.
        status: u16,
        /// The provider's message.
        message: String,
    },
    /// The account has no credit left.
    #[error("the account has no credit: {message}")]
    Quota {
        /// The provider's message.
        message: String,
    },
    /// Too many requests.
    #[error("too many requests: {message}")]
    RateLimited {
        /// The requested delay, if any.
        after: Option<Duration>,
        /// The provider's message.
        message: String,
    },
    /// The provider is overloaded.
    #[error("the provider is overloaded ({status}): {message}")]
    Overloaded {
        /// 503 or 529, or the equivalent in a stream.
        status: u16,
        /// The requested delay, if any.
        after: Option<Duration>,
        /// The provider's message.
        message: String,
    },
    /// The conversation exceeds the model's context window.
    #[error("the conversation is too long: {message}")]
    ContextLength {
        /// The provider's message.
        message: String,
    },
    /// The provider does not know the model, or does not let this account use it.
    #[error("the model is not known: {message}{}", offered(.nearest))]
    ModelUnknown {
        /// The provider's message.
        message: String,
        /// The most similar names in the provider's own list, best first; empty if it
        /// has no list.
        nearest: Vec<String>,
    },
    /// The provider rejected the request for another reason.
    #[error("the request was not accepted ({status}): {message}")]
    BadRequest {
        /// The status.
        status: u16,
        /// The provider's message.
        message: String,
    },
    /// The provider refused the content.
    #[error("the content was refused: {message}")]
    Refused {
        /// The provider's message.
        message: String,
    },
    /// The connection failed before an answer began.
    #[error("no connection: {message}")]
    Network {
        /// The error.
        message: String,
    },
    /// The answer began but did not end. The received part is not used.
    #[error("the answer was cut off: {message}")]
    Cut {
        /// The error.
        message: String,
    },
    /// The provider did not respond in time.
    #[error("{wait} took longer than {after:?}")]
    Timeout {
        /// What was waited for.
        wait: Wait,
        /// For how long.
        after: Duration,
    },
    /// The provider had an internal error.
    #[error("the provider failed ({status}): {message}")]
    Server {
        /// The status.
        status: u16,
        /// The provider's message.
        message: String,
    },
    /// The response has an unknown format.
    #[error("the reply cannot be read: {message}")]
    Unreadable {
        /// A description of it.
        message: String,
    },
    /// The caller cancelled the request.
    #[error("interrupted")]
    Cancelled,
}

/// The provider's similar models, as the end of a sentence.
fn offered(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    format!("; the provider has {}", nearest.join(", "))
}

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The connection, TLS included.
    Connect,
    /// The head of the response.
    Headers,
    /// The next data within an answer.
    Silence,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "the connection",
            Self::Headers => "the beginning of the reply",
            Self::Silence => "the next part of the answer",
        })
    }
}

impl Failure {
    /// The name of the failure's class in events and logs.
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Auth { .. } => "auth",
            Self::Quota { .. } => "quota",
            Self::RateLimited { .. } => "rate_limited",
            Self::Overloaded { .. } => "overloaded",
            Self::ContextLength { .. } => "context_length",
            Self::ModelUnknown { .. } => "model_unknown",
            Self::BadRequest { .. } => "bad_request",
            Self::Refused { .. } => "refused",
            Self::Network { .. } => "network",
            Self::Cut { .. } => "cut",
            Self::Timeout { .. } => "timeout",
            Self::Server { .. } => "server",
            Self::Unreadable { .. } => "unreadable",
            Self::Cancelled => "cancelled",
        }
    }
}
