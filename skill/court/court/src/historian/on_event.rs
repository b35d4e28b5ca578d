//! The historian's events: its prompt is built when it is called, it is continued when it stops, and
//! its answer is used once; its advice is shown to the main agent at its next tool call.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use claude_hooks::event::{Stop, ToolUse};
use serde_json::Value;

use super::deep::deep;
use super::prompt::{Material, facts, prompt};
use super::round::{Left, next};
use super::scan::{Abnormal, scan};
use super::stand_in::is_call;
use super::verdict::{Verdict, read};
use super::{advice, memory};
use crate::event::{HookContext, ResponseBuilder};
use crate::ledger::mode;
use crate::node::Returned;
use crate::records::{Capability, HistorianFacts, Mode, ObjectiveNode, SessionState, Standing};
use crate::store::{Change, Origin};
use crate::{clock, packet, review};

/// Number of closer looks in the first prompt; the rest follow in later rounds.
const LOOKS: usize = 2;
/// Number of recent nodes that are scanned for abnormal ones.
const BACK: usize = 20;

/// A sub-agent is about to be called: for the historian, its prompt is replaced.
pub fn called(context: &HookContext<'_>, tool: &ToolUse, reply: &mut ResponseBuilder) {
    // Denied calls are ignored.
    if !calls_historian(context, &tool.input) || reply.decision().is_some() {
        return;
    }
    let Value::Object(input) = &tool.input else { return };
    let state = context.store.read::<SessionState>().unwrap_or_default();
    let tree = context.store.nodes().unwrap_or_default();
    let ledger = context.ledger(reply);
    let newest = packet::newest(context.store);
    let offset = state.git_log_offset.as_deref();
    let log = packet::log(&context.call.cwd, &search_path(context), offset, share(context));
    let nodes = watched(context, &tree);
    let abnormal = abnormal(&nodes, &state.historian);
    let deep = looks(context, &abnormal[..abnormal.len().min(LOOKS)]);
    let memory = memory::recalled(context.store);
    let asked = input.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let degraded = match ledger.metadata.mode {
        Mode::Full => String::new(),
        Mode::Degraded => mode(&ledger),
    };
    let text = prompt(&Material {
        ledger: &ledger,
        log: &log.text,
        offset,
        packet: newest.as_ref(),
        nodes: &nodes,
        deep: &deep.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>(),
        left: abnormal.len() - deep.len(),
        asked,
        memory: &memory,
        reviews: &review::waiting(context.store),
        degraded: &degraded,
    });
    let mut replaced = input.clone();
    replaced.insert("prompt".to_owned(), Value::String(text));
    let noted = context.store.update(|state: &mut SessionState| {
        state.last_historian_at = Some(clock::text(context.now_ms));
        state.historian_cycle_count = 0;
        if log.head.is_some() {
            state.git_log_offset = log.head.clone();
        }
        let seen = &mut state.historian;
        seen.agent_id = None;
        seen.looked.extend(deep.iter().map(|(id, _)| id.clone()));
        seen.packet_seq = newest.as_ref().map_or(seen.packet_seq, |packet| packet.seq);
    });
    if let Err(error) = noted {
        context.unrecorded(&error, reply);
    }
    reply.replace_input(replaced);
}

/// The historian is about to stop: it is continued if something is left, else its answer is used.
pub fn stops(context: &HookContext<'_>, stop: &Stop, reply: &mut ResponseBuilder) {
    let Some(agent) = &context.call.agent else { return };
    if !context.is_historian() {
        return;
    }
    let answer = stop.last_assistant_message.as_deref().unwrap_or_default();
    let verdict = read(answer);
    let state = context.store.read::<SessionState>().unwrap_or_default();
    let is_going = state.historian.agent_id.as_deref() == Some(&agent.id);
    let rounds = if is_going { state.historian_cycle_count } else { 0 };
    observe(context, is_going, stop, reply);
    let tree = context.store.nodes().unwrap_or_default();
    let nodes = watched(context, &tree);
    let abnormal = abnormal(&nodes, &state.historian);
    let deep = looks(context, &abnormal[..abnormal.len().min(LOOKS)]);
    let newest =
        packet::newest(context.store).filter(|packet| packet.seq > state.historian.packet_seq);
    let text = newest.as_ref().map(facts);
    let is_reminded = is_going && state.historian.is_reminded;
    let left = Left {
        deep: &deep,
        packet: newest.as_ref().zip(text.as_deref()).map(|(packet, text)| (packet.seq, text)),
        is_unread: !verdict.is_readable && !is_reminded,
    };
    let Some(next) = next(rounds, context.config.historian_loops, &left) else {
        return take(context, &agent.id, &verdict, reply);
    };
    keep(context, &agent.id, &verdict, reply);
    let noted = context.store.update(|state: &mut SessionState| {
        state.historian_cycle_count = rounds + 1;
        let seen = &mut state.historian;
        seen.agent_id = Some(agent.id.clone());
        seen.is_reminded = !verdict.is_readable;
        seen.looked.extend(next.looked.iter().cloned());
        seen.packet_seq = next.packet_seq.unwrap_or(seen.packet_seq);
    });
    match noted {
        Ok(()) => reply.keep_going(next.text),
        // Rounds that cannot be counted could go on for ever.
        Err(error) => {
            context.unrecorded(&error, reply);
            take(context, &agent.id, &verdict, reply);
        }
    }
}

