//! The historian in a session: its prompt is built when it is called, it is kept going when it stops, and
//! its answer is taken once; its advice reaches the main agent at its next tool.

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
use crate::event::{Hearing, Reply};
use crate::ledger::mode;
use crate::node::Returned;
use crate::records::{Capability, HistorianFacts, Mode, ObjectiveNode, SessionState, Standing};
use crate::store::{Change, Origin};
use crate::{clock, packet, review};

/// How many closer looks the first prompt has; the rest come round by round.
const LOOKS: usize = 2;
/// How far back abnormal nodes are looked for.
const BACK: usize = 20;

/// A sub-agent is about to be called: the historian gets the prompt that is built for it.
pub fn called(hearing: &Hearing<'_>, tool: &ToolUse, reply: &mut Reply) {
    // A call that does not run is none.
    if !calls_historian(hearing, &tool.input) || reply.decision().is_some() {
        return;
    }
    let Value::Object(input) = &tool.input else { return };
    let state = hearing.store.read::<SessionState>().unwrap_or_default();
    let tree = hearing.store.nodes().unwrap_or_default();
    let ledger = hearing.ledger(reply);
    let newest = packet::newest(hearing.store);
    let offset = state.git_log_offset.as_deref();
    let log = packet::log(&hearing.call.cwd, &search_path(hearing), offset, share(hearing));
    let nodes = watched(hearing, &tree);
    let abnormal = abnormal(&nodes, &state.historian);
    let deep = looks(hearing, &abnormal[..abnormal.len().min(LOOKS)]);
    let memory = memory::recalled(hearing.store);
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
        reviews: &review::waiting(hearing.store),
        degraded: &degraded,
    });
    let mut replaced = input.clone();
    replaced.insert("prompt".to_owned(), Value::String(text));
    let noted = hearing.store.update(|state: &mut SessionState| {
        state.last_historian_at = Some(clock::text(hearing.now_ms));
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
        hearing.unrecorded(&error, reply);
    }
    reply.replace_input(replaced);
}

/// The historian is about to stop: it goes on while something is left, else its answer is taken.
pub fn stops(hearing: &Hearing<'_>, stop: &Stop, reply: &mut Reply) {
    let Some(agent) = &hearing.call.agent else { return };
    if !hearing.is_historian() {
        return;
    }
    let answer = stop.last_assistant_message.as_deref().unwrap_or_default();
    let verdict = read(answer);
    let state = hearing.store.read::<SessionState>().unwrap_or_default();
    let is_going = state.historian.agent_id.as_deref() == Some(&agent.id);
    let rounds = if is_going { state.historian_cycle_count } else { 0 };
    observe(hearing, is_going, stop, reply);
    let tree = hearing.store.nodes().unwrap_or_default();
    let nodes = watched(hearing, &tree);
    let abnormal = abnormal(&nodes, &state.historian);
    let deep = looks(hearing, &abnormal[..abnormal.len().min(LOOKS)]);
    let newest =
        packet::newest(hearing.store).filter(|packet| packet.seq > state.historian.packet_seq);
    let text = newest.as_ref().map(facts);
    let is_reminded = is_going && state.historian.is_reminded;
    let left = Left {
        deep: &deep,
        packet: newest.as_ref().zip(text.as_deref()).map(|(packet, text)| (packet.seq, text)),
        is_unread: !verdict.is_readable && !is_reminded,
    };
    let Some(next) = next(rounds, hearing.config.historian_loops, &left) else {
        return take(hearing, &agent.id, &verdict, reply);
    };
    keep(hearing, &agent.id, &verdict, reply);
    let noted = hearing.store.update(|state: &mut SessionState| {
        state.historian_cycle_count = rounds + 1;
        let seen = &mut state.historian;
        seen.agent_id = Some(agent.id.clone());
        seen.is_reminded = !verdict.is_readable;
        seen.looked.extend(next.looked.iter().cloned());
        seen.packet_seq = next.packet_seq.unwrap_or(seen.packet_seq);
    });
    match noted {
        Ok(()) => reply.keep_going(next.text),
        // Rounds that are not counted would never end.
        Err(error) => {
            hearing.unrecorded(&error, reply);
            take(hearing, &agent.id, &verdict, reply);
        }
    }
}

