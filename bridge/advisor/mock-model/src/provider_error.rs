//! A provider's error, independent of the protocol. The status, the
//! codes and the usual message are in the module of each protocol.

use std::time::Duration;

/// An error response, or an error event inside a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The message; if none, the provider's usual one.
    pub message: Option<String>,
    /// The part of the request that the error is about, if the protocol reports it.
    pub param: Option<String>,
    /// When the request may be repeated: the header `retry-after`, or for `gemini` a `retryDelay`
    /// in the body.
    pub retry_after: Option<Duration>,
}

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is malformed.
    BadRequest,
    /// The model does not support a parameter.
    Unsupported,
    /// The key is unknown. `gemini` returns 400 for it.
    Unauthorized,
    /// The key has no permission for this.
    Forbidden,
    /// The account has no credit left.
    Quota,
    /// There is no such model.
    ModelUnknown,
    /// The conversation is longer than the model's window.
    ContextLength,
    /// Too many requests.
    RateLimited,
    /// The provider is overloaded.
    Overloaded,
    /// The provider failed.
    Server,
}

impl ErrorKind {
    /// All kinds.
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

    /// The same error with the time after which the request may be repeated.
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
