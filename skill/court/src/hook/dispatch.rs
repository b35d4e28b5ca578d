//! Which rooms of the court hear which event, in order.

use std::time::Duration;

use claude_hooks::{Call, Event};

use super::{Hearing, Reply};
use crate::config::Config;
use crate::ledger;

/// How long the answer to a call may take. Events that read transcripts or git have more time.
pub(super) fn allowance(call: &Call, config: &Config) -> Duration {
    match &call.event {
        Event::SessionStart(_)
        | Event::Stop(_)
        | Event::SubagentStop { .. }
        | Event::StopFailure { .. } => config.packet_deadline,
        Event::PreToolUse(tool) | Event::PostToolUse { tool, .. } if delegates(&tool.name) => {
            config.packet_deadline
        }
        _ => config.deadline,
    }
}

/// Whether a tool hands work to a sub-agent.
pub(super) fn delegates(tool: &str) -> bool {
    // The client 2.1.197 says `Agent`; `Task` is its older name.
    matches!(tool, "Agent" | "Task")
}

/// Has every room hear the call.
pub(super) fn dispatch(hearing: &Hearing<'_>, reply: &mut Reply) {
    match &hearing.call.event {
        Event::SessionStart(start) => ledger::session_start(hearing, *start, reply),
        Event::PreToolUse(_tool) => {}
        Event::PostToolUse { .. } => {}
        Event::PostToolUseFailure { .. } => {}
        Event::SubagentStart => {}
        Event::SubagentStop { .. } => {}
        Event::StopFailure { .. } => {}
        Event::Stop(_stop) => {}
        Event::UserPromptSubmit { .. }
        | Event::SessionEnd { .. }
        | Event::PreCompact { .. }
        | Event::Other(_) => {}
    }
}