/// A sub-agent's call has returned: where that was the historian and its end was not seen, its answer
/// is taken here, after one round.
pub fn returned(hearing: &Hearing<'_>, tool: &ToolUse, response: &Value, reply: &mut Reply) {
    if !calls_historian(hearing, &tool.input) {
        return;
    }
    let returned = Returned::read(response);
    let Some(agent_id) = returned.agent_id.filter(|_| !returned.is_launch) else { return };
    let state = hearing.store.read::<SessionState>().unwrap_or_default();
    if state.historian.heard.contains(&agent_id) || returned.is_unanswered {
        return;
    }
    let kind = returned.agent_type.unwrap_or_default();
    if hearing.is_historians(&kind) {
        let (capability, why) = match state.historian.agent_id.as_deref() == Some(&agent_id) {
            true => (Capability::SubagentFeedback, "the historian was to go on and did not"),
            false => (Capability::SubagentStop, "the historian's end was not seen"),
        };
        degraded(hearing, capability, why, reply);
    }
    take(hearing, &agent_id, &read(&returned.text), reply);
}

/// A request of the historian to the model failed: there is no review.
pub fn broke(hearing: &Hearing<'_>, reply: &mut Reply) {
    let Some(agent) = hearing.call.agent.as_ref().filter(|_| hearing.is_historian()) else {
        return;
    };
    let noted = hearing.store.update(|state: &mut SessionState| {
        state.historian.agent_id = None;
        state.historian.heard.push(agent.id.clone());
    });
    if let Err(error) = noted {
        hearing.unrecorded(&error, reply);
    }
    reply.message("the historian's request to the model failed: there is no review".to_owned());
}

/// A tool of the main agent has ended: advice that waits is put before it, once.
pub fn advise(hearing: &Hearing<'_>, reply: &mut Reply) {
    if hearing.call.agent.is_some() {
        return;
    }
    if !advice::waits(hearing.store) {
        return;
    }
    // Under the lock, so that advice which is left meanwhile is neither lost nor shown twice.
    let taken = hearing.store.update(|_: &mut SessionState| advice::take(hearing.store));
    match taken {
        Ok(Ok(None)) => {}
        Ok(Ok(Some(taken))) => reply.context(advice::shown(&taken)),
        Ok(Err(error)) => untaken(&error, reply),
        Err(error) => untaken(&error, reply),
    }
}

fn untaken(error: &dyn std::error::Error, reply: &mut Reply) {
    reply.message(format!(
        "degraded (STORE): advice waits in .claude/historian/pending-advice.md and cannot be taken: \
         {error}"
    ));
}

/// Keeps what an answer says for the ledger and for the memory; said again, it is kept once.
fn keep(hearing: &Hearing<'_>, agent_id: &str, verdict: &Verdict, reply: &mut Reply) {
    let origin = Some(Origin::agent(&hearing.call.session_id, agent_id));
    let raised = verdict.risks.iter().map(|risk| Change::RiskRaised {
        task_id: None,
        content: risk.clone(),
        origin: origin.clone(),
    });
    // Only risks: what was decided stays decided.
    let risks = verdict.resolved.iter().filter(|id| id.starts_with("risk_"));
    let resolved = risks.map(|id| Change::Resolved { id: id.clone() });
    let changes: Vec<Change> = raised.chain(resolved).collect();
    hearing.record(&changes, reply);
    if verdict.remember.is_empty() {
        return;
    }
    let kept = hearing
        .store
        .update(|_: &mut SessionState| memory::remember(hearing.store, &verdict.remember));
    match kept {
        Ok(Ok(())) => {}
        Ok(Err(error)) => unkept(&error, reply),
        Err(error) => unkept(&error, reply),
    }
}

