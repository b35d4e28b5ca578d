//! Which rooms of the court hear which event, in order.

use std::time::Duration;

use claude_hooks::{Call, Event};

use super::{Hearing, Reply};
use crate::config::Config;
use crate::node::{self, Interrupted};
use crate::{historian, ledger, packet};

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
        Event::SessionStart(start) => {
            ledger::session_start(hearing, *start, reply);
            packet::session_start(hearing, *start, reply);
        }
        Event::PreToolUse(tool) => {
            if delegates(&tool.name) {
                historian::called(hearing, tool, reply);
            }
        }
        Event::PostToolUse { tool, response, .. } => {
            if delegates(&tool.name) {
                node::returned(hearing, tool, response, reply);
                historian::returned(hearing, tool, response, reply);
            }
            historian::advise(hearing, reply);
        }
        Event::PostToolUseFailure { tool, error, is_interrupt } => {
            if delegates(&tool.name) {
                let interrupted = if *is_interrupt { Interrupted::Yes } else { Interrupted::No };
                node::failed(hearing, tool, error, interrupted, reply);
            }
            historian::advise(hearing, reply);
        }
        Event::SubagentStart => {}
        Event::SubagentStop { stop, .. } => {
            node::ended(hearing, stop, reply);
            historian::stops(hearing, stop, reply);
        }
        Event::StopFailure { error, last_assistant_message } => {
            node::api_failed(hearing, error, last_assistant_message.as_deref(), reply);
        }
        Event::Stop(stop) => packet::stop(hearing, stop, reply),
        Event::SessionEnd { .. } => node::session_ends(hearing, reply),
        Event::UserPromptSubmit { .. } | Event::PreCompact { .. } | Event::Other(_) => {}
    }
}
