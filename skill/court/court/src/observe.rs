//! Capabilities as they are seen in the session itself: what became of a denied call, whether an injected text
//! reached the record, whether a turn went by without a fault. Nothing is assumed: what was not seen is not said.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use claude_hooks::event::ToolUse;

use crate::event::{HookContext, ResponseBuilder};
use crate::manifest;
use crate::records::{
    Capability, Denied, DeniedBy, DeniedCall, Ledger, Observation, SessionFacts, Standing,
};
use crate::store::Change;
use crate::transcript::{Recent, Status};

/// How much of a record's beginning and end is searched for what was injected, in bytes.
const SEARCHED_MAX: u64 = 1 << 20;
/// What every injected ledger begins with.
const INJECTED: &str = "<court-ledger note=";

/// A call is denied: what becomes of it will tell whether denials hold.
pub fn denied(
    context: &HookContext<'_>,
    tool: &ToolUse,
    by: DeniedBy,
    reply: &mut ResponseBuilder,
) {
    let Some(id) = &tool.id else { return };
    let call = DeniedCall {
        session_id: context.call.session_id.clone(),
        tool_use_id: id.chars().take(200).collect(),
        tool: tool.name.chars().take(100).collect(),
        by,
    };
    if let Err(error) = context.store.update(|denied: &mut Denied| denied.calls.push(call)) {
        context.unrecorded(&error, reply);
    }
}

/// The calls of this session that were denied and whose end was not seen yet, by the client's ids.
pub fn denied_in_session(context: &HookContext<'_>) -> Vec<String> {
    let denied = context.store.read::<Denied>().unwrap_or_default();
    let session = &context.call.session_id;
    let of_session = denied.calls.into_iter().filter(|call| call.session_id == *session);
    of_session.map(|call| call.tool_use_id).collect()
}

/// A tool has run: was it denied?
pub fn tool_ran(context: &HookContext<'_>, tool: &ToolUse, reply: &mut ResponseBuilder) {
    let Some(id) = tool.id.as_deref() else { return };
    let Ok(denied) = context.store.read::<Denied>() else { return };
    let session = &context.call.session_id;
    let this = |call: &&DeniedCall| call.tool_use_id == id && call.session_id == *session;
    let Some(call) = denied.calls.iter().find(this) else { return };
    ran(context, call, reply);
    forget(context, &[id], reply);
}

/// A turn ends: what its record tells of denied calls and injected texts, and what went well again.
pub fn turn_ended(
    context: &HookContext<'_>,
    ledger: &Ledger,
    facts: &SessionFacts,
    recent: Option<&Recent>,
    reply: &mut ResponseBuilder,
) {
    let mut changes = Vec::new();
    if let Some(recent) = recent {
        changes.extend(held(context, ledger, recent, reply));
        changes.extend(injection(context, ledger, facts, recent));
    }
    changes.extend(recovered(context, ledger, facts));
    context.record(&changes, reply);
}

/// A call that was denied ran all the same.
fn ran(context: &HookContext<'_>, call: &DeniedCall, reply: &mut ResponseBuilder) {
    let why = format!("a call that was denied ran all the same: {}", call.tool);
    for capability in of(call.by) {
        context.degraded(*capability, &why);
        reply.message(format!("degraded ({}): {why}", capability.number()));
    }
}

/// What the end of a denied call tells of.
fn of(by: DeniedBy) -> &'static [Capability] {
    match by {
        DeniedBy::Gate => &[Capability::Denial],
        DeniedBy::Phase => &[Capability::Denial, Capability::AllowList],
    }
}

/// What the record says of the calls that were denied in this session: the client's own word for it that
/// they did not run, or a result.
fn held(
    context: &HookContext<'_>,
    ledger: &Ledger,
    recent: &Recent,
    reply: &mut ResponseBuilder,
) -> Vec<Change> {
    let denied = context.store.read::<Denied>().unwrap_or_default();
    let session = &context.call.session_id;
    let mut settled = Vec::new();
    let mut held = Vec::new();
    let mut has_run = false;
    for call in denied.calls.iter().filter(|call| call.session_id == *session) {
        let Some(done) = recent.calls.iter().find(|done| done.id == call.tool_use_id) else {
            // The record was waited for. What never came into it tells nothing, and is not waited for again.
            settled.push(call.tool_use_id.as_str());
            continue;
        };
        match done.status {
            Status::Denied => held.push(call.by),
            Status::Success => {
                has_run = true;
                ran(context, call, reply);
            }
            // A refusal in words that are not known here is an error too: it tells nothing.
            Status::Error | Status::Interrupted | Status::Pending => continue,
        }
        settled.push(call.tool_use_id.as_str());
    }
    forget(context, &settled, reply);
    if has_run {
        return Vec::new();
    }
    let why = "a denied call came back refused and did not run";
    let seen = |capability: &Capability| {
        let is_shown = held.iter().any(|by| of(*by).contains(capability));
        is_shown.then(|| context.seen(ledger, *capability, Standing::Works, why)).flatten()
    };
    of(DeniedBy::Phase).iter().filter_map(seen).collect()
}