/// Takes the historian's last answer: its advice, a line in the chronicle, and what [`keep`] keeps.
fn take(hearing: &Hearing<'_>, agent_id: &str, verdict: &Verdict, reply: &mut Reply) {
    keep(hearing, agent_id, verdict, reply);
    let session: String = hearing.call.session_id.chars().take(8).collect();
    let word = match (verdict.is_readable, verdict.is_concern) {
        (false, _) => "no verdict",
        (true, true) => "concern",
        (true, false) => "pass",
    };
    let kept = hearing.store.update(|state: &mut SessionState| {
        state.historian.agent_id = None;
        state.historian.heard.push(agent_id.to_owned());
        let line = format!(
            "{} session {session} packet {}: {word}; {} risks raised, {} resolved; {}",
            clock::text(hearing.now_ms),
            state.historian.packet_seq,
            verdict.risks.len(),
            verdict.resolved.len(),
            if verdict.advice.is_empty() { "no advice" } else { verdict.advice.as_str() },
        );
        advice::leave(hearing.store, &verdict.advice)
            .and_then(|()| memory::chronicle(hearing.store, &line))
    });
    match kept {
        Ok(Ok(())) => {}
        Ok(Err(error)) => unkept(&error, reply),
        Err(error) => unkept(&error, reply),
    }
}

fn unkept(error: &dyn std::error::Error, reply: &mut Reply) {
    reply.message(format!("degraded (STORE): the historian's answer could not be kept: {error}"));
}

fn calls_historian(hearing: &Hearing<'_>, input: &Value) -> bool {
    let kind = input.get("subagent_type").and_then(Value::as_str).unwrap_or_default();
    hearing.is_historians(kind) || (is_call(input) && hearing.impostor().is_none())
}

/// Nodes that the historian watches: all but its own.
fn watched(hearing: &Hearing<'_>, nodes: &[ObjectiveNode]) -> Vec<ObjectiveNode> {
    let is_own = |node: &&ObjectiveNode| {
        node.agent_type.as_deref().is_some_and(|kind| hearing.is_historians(kind))
    };
    nodes.iter().filter(|node| !is_own(node)).cloned().collect()
}

/// The abnormal nodes that were not looked into, the newest first, with their ids.
fn abnormal(
    nodes: &[ObjectiveNode],
    seen: &HistorianFacts,
) -> Vec<(String, ObjectiveNode, Vec<Abnormal>)> {
    let newest = nodes.iter().rev().take(BACK);
    let with_id = newest.map(|node| (id(node), node.clone(), scan(node)));
    with_id.filter(|(id, _, found)| !found.is_empty() && !seen.looked.contains(id)).collect()
}

/// What tells a node from the others; one that went on is another.
fn id(node: &ObjectiveNode) -> String {
    let name = node.agent_id.as_deref().unwrap_or(&node.task_id);
    format!("{name}@{}", node.created_at)
}

fn looks(
    hearing: &Hearing<'_>,
    abnormal: &[(String, ObjectiveNode, Vec<Abnormal>)],
) -> Vec<(String, String)> {
    let look = |(id, node, found): &(String, ObjectiveNode, Vec<Abnormal>)| {
        (id.clone(), deep(node, found, share(hearing)))
    };
    abnormal.iter().map(look).collect()
}

/// Notes whether keeping the historian going has worked.
fn observe(hearing: &Hearing<'_>, is_going: bool, stop: &Stop, reply: &mut Reply) {
    let ledger = hearing.ledger(reply);
    let mut seen = |capability, why: &str| {
        let change = hearing.seen(&ledger, capability, Standing::Works, why);
        hearing.record(change.as_slice(), reply);
    };
    seen(Capability::SubagentStop, "the historian's end was seen");
    if is_going && stop.stop_hook_active {
        seen(Capability::SubagentFeedback, "the historian went on");
        seen(Capability::SubagentLoop, "the historian went on and stopped again");
    }
}

fn degraded(hearing: &Hearing<'_>, capability: Capability, why: &str, reply: &mut Reply) {
    let ledger = hearing.ledger(reply);
    let change = hearing.seen(&ledger, capability, Standing::Degraded, why);
    hearing.record(change.as_slice(), reply);
    reply.message(format!("degraded ({}): {why}; {}", capability.number(), capability.form()));
}

/// The next share of the time that is left.
fn share(hearing: &Hearing<'_>) -> Instant {
    let left: Duration = hearing.deadline.saturating_duration_since(Instant::now());
    Instant::now() + left / 4
}

fn search_path(hearing: &Hearing<'_>) -> OsString {
    hearing.environment.text("PATH").unwrap_or_default().into()
}
