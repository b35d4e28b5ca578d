//! Which rooms of the court hear which event, in order.

use std::time::Duration;

use claude_hooks::{Call, Event};

use crate::config::{Config, Fail};
use crate::event::{Decision, Hearing, Reply};
use crate::node::{self, Interrupted};
use crate::records::Capability;
use crate::{guard, historian, ledger, manifest, observe, packet, session};

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

/// A call that is not as the client writes it was judged by what could be read of it. That may be
/// enough to refuse it, and is never enough to let it through.
fn doubted(hearing: &Hearing<'_>, reply: &mut Reply) {
    if hearing.call.doubts.is_empty() {
        return;
    }
    let doubts = hearing.call.doubts.join("; ");
    let reason = format!("The court could not read all of this call: {doubts}.");
    reply.message(format!("could not judge: {doubts}"));
    hearing.degraded(Capability::Judging, &doubts);
    reply.decide(match hearing.config.fail {
        Fail::Open => Decision::Ask(reason),
        Fail::Closed => Decision::Deny(reason),
    });
}

/// Has every room hear the call.
pub(super) fn dispatch(hearing: &Hearing<'_>, reply: &mut Reply) {
    match &hearing.call.event {
        Event::SessionStart(start) => {
            session::start(hearing, *start, reply);
            ledger::session_start(hearing, reply);
            manifest::session_start(hearing, reply);
            packet::session_start(hearing, *start, reply);
        }
        Event::PreToolUse(tool) => {
            guard::pre_tool_use(hearing, tool, reply);
            doubted(hearing, reply);
            // What does not run opens no task and gets no prompt.
            if delegates(&tool.name) && reply.decision().is_none() {
                ledger::agent_called(hearing, tool, reply);
                historian::called(hearing, tool, reply);
            }
        }
        Event::PostToolUse { tool, response, .. } => {
            observe::tool_ran(hearing, tool, reply);
            if delegates(&tool.name) {
                ledger::agent_returned(hearing, tool, response, reply);
                node::returned(hearing, tool, response, reply);
                historian::returned(hearing, tool, response, reply);
            }
            historian::advise(hearing, reply);
        }
        Event::PostToolUseFailure { tool, error, is_interrupt } => {
            observe::tool_ran(hearing, tool, reply);
            if delegates(&tool.name) {
                let interrupted = if *is_interrupt { Interrupted::Yes } else { Interrupted::No };
                ledger::agent_failed(hearing, tool, reply);
                node::failed(hearing, tool, error, interrupted, reply);
            }
            historian::advise(hearing, reply);
        }
        Event::SubagentStop { stop, .. } => {
            node::ended(hearing, stop, reply);
            historian::stops(hearing, stop, reply);
            // A historian that goes on has not ended its task.
            if !reply.keeps_going() {
                ledger::agent_stopped(hearing, stop, reply);
            }
        }
        Event::StopFailure { error, last_assistant_message } => {
            ledger::agent_broke(hearing, reply);
            node::api_failed(hearing, error, last_assistant_message.as_deref(), reply);
            historian::broke(hearing, reply);
        }
        Event::Stop(stop) => {
            ledger::stop(hearing, stop, reply);
            packet::stop(hearing, stop, reply);
        }
        Event::SessionEnd { .. } => node::session_ends(hearing, reply),
        Event::SubagentStart
        | Event::UserPromptSubmit { .. }
        | Event::PreCompact { .. }
        | Event::Other(_) => {}
    }
}