/// A sub-agent's call has returned: if it was the historian and its end was not observed, its answer
/// is used here, after one round.
pub fn returned(
    context: &HookContext<'_>,
    tool: &ToolUse,
    response: &Value,
    reply: &mut ResponseBuilder,
) {
    if !calls_historian(context, &tool.input) {
        return;
    }
    let returned = Returned::read(response);
    let Some(agent_id) = returned.agent_id.filter(|_| !returned.is_launch) else { return };
    let state = context.store.read::<SessionState>().unwrap_or_default();
    if state.historian.heard.contains(&agent_id) || returned.is_unanswered {
        return;
    }
    let kind = returned.agent_type.unwrap_or_default();
    if context.is_historians(&kind) {
        let (capability, why) = match state.historian.agent_id.as_deref() == Some(&agent_id) {
            true => (Capability::SubagentFeedback, "the historian was to go on and did not"),
            false => (Capability::SubagentStop, "the historian's end was not seen"),
        };
        degraded(context, capability, why, reply);
    }
    take(context, &agent_id, &read(&returned.text), reply);
}

/// A model request of the historian failed: there is no review.
pub fn broke(context: &HookContext<'_>, reply: &mut ResponseBuilder) {
    let Some(agent) = context.call.agent.as_ref().filter(|_| context.is_historian()) else {
        return;
    };
    let noted = context.store.update(|state: &mut SessionState| {
        state.historian.agent_id = None;
        state.historian.heard.push(agent.id.clone());
    });
    if let Err(error) = noted {
        context.unrecorded(&error, reply);
    }
    reply.message("the historian's request to the model failed: there is no review".to_owned());
}

/// A tool call of the main agent has ended: pending advice is shown, once.
pub fn advise(context: &HookContext<'_>, reply: &mut ResponseBuilder) {
    if context.call.agent.is_some() {
        return;
    }
    if !advice::waits(context.store) {
        return;
    }
    // Under the lock, so that concurrently added advice is neither lost nor shown twice.
    let taken = context.store.update(|_: &mut SessionState| advice::take(context.store));
    match taken {
        Ok(Ok(None)) => {}
        Ok(Ok(Some(taken))) => reply.context(advice::shown(&taken)),
        Ok(Err(error)) => untaken(&error, reply),
        Err(error) => untaken(&error, reply),
    }
}

fn untaken(error: &dyn std::error::Error, reply: &mut ResponseBuilder) {
    reply.message(format!(
        "degraded (STORE): advice waits in .claude/historian/pending-advice.md and cannot be taken: \
         {error}"
    ));
}

/// Stores the entries of an answer for the ledger and the memory; repeated ones are stored once.
fn keep(context: &HookContext<'_>, agent_id: &str, verdict: &Verdict, reply: &mut ResponseBuilder) {
    let origin = Some(Origin::agent(&context.call.session_id, agent_id));
    let raised = verdict.risks.iter().map(|risk| Change::RiskRaised {
        task_id: None,
        content: risk.clone(),
        origin: origin.clone(),
    });
    // Only risks: decisions cannot be resolved.
    let risks = verdict.resolved.iter().filter(|id| id.starts_with("risk_"));
    let resolved = risks.map(|id| Change::Resolved { id: id.clone() });
    let changes: Vec<Change> = raised.chain(resolved).collect();
    context.record(&changes, reply);
    if verdict.remember.is_empty() {
        return;
    }
    let kept = context
        .store
        .update(|_: &mut SessionState| memory::remember(context.store, &verdict.remember));
    match kept {
        Ok(Ok(())) => {}
        Ok(Err(error)) => unkept(&error, reply),
        Err(error) => unkept(&error, reply),
    }
}

