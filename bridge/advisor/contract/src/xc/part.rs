//! Enums and structs that events, results and journals share.

use serde::{Deserialize, Serialize};

use crate::word::words;

words! {
    /// How dangerous a call is.
    CallLevel {
        /// It reads.
        L0 = "L0",
        /// It changes something.
        L1 = "L1",
        /// It is dangerous, or could not be analysed.
        L2 = "L2",
        /// It is never allowed.
        L3 = "L3",
    }
}

words! {
    /// The permission mode.
    PermitMode {
        /// The user is asked about changes.
        Ask = "ask",
        /// Changes run without a question.
        Trust = "trust",
        /// Changes are denied.
        Plan = "plan",
    }
}

words! {
    /// How a call ended.
    CallStatus {
        /// It succeeded.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// It was denied.
        Denied = "denied",
        /// It timed out.
        Timeout = "timeout",
        /// It was interrupted; it may have had some effect.
        Interrupted = "interrupted",
    }
}

words! {
    /// Why a turn ended.
    EndReason {
        /// With an answer.
        Answered = "answered",
        /// It reached its limit of steps.
        TurnLimit = "turn_limit",
        /// It reached its cost limit.
        CostLimit = "cost_limit",
        /// A permanent failure.
        Failed = "failed",
        /// The user interrupted it.
        Interrupted = "interrupted",
    }
}

words! {
    /// Classes of provider failures; each is handled differently.
    FailureClass {
        /// The key is missing or rejected.
        Auth = "auth",
        /// The account's quota is used up.
        Quota = "quota",
        /// Too many requests.
        RateLimited = "rate_limited",
        /// The provider is overloaded.
        Overloaded = "overloaded",
        /// The conversation exceeds the model's context window.
        ContextLength = "context_length",
        /// The provider does not know the model.
        ModelUnknown = "model_unknown",
        /// The provider rejected the request as malformed.
        BadRequest = "bad_request",
        /// The provider refused to answer.
        Refused = "refused",
        /// The provider cannot be reached.
        Network = "network",
        /// The response ended early.
        Cut = "cut",
        /// The response timed out.
        Timeout = "timeout",
        /// The provider failed.
        Server = "server",
        /// The response cannot be parsed.
        Unreadable = "unreadable",
    }
}

/// Tokens of one or several model requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Input tokens from the provider's cache.
    pub cached: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    /// The command, masked.
    pub command: String,
    /// Its exit code; absent if it was ended by a signal or timeout.
    pub exit: Option<i32>,
}

/// A denied call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedCall {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// How dangerous it is.
    pub level: CallLevel,
    /// The rule that decided, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}
