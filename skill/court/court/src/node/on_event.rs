//! The nodes' events: created when a sub-agent's call returns, or, in the background, when it ends.

use std::path::Path;
use std::time::{Duration, Instant};

use claude_hooks::event::{Stop, ToolUse};
use serde_json::Value;

use super::measure::{Seen, measure, writes};
use super::returned::Returned;
use crate::event::{HookContext, ResponseBuilder};
use crate::fence;
use crate::records::{Capability, ObjectiveNode, SessionState, Standing};
use crate::records::{Ended, Launch};
use crate::store::Change;
use crate::transcript::{record, record_path, settled};

/// Maximum stored length of the last message of an end that waits for its call, in characters.
const WORDS_MAX: usize = 2_000;
/// Share of the remaining time for reading the transcript: one in so many.
const SHARE: u32 = 4;

/// A sub-agent's call has returned.
pub fn returned(
    context: &HookContext<'_>,
    tool: &ToolUse,
    response: &Value,
    reply: &mut ResponseBuilder,
) {
    let returned = Returned::read(response);
    let launch = launch(context, tool)
        .with_agent(returned.agent_id.as_deref(), returned.agent_type.as_deref());
    let Some(agent_id) = returned.agent_id.clone() else {
        return note(context, measure(&launch, seen(&returned), context.now_ms), reply);
    };
    let is_launch = returned.is_launch;
    let waiting = launch.clone();
    let ended = context.store.update(|state: &mut SessionState| match is_launch {
        true => state.launches.launched(&agent_id, waiting),
        false => state.launches.returned(&agent_id),
    });
    // If the state cannot be written, the call's result is still enough for a node.
    let ended = ended.ok().flatten();
    if is_launch && ended.is_none() {
        return;
    }
    let ended = ended.unwrap_or_default();
    finish(context, &launch, &ended, (!is_launch).then_some(&returned), reply);
}

/// A sub-agent's call itself has failed.
pub fn failed(
    context: &HookContext<'_>,
    tool: &ToolUse,
    error: &str,
    interrupted: Interrupted,
    reply: &mut ResponseBuilder,
) {
    let seen = Seen {
        words: Some(error),
        is_error: true,
        is_interrupted: interrupted == Interrupted::Yes,
        ..Seen::default()
    };
    note(context, measure(&launch(context, tool), seen, context.now_ms), reply);
}

/// Whether the user interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// Yes.
    Yes,
    /// No, it failed by itself.
    No,
}

/// A sub-agent ends by itself.
pub fn ended(context: &HookContext<'_>, stop: &Stop, reply: &mut ResponseBuilder) {
    let words = stop.last_assistant_message.as_deref().unwrap_or_default();
    end(context, words, None, reply);
}

/// A model request of a sub-agent has failed: only this event reports it.
pub fn api_failed(
    context: &HookContext<'_>,
    error: &str,
    words: Option<&str>,
    reply: &mut ResponseBuilder,
) {
    end(context, words.unwrap_or_default(), Some(error), reply);
}

/// The session ends, and with it its background sub-agents.
pub fn session_ends(context: &HookContext<'_>, reply: &mut ResponseBuilder) {
    let session = &context.call.session_id;
    let waits = context.store.read::<SessionState>().is_ok_and(|state| state.launches.has(session));
    if !waits {
        return;
    }
    let gone = context
        .store
        .update(|state: &mut SessionState| state.launches.abandoned(session))
        .unwrap_or_default();
    for launch in gone {
        let ended = Ended { is_interrupted: true, ..Ended::default() };
        finish(context, &launch, &ended, None, reply);
    }
}

fn end(context: &HookContext<'_>, words: &str, failure: Option<&str>, reply: &mut ResponseBuilder) {
    let Some(agent) = &context.call.agent else { return };
    // The client's own fork at a compaction has no type and no caller.
    if agent.kind.is_empty() {
        return;
    }
    let ended = Ended {
        words: fence::sanitize(words, WORDS_MAX),
        failure: failure.map(|failure| fence::sanitize_line(failure, 200)),
        is_interrupted: false,
        at_ms: context.now_ms,
    };
    let tree = context.store.nodes().unwrap_or_default();
    let old = tree.iter().find(|node| node.agent_id.as_deref() == Some(&agent.id));
    let launch = match old {
        // It continued after a message: it is measured again.
        Some(node) => Some(again(node)),
        None => {
            let waiting = ended.clone();
            let known = context
                .store
                .update(|state: &mut SessionState| state.launches.ended(&agent.id, waiting));
            known.unwrap_or_else(|error| {
                context.unrecorded(&error, reply);
                None
            })
        }
    };
    if let Some(launch) = launch {
        let launch = launch.with_agent(Some(&agent.id), Some(&agent.kind));
        finish(context, &launch, &ended, None, reply);
    }
}

fn finish(
    context: &HookContext<'_>,
    launch: &Launch,
    ended: &Ended,
    returned: Option<&Returned>,
    reply: &mut ResponseBuilder,
) {
    let path =
        launch.agent_id.as_deref().and_then(|id| record_path(&context.call.transcript_path, id));
    let left: Duration = context.deadline.saturating_duration_since(Instant::now());
    let until = Instant::now() + left / SHARE;
    let calls = returned.and_then(|returned| returned.tool_calls).unwrap_or_default();
    let read = |path: &Path| {
        let look = || record(path, until, writes).ok();
        settled(until, look, |found| found.as_ref().is_none_or(|found| found.is_settled(calls)))
    };
    let record = path.as_deref().and_then(read);
    let seen = Seen {
        returned,
        record_path: path.as_deref().filter(|_| record.is_some()),
        record: record.as_ref(),
        words: Some(ended.words.as_str()).filter(|words| !words.is_empty()),
        failure: ended.failure.as_deref(),
        is_error: false,
        is_interrupted: ended.is_interrupted,
    };
    note(context, measure(launch, seen, context.now_ms), reply);
}

fn note(context: &HookContext<'_>, node: ObjectiveNode, reply: &mut ResponseBuilder) {
    let (standing, why) = match node.metrics.measured {
        true => (Standing::Works, "a sub-agent was measured"),
        false => (Standing::Degraded, "neither metrics nor a transcript of a sub-agent"),
    };
    let ledger = context.ledger(reply);
    let mut changes: Vec<Change> =
        context.seen(&ledger, Capability::ObjectiveNode, standing, why).into_iter().collect();
    if standing == Standing::Degraded {
        reply.message(format!("degraded (V12): {why}; {}", Capability::ObjectiveNode.form()));
    }
    changes.push(Change::NodeMeasured { node: Box::new(node) });
    context.record(&changes, reply);
}

fn launch(context: &HookContext<'_>, tool: &ToolUse) -> Launch {
    let parent = context.call.agent.as_ref().map(|agent| agent.id.as_str());
    Launch::of(&tool.input, parent, &context.call.session_id, context.now_ms)
}

fn again(node: &ObjectiveNode) -> Launch {
    Launch {
        task_id: node.task_id.clone(),
        parent_id: node.parent_id.clone(),
        agent_id: node.agent_id.clone(),
        agent_type: node.agent_type.clone(),
        session_id: String::new(),
        at_ms: 0,
    }
}

fn seen(returned: &Returned) -> Seen<'_> {
    Seen { returned: Some(returned), ..Seen::default() }
}
