//! What a provider refuses a request with, in words that belong to no protocol. The status, the
//! codes and the usual message are in the room of each protocol.

use std::time::Duration;

/// An error answer, or an error event inside a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The message; the provider's usual one where it is missing.
    pub message: Option<String>,
    /// Which part of the request is meant, where the protocol says so.
    pub param: Option<String>,
    /// When the request may be repeated: the header `retry-after`, or for `gemini` a `retryDelay`
    /// in the body.
    pub retry_after: Option<Duration>,
}

/// What may be wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is malformed.
    BadRequest,
    /// The model does not take a parameter.
    Unsupported,
    /// The key is unknown. `gemini` says 400 to it.
    Unauthorized,
    /// The key may not do this.
    Forbidden,
    /// There is no money left.
    Quota,
    /// There is no such model.
    ModelUnknown,
    /// The conversation is longer than the model's window.
    ContextLength,
    /// Too many requests.
    RateLimited,
    /// The provider has too much to do.
    Overloaded,
    /// The provider failed.
    Server,
}

impl ErrorKind {
    /// Each kind.
    pub const ALL: [Self; 10] = [
        Self::BadRequest,
        Self::Unsupported,
        Self::Unauthorized,
        Self::Forbidden,
        Self::Quota,
        Self::ModelUnknown,
        Self::ContextLength,
        Self::RateLimited,
        Self::Overloaded,
        Self::Server,
    ];
}

impl ProviderError {
    /// This error with the provider's usual message.
    #[must_use]
    pub fn new(kind: ErrorKind) -> Self {
        Self { kind, message: None, param: None, retry_after: None }
    }

    /// A malformed request.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::new(ErrorKind::BadRequest) }
    }

    /// The same error about this part of the request.
    #[must_use]
    pub fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// The same error, which passes after this time.
    #[must_use]
    pub fn retry_after(mut self, time: Duration) -> Self {
        self.retry_after = Some(time);
        self
    }
}

impl From<ErrorKind> for ProviderError {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}
