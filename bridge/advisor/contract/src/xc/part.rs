//! The words and parts that events, results and journals share.

use serde::{Deserialize, Serialize};

use crate::word::words;

words! {
    /// How dangerous a call is.
    CallLevel {
        /// It reads.
        L0 = "L0",
        /// It changes something.
        L1 = "L1",
        /// It is dangerous, or not understood.
        L2 = "L2",
        /// It is never allowed.
        L3 = "L3",
    }
}

words! {
    /// How calls are judged.
    PermitMode {
        /// A change is asked for.
        Ask = "ask",
        /// Changes run.
        Trust = "trust",
        /// Nothing is changed.
        Plan = "plan",
    }
}

words! {
    /// How a call ended.
    CallStatus {
        /// It did what it was asked for.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// It never ran.
        Denied = "denied",
        /// It was ended at its timeout.
        Timeout = "timeout",
        /// It was ended on the way; a part of it may have happened.
        Interrupted = "interrupted",
    }
}

words! {
    /// Why a turn ended.
    EndReason {
        /// With an answer.
        Answered = "answered",
        /// It had as many steps as it may have.
        TurnLimit = "turn_limit",
        /// It would cost more than it may.
        CostLimit = "cost_limit",
        /// A failure that nothing could be done about.
        Failed = "failed",
        /// The user ended it.
        Interrupted = "interrupted",
    }
}

words! {
    /// What kind of failure of a provider it is: one for each thing that is done about it.
    FailureClass {
        /// The key is missing or refused.
        Auth = "auth",
        /// The account has nothing left.
        Quota = "quota",
        /// Too many requests.
        RateLimited = "rate_limited",
        /// The provider has too much to do.
        Overloaded = "overloaded",
        /// The conversation is longer than the model's window.
        ContextLength = "context_length",
        /// The provider has no such model.
        ModelUnknown = "model_unknown",
        /// The provider does not understand the request.
        BadRequest = "bad_request",
        /// The provider does not want to answer.
        Refused = "refused",
        /// There is no way to the provider.
        Network = "network",
        /// The answer has no end.
        Cut = "cut",
        /// Nothing came for too long.
        Timeout = "timeout",
        /// The provider failed.
        Server = "server",
        /// The answer cannot be read.
        Unreadable = "unreadable",
    }
}

/// Tokens of one model call, or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Sent, cached ones included.
    pub input: u64,
    /// Of these, what the provider had in its cache.
    pub cached: u64,
    /// Came back, reasoning included.
    pub output: u64,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    /// The command, masked.
    pub command: String,
    /// Its exit code; none where a signal or its timeout ended it.
    pub exit: Option<i32>,
}

/// A call that was not allowed to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedCall {
    /// The call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// How dangerous it is.
    pub level: CallLevel,
    /// The rule that decided, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}
