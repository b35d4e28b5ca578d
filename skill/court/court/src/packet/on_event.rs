//! The packet's events: the base is recorded when a session starts, the packet is written when a turn ends, and
//! a review of it is requested once.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use claude_hooks::event::{Start, Stop};

use super::changes::Changes;
use super::{CALLS, Sources, base, build, changes};
use crate::config::ReviewWhen;
use crate::event::{HookContext, ResponseBuilder};
use crate::node::writes;
use crate::observe;
use crate::records::{Capability, Ledger, SessionState, Standing};
use crate::transcript::{Recent, Unread, recent, settled};

/// Share of the remaining time for reading the transcript: one in so many; git gets the same.
const SHARE: u32 = 3;
/// Maximum wait for an observation that is not in the transcript yet.
const RECORD_WAIT: Duration = Duration::from_millis(500);

/// A session starts or is resumed: records the commit, once.
pub fn session_start(context: &HookContext<'_>, start: Start, reply: &mut ResponseBuilder) {
    let session = &context.call.session_id;
    let known = context.store.read::<SessionState>().ok();
    let known = known.is_some_and(|state| {
        state.sessions.get(session).is_some_and(|facts| facts.git_base.is_some())
    });
    if known && start != Start::Clear {
        return;
    }
    let base = base(&context.call.cwd, &search_path(context), share(context));
    let noted = context.store.update(|state: &mut SessionState| {
        let facts = state.sessions.entry(session.clone()).or_default();
        if facts.started_at_ms == 0 {
            facts.started_at_ms = context.now_ms;
        }
        facts.git_base.get_or_insert(base);
    });
    if let Err(error) = noted {
        context.unrecorded(&error, reply);
    }
}

/// A turn ends: writes the packet and requests its review.
pub fn stop(context: &HookContext<'_>, stop: &Stop, reply: &mut ResponseBuilder) {
    let state = context.store.read::<SessionState>().unwrap_or_default();
    let facts = state.sessions.get(&context.call.session_id).cloned().unwrap_or_default();
    let until = share(context);
    let denied = observe::denied_in_session(context);
    let ledger = context.ledger(reply);
    let awaits_injection = observe::awaits_injection(&ledger, &facts);
    let waits_until = Instant::now() + RECORD_WAIT;
    let recent = settled(
        until,
        || recent(&context.call.transcript_path, CALLS, until, writes),
        |found| {
            let is_over = Instant::now() >= waits_until;
            match found {
                Err(_) => !awaits_injection || is_over,
                Ok(found) => {
                    let tells = found.has_all(&denied) && (found.has_answer() || !awaits_injection);
                    found.is_settled() && (tells || is_over)
                }
            }
        },
    );
    let changes =
        changes(&context.call.cwd, &search_path(context), facts.git_base.as_ref(), share(context));
    let nodes = context.store.nodes().unwrap_or_default();
    let sources = Sources {
        session_id: &context.call.session_id,
        prompt_id: context.call.prompt_id.as_deref(),
        turn: facts.turns + 1,
        recent: &recent,
        statement: stop.last_assistant_message.as_deref(),
        changes: &changes,
        ledger: &ledger,
        nodes: &nodes,
        session_began_ms: facts.started_at_ms,
        background_tasks: stop.background_tasks,
        now_ms: context.now_ms,
    };
    let packet = build(&sources);
    let seq = ledger::packet::write(context.store, packet, context.config.packets_keep);
    if let Err(error) = &seq {
        context.unrecorded(error, reply);
    }
    capability(context, &ledger, &recent, reply);
    git(context, &ledger, &changes, reply);
    observe::turn_ended(context, &ledger, &facts, recent.as_ref().ok(), reply);
    // If it is unknown whether something was done, assume that it was.
    let did = recent.as_ref().map_or(true, |recent| recent.entries == 0 || recent.did_something());
    let new_nodes = nodes.iter().any(|node| {
        let is_historian =
            node.agent_type.as_deref().is_some_and(|kind| context.is_historians(kind));
        !is_historian && node.created_at >= facts.asked_at_ms.max(facts.started_at_ms)
    });
    let prompt = context.call.prompt_id.clone().unwrap_or_else(|| format!("turn {}", facts.turns));
    let is_asked = facts.asked_for.as_deref() == Some(&prompt);
    let is_due = match context.config.review_for(context.environment.audience()) {
        ReviewWhen::Off => false,
        ReviewWhen::Changes => did || new_nodes,
        ReviewWhen::Always => true,
    };
    let asks = !stop.stop_hook_active && !is_asked && is_due;
    let noted = context.store.update(|state: &mut SessionState| {
        state.butler_working = false;
        state.historian.asked += u64::from(asks);
        let facts = state.sessions.entry(context.call.session_id.clone()).or_default();
        facts.turns += 1;
        facts.turn_ended_at_ms = context.now_ms;
        if asks {
            facts.asked_for = Some(prompt);
            facts.asked_at_ms = context.now_ms;
        }
    });
    // Without a record of the request, a review would be requested at every stop.
    if asks && noted.is_ok() {
        reply.keep_going(request(seq.ok(), recent.is_ok()));
    }
}

fn capability(
    context: &HookContext<'_>,
    ledger: &Ledger,
    recent: &Result<Recent, Unread>,
    reply: &mut ResponseBuilder,
) {
    let (standing, why) = match recent {
        Ok(recent) if recent.entries > 0 => (Standing::Works, "a packet was made".to_owned()),
        Ok(_) => (Standing::Degraded, "the transcript has no line that is understood".to_owned()),
        Err(unread) => (Standing::Degraded, unread.to_string()),
    };
    if standing == Standing::Degraded {
        reply.message(format!("degraded (V11): {why}; {}", Capability::FactPacket.form()));
    }
    let change = context.seen(ledger, Capability::FactPacket, standing, &why);
    context.record(change.as_slice(), reply);
}

/// Records whether git reported the changes. The user is told once; each packet names it in its limits.
fn git(context: &HookContext<'_>, ledger: &Ledger, changes: &Changes, reply: &mut ResponseBuilder) {
    let (standing, why) = match &changes.silent {
        None => (Standing::Works, "git told what changed"),
        Some(why) => (Standing::Degraded, why.as_str()),
    };
    let change = context.seen(ledger, Capability::Git, standing, why);
    if change.is_some() && standing == Standing::Degraded {
        reply.message(format!("degraded (GIT): {why}; {}", Capability::Git.form()));
    }
    context.record(change.as_slice(), reply);
}

/// The request to the main agent.
fn request(seq: Option<u64>, has_facts: bool) -> String {
    let packet = match seq {
        Some(seq) => format!(
            "The facts of this turn were gathered by a program: .claude/historian/packets/fact_{seq}.json."
        ),
        None => "The facts of this turn could not be written to a file.".to_owned(),
    };
    let summary = match has_facts {
        true => "",
        false => {
            " The transcript could not be read: put a summary of what you did into the prompt \
             (degraded)."
        }
    };
    format!(
        "{packet} Before you stop, have them reviewed: call the Agent tool with the historian \
         (subagent_type \"court:historian\"; where it is not listed, \"general-purpose\") and the description \"historian review\". Its prompt \
         is built for you.{summary} Then act on its advice where you agree, and stop. You are asked \
         this once."
    )
}

/// The next share of the remaining time.
fn share(context: &HookContext<'_>) -> Instant {
    let left: Duration = context.deadline.saturating_duration_since(Instant::now());
    Instant::now() + left / SHARE
}

fn search_path(context: &HookContext<'_>) -> OsString {
    context.environment.text("PATH").unwrap_or_default().into()
}
