//! The error contract: three kinds of failure, a closed set of codes, one structure.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::meta::Meta;
use crate::word::words;

/// The body of every response without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The failure.
    pub error: FailureBody,
    /// Metadata, if a run existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<Meta>>,
    /// When a place is likely to be free, if known: sent in the header `Retry-After`, not in
    /// the body.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
}

/// The failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureBody {
    /// Who has to act: the caller or the operator, or neither if Codex failed.
    #[serde(rename = "type")]
    pub kind: FailureKind,
    /// The exact cause.
    pub code: FailureCode,
    /// One sentence for people, including what to do.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// Present if the caller should continue without the advisor (ADV-15).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// All violations of the input contract or of the output contract.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Violation>,
    /// Codex's error message, redacted, at most 2 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

words! {
    /// Who has to act.
    FailureKind {
        /// The caller: the request must change.
        InputError = "input_error",
        /// The operator: the bridge or its surroundings are broken.
        BridgeFailure = "bridge_failure",
        /// Neither: the model failed, timed out or ran over budget.
        CodexFailure = "codex_failure",
    }
}

/// The value that tells a caller to analyse by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fallback {
    /// Continue without the advisor.
    #[serde(rename = "CODEX_FALLBACK")]
    CodexFallback,
}

/// One violation: its position and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Violation {
    /// JSON Pointer (RFC 6901) to the invalid value, or to the position of a missing one; empty for
    /// the whole document.
    pub path: String,
    /// What was expected and what was found.
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A number of violations as used in sentences: `1 place`, `3 places`.
#[must_use]
pub fn places(count: usize) -> String {
    format!("{count} {}", if count == 1 { "place" } else { "places" })
}

impl Violation {
    /// A violation without a hint.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), hint: None }
    }

    /// The same violation with this hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal : $kind:ident, $retryable:literal;)*) => {
        words! {
            /// The exact cause of a failure. The set is closed; a code belongs to one kind.
            FailureCode { $($(#[doc = $doc])+ $variant = $text,)* }
        }

        impl FailureCode {
            /// Who has to act.
            #[must_use]
            pub fn kind(self) -> FailureKind {
                match self { $(Self::$variant => FailureKind::$kind,)* }
            }

            /// What happened, in one sentence: the variant's doc comment.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)* }
            }

            /// Whether the same request may succeed later without a change by the caller.
            #[must_use]
            pub fn is_retryable(self) -> bool {
                match self { $(Self::$variant => $retryable,)* }
            }
        }
    };
}

codes! {
    /// The body is not JSON.
    InvalidJson = "invalid_json": InputError, false;
    /// The body is not declared as JSON.
    UnsupportedMediaType = "unsupported_media_type": InputError, false;
    /// The body is over the limit.
    BodyTooLarge = "body_too_large": InputError, false;
    /// The body is JSON but breaks the input contract.
    ContractViolation = "contract_violation": InputError, false;
    /// No such session.
    UnknownSession = "unknown_session": InputError, false;
    /// The session is past its time to live.
    SessionExpired = "session_expired": InputError, false;
    /// The session has a run in flight.
    SessionBusy = "session_busy": InputError, true;
    /// The phase does not fit the session's round.
    PhaseOrder = "phase_order": InputError, false;
    /// Both rounds of the session are used.
    RoundLimit = "round_limit": InputError, false;
    /// The idempotency key was used with another body.
    IdempotencyConflict = "idempotency_conflict": InputError, false;
    /// The token is missing or wrong.
    Unauthorized = "unauthorized": InputError, false;
    /// The Host or Origin is not ours.
    Forbidden = "forbidden": InputError, false;
    /// No such route or run.
    NotFound = "not_found": InputError, false;
    /// The route exists, the method does not.
    MethodNotAllowed = "method_not_allowed": InputError, false;
    /// The queue is full.
    Overloaded = "overloaded": BridgeFailure, true;
    /// The daemon is shutting down.
    Draining = "draining": BridgeFailure, true;
    /// No Codex executable was found.
    CodexNotFound = "codex_not_found": BridgeFailure, false;
    /// The Codex found is too old or refuses our options.
    CodexIncompatible = "codex_incompatible": BridgeFailure, false;
    /// Codex refuses its configuration.
    CodexMisconfigured = "codex_misconfigured": BridgeFailure, false;
    /// The private Codex home cannot be used.
    CodexHomeUnusable = "codex_home_unusable": BridgeFailure, false;
    /// The process could not be started.
    SpawnFailed = "spawn_failed": BridgeFailure, true;
    /// The store could not be read or written.
    StoreFailed = "store_failed": BridgeFailure, true;
    /// The bridge died during the run.
    Interrupted = "interrupted": BridgeFailure, true;
    /// A fault of our own.
    Internal = "internal": BridgeFailure, true;
    /// Made by the client itself: the bridge does not answer.
    BridgeUnreachable = "bridge_unreachable": BridgeFailure, true;
    /// Not signed in, or the sign-in was refused.
    Auth = "auth": CodexFailure, false;
    /// The plan's usage limit or quota is used up.
    Quota = "quota": CodexFailure, false;
    /// Too many requests.
    RateLimited = "rate_limited": CodexFailure, true;
    /// The conversation does not fit the model.
    ContextLength = "context_length": CodexFailure, false;
    /// The model does not exist or is at capacity.
    ModelUnavailable = "model_unavailable": CodexFailure, false;
    /// The provider failed.
    UpstreamError = "upstream_error": CodexFailure, true;
    /// The provider could not be reached.
    Network = "network": CodexFailure, true;
    /// The provider refused the request.
    BadRequest = "bad_request": CodexFailure, false;
    /// The model or its policy declined.
    Refused = "refused": CodexFailure, false;
    /// The answer does not keep the output contract.
    BadOutput = "bad_output": CodexFailure, true;
    /// Codex printed more than a run may.
    OutputLimit = "output_limit": CodexFailure, false;
    /// Codex died.
    Crashed = "crashed": CodexFailure, true;
    /// The thread of the first round is gone.
    SessionLost = "session_lost": CodexFailure, false;
    /// The deadline passed.
    Timeout = "timeout": CodexFailure, true;
    /// The provider went silent.
    Stalled = "stalled": CodexFailure, true;
    /// The caller cancelled or went away.
    Cancelled = "cancelled": CodexFailure, false;
}

impl Failure {
    /// A failure with this code, which determines kind, `retryable` and the fallback.
    #[must_use]
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        let fallback = match code.kind() {
            FailureKind::BridgeFailure => Some(Fallback::CodexFallback),
            FailureKind::InputError | FailureKind::CodexFailure => None,
        };
        Self {
            error: FailureBody {
                kind: code.kind(),
                code,
                message: message.into(),
                retryable: code.is_retryable(),
                fallback,
                details: Vec::new(),
                summary: None,
            },
            meta: None,
            retry_after: None,
        }
    }

    /// The same failure, to be retried after this time.
    #[must_use]
    pub fn with_retry_after(mut self, retry_after: Duration) -> Self {
        self.retry_after = Some(retry_after);
        self
    }

    /// The same failure with these details.
    #[must_use]
    pub fn with_details(mut self, details: Vec<Violation>) -> Self {
        self.error.details = details;
        self
    }

    /// The same failure with Codex's error message. The caller has redacted and truncated it.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.error.summary = Some(summary.into());
        self
    }

    /// The same failure with the run's metadata.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(Box::new(meta));
        self
    }
}
