//! Why there is no answer: one variant for each thing that a caller does differently.

use std::time::Duration;

/// Why a request has no answer. Messages are the provider's words without control characters, with
/// secrets masked, at most 500 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The key was refused. Another key or another model helps, trying again does not.
    #[error("the key was refused ({status}): {message}")]
    Auth {
        /// 401 or 403, or 400 of providers that use it for wrong keys.
        status: u16,
        /// The provider's words.
        message: String,
    },
    /// The account has no credit left.
    #[error("the account has no credit: {message}")]
    Quota {
        /// The provider's words.
        message: String,
    },
    /// Too many requests.
    #[error("too many requests: {message}")]
    RateLimited {
        /// How long to wait, where it was told.
        after: Option<Duration>,
        /// The provider's words.
        message: String,
    },
    /// The provider has no room at the moment.
    #[error("the provider is overloaded ({status}): {message}")]
    Overloaded {
        /// 503 or 529, or the same said in a stream.
        status: u16,
        /// How long to wait, where it was told.
        after: Option<Duration>,
        /// The provider's words.
        message: String,
    },
    /// The conversation does not fit into the model.
    #[error("the conversation is too long: {message}")]
    ContextLength {
        /// The provider's words.
        message: String,
    },
    /// The provider does not know the model, or does not let this account use it.
    #[error("the model is not known: {message}{}", offered(.nearest))]
    ModelUnknown {
        /// The provider's words.
        message: String,
        /// The names in the provider's own list that are most like it, the nearest first; none where it
        /// has no list.
        nearest: Vec<String>,
    },
    /// The provider does not accept the request for another reason.
    #[error("the request was not accepted ({status}): {message}")]
    BadRequest {
        /// The status.
        status: u16,
        /// The provider's words.
        message: String,
    },
    /// The provider refuses the content.
    #[error("the content was refused: {message}")]
    Refused {
        /// The provider's words.
        message: String,
    },
    /// There is no connection, or it broke before an answer began.
    #[error("no connection: {message}")]
    Network {
        /// What broke.
        message: String,
    },
    /// The answer began and did not end. What came of it is no answer.
    #[error("the answer was cut off: {message}")]
    Cut {
        /// What broke.
        message: String,
    },
    /// The provider said nothing for too long.
    #[error("{wait} took longer than {after:?}")]
    Timeout {
        /// What was waited for.
        wait: Wait,
        /// For how long.
        after: Duration,
    },
    /// The provider failed.
    #[error("the provider failed ({status}): {message}")]
    Server {
        /// The status.
        status: u16,
        /// The provider's words.
        message: String,
    },
    /// What came is in no form that is known here.
    #[error("the reply cannot be read: {message}")]
    Unreadable {
        /// What came instead.
        message: String,
    },
    /// The caller ended the request.
    #[error("interrupted")]
    Cancelled,
}

/// What a provider has instead, as the end of a sentence.
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
    /// The head of the reply.
    Headers,
    /// The next sign of life within an answer.
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
    /// The word for the kind of failure in events and logs.
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
