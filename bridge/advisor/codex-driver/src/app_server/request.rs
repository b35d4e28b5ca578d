//! Builds the messages to the server. Caller text is never used as a name, and `config` of a thread
//! is never sent: it would override both the home's settings and `-c` (codex 0.169).

use std::path::Path;

use contract::id::{ThreadId, TurnId};
use contract::input::ReasoningEffort;
use serde_json::{Value, json};

use crate::invocation::Conversation;

/// Notifications that are not needed.
const UNWANTED: [&str; 2] = ["thread/status/changed", "remoteControl/status/changed"];

/// The JSON-RPC error code for an unknown method.
const NO_SUCH_METHOD: i64 = -32601;

/// Parameters of opening a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub conversation: Conversation,
    /// The model, if one was chosen.
    pub model: Option<&'a str>,
    /// Codex's working folder.
    pub workdir: &'a Path,
    /// Whether the thread must not be saved.
    pub is_ephemeral: bool,
}

/// Parameters of a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    pub prompt: &'a str,
    /// The JSON Schema of the answer, if it has one.
    pub output_schema: Option<&'a Value>,
    pub model: Option<&'a str>,
    pub reasoning_effort: Option<ReasoningEffort>,
}

/// The first request. Does not enable experimental methods.
pub(crate) fn initialize(id: u64) -> Value {
    json!({ "id": id, "method": "initialize", "params": {
        "clientInfo": { "name": "codex_bridge", "title": "codex-bridge", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": { "optOutNotificationMethods": UNWANTED },
    } })
}

pub(crate) fn initialized() -> Value {
    json!({ "method": "initialized" })
}

/// Opens the turn's thread, read-only and without approvals.
pub(crate) fn thread(id: u64, opening: Opening<'_>) -> Value {
    let mut params = json!({
        "cwd": opening.workdir.to_string_lossy(),
        "sandbox": "read-only",
        "approvalPolicy": "never",
    });
    if let Some(model) = opening.model {
        params["model"] = model.into();
    }
    if opening.is_ephemeral {
        params["ephemeral"] = true.into();
    }
    let mut of = |thread: ThreadId| {
        params["threadId"] = thread.to_string().into();
        params["excludeTurns"] = true.into();
    };
    let method = match opening.conversation {
        Conversation::Fresh => "thread/start",
        Conversation::Resume(thread) => {
            of(thread);
            "thread/resume"
        }
        Conversation::Fork { thread, last_turn } => {
            of(thread);
            if let Some(turn) = last_turn {
                params["lastTurnId"] = turn.to_string().into();
            }
            "thread/fork"
        }
    };
    json!({ "id": id, "method": method, "params": params })
}

/// Starts the turn.
pub(crate) fn turn(id: u64, thread: ThreadId, question: Question<'_>) -> Value {
    let mut params = json!({
        "threadId": thread.to_string(),
        "input": [{ "type": "text", "text": question.prompt }],
    });
    let effort = question.reasoning_effort.map(|effort| effort.as_str().into());
    let options = [
        ("outputSchema", question.output_schema.cloned()),
        ("model", question.model.map(Into::into)),
        ("effort", effort),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            params[name] = value;
        }
    }
    json!({ "id": id, "method": "turn/start", "params": params })
}

/// Interrupts the turn.
pub(crate) fn interrupt(id: u64, thread: ThreadId, turn: TurnId) -> Value {
    let params = json!({ "threadId": thread.to_string(), "turnId": turn.to_string() });
    json!({ "id": id, "method": "turn/interrupt", "params": params })
}

/// Refuses a request of the server.
pub(crate) fn refusal(id: &Value) -> Value {
    let error =
        json!({ "code": NO_SUCH_METHOD, "message": "nothing is approved or answered here" });
    json!({ "id": id, "error": error })
}