/// Drops denied calls of this session whose end was seen.
fn forget(context: &HookContext<'_>, ids: &[&str], reply: &mut ResponseBuilder) {
    if ids.is_empty() {
        return;
    }
    let session = &context.call.session_id;
    let is_seen =
        |call: &DeniedCall| call.session_id == *session && ids.contains(&&*call.tool_use_id);
    let forgotten =
        context.store.update(|denied: &mut Denied| denied.calls.retain(|call| !is_seen(call)));
    if let Err(error) = forgotten {
        context.unrecorded(&error, reply);
    }
}

/// What failed before and does no more: the files were written, the manifest is whole, and a whole turn went by
/// in which each call was judged and answered.
fn recovered(context: &HookContext<'_>, ledger: &Ledger, facts: &SessionFacts) -> Vec<Change> {
    let turn_began_ms = facts.turn_ended_at_ms.max(facts.started_at_ms);
    let degraded = |(_, seen): &(&Capability, &Observation)| seen.standing == Standing::Degraded;
    let mut changes = Vec::new();
    for (capability, seen) in ledger.metadata.capabilities.iter().filter(degraded) {
        let went_by = seen.last_ms() < turn_began_ms;
        let why = match capability {
            _ if context.fails_now(*capability) => continue,
            Capability::Store => "ledger and state were written",
            Capability::Manifest => match manifest::load(context.store) {
                Ok(Some(_)) => "the manifest is whole",
                Ok(None) => "there is no manifest any more",
                Err(_) => continue,
            },
            Capability::Hook if went_by => "each call of a whole turn was answered in time",
            Capability::Judging if went_by => "each call of a whole turn was judged",
            _ => continue,
        };
        changes.extend(context.seen(ledger, *capability, Standing::Works, why));
    }
    changes
}

/// Whether this session's record is to show an injected ledger, and none has shown one so far.
pub fn awaits_injection(ledger: &Ledger, facts: &SessionFacts) -> bool {
    let seen = ledger.metadata.capabilities.get(&Capability::ContextInjection);
    was_injected(ledger, facts) && seen.is_none_or(|seen| seen.standing != Standing::Works)
}

/// An empty ledger is not injected; one with an anchor older than the session was.
fn was_injected(ledger: &Ledger, facts: &SessionFacts) -> bool {
    let began = facts.started_at_ms;
    began > 0 && ledger.anchors.first().is_some_and(|oldest| oldest.created_at < began)
}

/// Whether the ledger that was injected is in the session's record.
///
/// The client writes its record a little after it calls the hook: one without an answer of the model tells
/// nothing yet.
fn injection(
    context: &HookContext<'_>,
    ledger: &Ledger,
    facts: &SessionFacts,
    recent: &Recent,
) -> Option<Change> {
    if !was_injected(ledger, facts) {
        return None;
    }
    let (standing, why) = match contains(&context.call.transcript_path, INJECTED).ok()? {
        true => (Standing::Works, "the injected ledger stands in the session's record"),
        false if !recent.has_answer() => return None,
        false => (Standing::Degraded, "the injected ledger is not in the session's record"),
    };
    context.seen(ledger, Capability::ContextInjection, standing, why)
}

/// Whether the beginning or the end of a file has a text.
fn contains(path: &Path, text: &str) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    // In JSON the quotation mark is escaped.
    let needle = text.trim_end_matches(|char: char| !char.is_alphanumeric()).as_bytes();
    let mut found = false;
    for from in [0, size.saturating_sub(SEARCHED_MAX)] {
        file.seek(SeekFrom::Start(from))?;
        let mut part = Vec::new();
        file.by_ref().take(SEARCHED_MAX).read_to_end(&mut part)?;
        found |= part.windows(needle.len()).any(|window| window == needle);
    }
    Ok(found)
}
