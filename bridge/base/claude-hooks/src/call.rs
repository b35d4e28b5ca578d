//! One call of a hook: who calls, from where, and why. Reading never panics and is bounded.

use std::io::{self, Read};
use std::path::PathBuf;

use crate::event::Event;
use crate::json;
use crate::wire::Wire;

/// The most that is read of a call, in bytes. The client cuts a shell's output at 30,000
/// characters, but passes files that are written or read whole.
pub const CALL_MAX: u64 = 32 * 1024 * 1024;

/// A call of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The session; the same for its sub-agents.
    pub session_id: String,
    /// The session's record. Absent on disk when the session begins, and always a little behind.
    pub transcript_path: PathBuf,
    /// The folder where the session's shell is now, which may lie below the project's.
    pub cwd: PathBuf,
    /// The prompt that is being worked on; `None` before the first.
    pub prompt_id: Option<String>,
    /// The permission mode, where the event has one.
    pub permission_mode: Option<String>,
    /// The sub-agent that calls; `None` for the main agent.
    pub agent: Option<Agent>,
    /// What happens.
    pub event: Event,
    /// What is not as the client writes it. The rest was read past it, so that what is about to run can
    /// be judged; it cannot be judged to be harmless.
    pub doubts: Vec<String>,
}

/// A sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its id, as in the name of its transcript.
    pub id: String,
    /// Its type, such as `general-purpose`; empty for the client's own fork at a compaction.
    pub kind: String,
}

/// Why a call cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// Standard input broke.
    #[error("standard input cannot be read")]
    Input(#[source] io::Error),
    /// It is longer than [`CALL_MAX`].
    #[error("the hook's input is longer than {CALL_MAX} bytes")]
    TooLong,
    /// It is no JSON object of the known shape.
    #[error("the hook's input is not what Claude Code sends: {0}")]
    Shape(#[source] serde_json::Error),
    /// A key that every call of this event has is absent.
    #[error("the hook's input has no `{key}`")]
    Missing {
        /// The field of the call that is not there.
        key: &'static str,
    },
}

impl Call {
    /// Reads a call to the end of the input.
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

    /// Reads a call from JSON. One that is about to run a tool is read as far as it can be.
    ///
    /// # Errors
    /// [`Unreadable::Shape`] when it is no object, [`Unreadable::Missing`] when a key is absent that
    /// every call of another event has.
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