/// Uses the historian's last answer: its advice, a line in the chronicle, and what [`keep`] stores.
fn take(context: &HookContext<'_>, agent_id: &str, verdict: &Verdict, reply: &mut ResponseBuilder) {
    keep(context, agent_id, verdict, reply);
    let session: String = context.call.session_id.chars().take(8).collect();
    let word = match (verdict.is_readable, verdict.is_concern) {
        (false, _) => "no verdict",
        (true, true) => "concern",
        (true, false) => "pass",
    };
    let kept = context.store.update(|state: &mut SessionState| {
        state.historian.agent_id = None;
        state.historian.heard.push(agent_id.to_owned());
        let line = format!(
            "{} session {session} packet {}: {word}; {} risks raised, {} resolved; {}",
            clock::text(context.now_ms),
            state.historian.packet_seq,
            verdict.risks.len(),
            verdict.resolved.len(),
            if verdict.advice.is_empty() { "no advice" } else { verdict.advice.as_str() },
        );
        advice::leave(context.store, &verdict.advice)
            .and_then(|()| memory::chronicle(context.store, &line))
    });
    match kept {
        Ok(Ok(())) => {}
        Ok(Err(error)) => unkept(&error, reply),
        Err(error) => unkept(&error, reply),
    }
}

fn unkept(error: &dyn std::error::Error, reply: &mut ResponseBuilder) {
    reply.message(format!("degraded (STORE): the historian's answer could not be kept: {error}"));
}

fn calls_historian(context: &HookContext<'_>, input: &Value) -> bool {
    let kind = input.get("subagent_type").and_then(Value::as_str).unwrap_or_default();
    context.is_historians(kind) || (is_call(input) && context.impostor().is_none())
}

/// The nodes that the historian supervises: all but its own.
fn watched(context: &HookContext<'_>, nodes: &[ObjectiveNode]) -> Vec<ObjectiveNode> {
    let is_own = |node: &&ObjectiveNode| {
        node.agent_type.as_deref().is_some_and(|kind| context.is_historians(kind))
    };
    nodes.iter().filter(|node| !is_own(node)).cloned().collect()
}

/// The abnormal nodes that were not inspected, newest first, with their ids.
fn abnormal(
    nodes: &[ObjectiveNode],
    seen: &HistorianFacts,
) -> Vec<(String, ObjectiveNode, Vec<Abnormal>)> {
    let newest = nodes.iter().rev().take(BACK);
    let with_id = newest.map(|node| (id(node), node.clone(), scan(node)));
    with_id.filter(|(id, _, found)| !found.is_empty() && !seen.looked.contains(id)).collect()
}

/// Identifies a node; a continued one counts as another.
fn id(node: &ObjectiveNode) -> String {
    let name = node.agent_id.as_deref().unwrap_or(&node.task_id);
    format!("{name}@{}", node.created_at)
}

fn looks(
    context: &HookContext<'_>,
    abnormal: &[(String, ObjectiveNode, Vec<Abnormal>)],
) -> Vec<(String, String)> {
    let look = |(id, node, found): &(String, ObjectiveNode, Vec<Abnormal>)| {
        (id.clone(), deep(node, found, share(context)))
    };
    abnormal.iter().map(look).collect()
}

/// Records whether continuing the historian works.
fn observe(context: &HookContext<'_>, is_going: bool, stop: &Stop, reply: &mut ResponseBuilder) {
    let ledger = context.ledger(reply);
    let mut seen = |capability, why: &str| {
        let change = context.seen(&ledger, capability, Standing::Works, why);
        context.record(change.as_slice(), reply);
    };
    seen(Capability::SubagentStop, "the historian's end was seen");
    if is_going && stop.stop_hook_active {
        seen(Capability::SubagentFeedback, "the historian went on");
        seen(Capability::SubagentLoop, "the historian went on and stopped again");
    }
}

fn degraded(
    context: &HookContext<'_>,
    capability: Capability,
    why: &str,
    reply: &mut ResponseBuilder,
) {
    let ledger = context.ledger(reply);
    let change = context.seen(&ledger, capability, Standing::Degraded, why);
    context.record(change.as_slice(), reply);
    reply.message(format!("degraded ({}): {why}; {}", capability.number(), capability.form()));
}

/// The next share of the remaining time.
fn share(context: &HookContext<'_>) -> Instant {
    let left: Duration = context.deadline.saturating_duration_since(Instant::now());
    Instant::now() + left / 4
}

fn search_path(context: &HookContext<'_>) -> OsString {
    context.environment.text("PATH").unwrap_or_default().into()
}
