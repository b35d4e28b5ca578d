//! The input of a hook: session, folder, agent and event. Parsing never panics and is limited.

use std::io::{self, Read};
use std::path::PathBuf;

use crate::event::Event;
use crate::json;
use crate::wire::Wire;

/// The longest input that is read, in bytes. The client cuts a shell's output at 30,000
/// characters, but passes whole files that are written or read.
pub const CALL_MAX: u64 = 32 * 1024 * 1024;

/// The input of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The session; the same for its sub-agents.
    pub session_id: String,
    /// The session's transcript. It does not exist when the session begins, and always lags a little behind.
    pub transcript_path: PathBuf,
    /// The current folder of the session's shell, which may be below the project's.
    pub cwd: PathBuf,
    /// The id of the current prompt; `None` before the first.
    pub prompt_id: Option<String>,
    /// The permission mode, if the event has one.
    pub permission_mode: Option<String>,
    /// The sub-agent that calls; `None` for the main agent.
    pub agent: Option<Agent>,
    /// The event.
    pub event: Event,
    /// Deviations from the client's format. The rest was parsed nevertheless, so that a tool call can
    /// be judged; it must not be judged to be harmless.
    pub doubts: Vec<String>,
}

/// A sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its id, which is part of its transcript's name.
    pub id: String,
    /// Its type, such as `general-purpose`; empty for the client's own fork at a compaction.
    pub kind: String,
}

/// Why the input cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// Standard input failed.
    #[error("standard input cannot be read")]
    Input(#[source] io::Error),
    /// It is longer than [`CALL_MAX`].
    #[error("the hook's input is longer than {CALL_MAX} bytes")]
    TooLong,
    /// It is not a JSON object of the known form.
    #[error("the hook's input is not what Claude Code sends: {0}")]
    Shape(#[source] serde_json::Error),
    /// A key that is required for this event is missing.
    #[error("the hook's input has no `{key}`")]
    Missing {
        /// The missing key.
        key: &'static str,
    },
}

impl Call {
    /// Reads and parses the whole input.
    ///
    /// # Errors
    /// [`Unreadable::Input`] and [`Unreadable::TooLong`] by the input, otherwise as [`Call::parse`].
    pub fn read(input: impl Read) -> Result<Self, Unreadable> {
        let mut bytes = Vec::new();
        input.take(CALL_MAX + 1).read_to_end(&mut bytes).map_err(Unreadable::Input)?;
        if bytes.len() as u64 > CALL_MAX {
            return Err(Unreadable::TooLong);
        }
        Self::parse(&bytes)
    }

    /// Parses JSON. The input for a tool call that is about to run is parsed as far as possible.
    ///
    /// # Errors
    /// [`Unreadable::Shape`] if it is not an object, [`Unreadable::Missing`] if a required key of
    /// another event is missing.
    pub fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        let (keys, doubts) = json::object(bytes).map_err(Unreadable::Shape)?;
        let mut wire = Wire::new(keys, doubts);
        let missing = |key| Unreadable::Missing { key };
        let name = wire.name().ok_or(missing("hook_event_name"))?;
        let event = wire.event(&name).map_err(missing)?;
        let is_before = matches!(event, Event::PreToolUse(_));
        let mut needed = |key| match wire.text(key) {
            None if is_before => Ok(wire.lacks(key)),
            text => text.ok_or(missing(key)),
        };
        let session_id = needed("session_id")?;
        let transcript_path = PathBuf::from(needed("transcript_path")?);
        let cwd = PathBuf::from(needed("cwd")?);
        let kind = wire.text("agent_type");
        // A main session started with `--agent` has a type and no id.
        let agent = wire.text("agent_id").map(|id| Agent { id, kind: kind.unwrap_or_default() });
        Ok(Self {
            session_id,
            transcript_path,
            cwd,
            prompt_id: wire.text("prompt_id"),
            permission_mode: wire.text("permission_mode"),
            agent,
            event,
            doubts: wire.doubts,
        })
    }
}
