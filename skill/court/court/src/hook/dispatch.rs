//! Which modules of the court handle which event, in order.

use std::time::Duration;

use claude_hooks::{Call, Event};

use crate::config::{Config, Fail};
use crate::event::{Decision, HookContext, ResponseBuilder};
use crate::node::{self, Interrupted};
use crate::records::Capability;
use crate::{guard, historian, ledger, manifest, observe, packet, session};

/// Deadline of the response to a call. Events that read transcripts or git have more time.
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

/// Whether a tool starts a sub-agent.
pub(super) fn delegates(tool: &str) -> bool {
    // The client 2.1.197 uses `Agent`; `Task` is the older name.
    matches!(tool, "Agent" | "Task")
}

/// A call that does not have the client's format was judged by its readable part. That may be
/// enough to deny it, but never enough to allow it.
fn doubted(context: &HookContext<'_>, reply: &mut ResponseBuilder) {
    if context.call.doubts.is_empty() {
        return;
    }
    let doubts = context.call.doubts.join("; ");
    let reason = format!("The court could not read all of this call: {doubts}.");
    reply.message(format!("could not judge: {doubts}"));
    context.degraded(Capability::Judging, &doubts);
    reply.decide(match context.config.fail {
        Fail::Open => Decision::Ask(reason),
        Fail::Closed => Decision::Deny(reason),
    });
}

/// Passes the call to every module that handles it.
pub(super) fn dispatch(context: &HookContext<'_>, reply: &mut ResponseBuilder) {
    match &context.call.event {
        Event::SessionStart(start) => {
            session::start(context, *start, reply);
            ledger::session_start(context, reply);
            manifest::session_start(context, reply);
            packet::session_start(context, *start, reply);
        }
        Event::PreToolUse(tool) => {
            guard::pre_tool_use(context, tool, reply);
            doubted(context, reply);
            // A denied call opens no task and gets no prompt.
            if delegates(&tool.name) && reply.decision().is_none() {
                ledger::agent_called(context, tool, reply);
                historian::called(context, tool, reply);
            }
        }
        Event::PostToolUse { tool, response, .. } => {
            observe::tool_ran(context, tool, reply);
            if delegates(&tool.name) {
                ledger::agent_returned(context, tool, response, reply);
                node::returned(context, tool, response, reply);
                historian::returned(context, tool, response, reply);
            }
            historian::advise(context, reply);
        }
        Event::PostToolUseFailure { tool, error, is_interrupt } => {
            observe::tool_ran(context, tool, reply);
            if delegates(&tool.name) {
                let interrupted = if *is_interrupt { Interrupted::Yes } else { Interrupted::No };
                ledger::agent_failed(context, tool, reply);
                node::failed(context, tool, error, interrupted, reply);
            }
            historian::advise(context, reply);
        }
        Event::SubagentStop { stop, .. } => {
            node::ended(context, stop, reply);
            historian::stops(context, stop, reply);
            // A historian that is continued has not ended its task.
            if !reply.keeps_going() {
                ledger::agent_stopped(context, stop, reply);
            }
        }
        Event::StopFailure { error, last_assistant_message } => {
            ledger::agent_broke(context, reply);
            node::api_failed(context, error, last_assistant_message.as_deref(), reply);
            historian::broke(context, reply);
        }
        Event::Stop(stop) => {
            ledger::stop(context, stop, reply);
            packet::stop(context, stop, reply);
        }
        Event::SessionEnd { .. } => node::session_ends(context, reply),
        Event::SubagentStart
        | Event::UserPromptSubmit { .. }
        | Event::PreCompact { .. }
        | Event::Other(_) => {}
    }
}
