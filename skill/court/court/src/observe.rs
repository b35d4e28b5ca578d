//! Observes capabilities during the session: whether denied calls ran, whether injected text
//! is in the transcript, whether a turn had no failures. Only observations are recorded, no assumptions.

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

/// Size of a transcript's head and tail that are searched for injected text, in bytes.
const SEARCHED_MAX: u64 = 1 << 20;
/// The beginning of every injected ledger.
const INJECTED: &str = "<court-ledger note=";

/// Records a denied call; its later fate shows whether denials are effective.
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

/// The denied calls of this session whose end was not observed yet, by the client's ids.
pub fn denied_in_session(context: &HookContext<'_>) -> Vec<String> {
    let denied = context.store.read::<Denied>().unwrap_or_default();
    let session = &context.call.session_id;
    let of_session = denied.calls.into_iter().filter(|call| call.session_id == *session);
    of_session.map(|call| call.tool_use_id).collect()
}

/// A tool has run: checks whether it was denied.
pub fn tool_ran(context: &HookContext<'_>, tool: &ToolUse, reply: &mut ResponseBuilder) {
    let Some(id) = tool.id.as_deref() else { return };
    let Ok(denied) = context.store.read::<Denied>() else { return };
    let session = &context.call.session_id;
    let this = |call: &&DeniedCall| call.tool_use_id == id && call.session_id == *session;
    let Some(call) = denied.calls.iter().find(this) else { return };
    ran(context, call, reply);
    forget(context, &[id], reply);
}

/// A turn ends: checks the transcript for denied calls and injected text, and records recoveries.
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

/// Records that a denied call has run.
fn ran(context: &HookContext<'_>, call: &DeniedCall, reply: &mut ResponseBuilder) {
    let why = format!("a call that was denied ran all the same: {}", call.tool);
    for capability in of(call.by) {
        context.degraded(*capability, &why);
        reply.message(format!("degraded ({}): {why}", capability.number()));
    }
}

/// The capabilities that the end of a denied call tells about.
fn of(by: DeniedBy) -> &'static [Capability] {
    match by {
        DeniedBy::Gate => &[Capability::Denial],
        DeniedBy::Phase => &[Capability::Denial, Capability::AllowList],
    }
}

/// Checks the transcript for the calls that were denied in this session: either the client's text that
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
            // The transcript was waited for. A call that never appears in it tells nothing, and is not waited for again.
            settled.push(call.tool_use_id.as_str());
            continue;
        };
        match done.status {
            Status::Denied => held.push(call.by),
            Status::Success => {
                has_run = true;
                ran(context, call, reply);
            }
            // An unknown refusal text is an error too, which tells nothing.
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

/// Removes denied calls of this session whose end was observed.
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

/// Records recoveries: the files could be written, the manifest is valid, and in a whole turn
/// each call was judged and answered.
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

/// Whether an injected ledger is expected in this session's transcript, and was not observed so far.
pub fn awaits_injection(ledger: &Ledger, facts: &SessionFacts) -> bool {
    let seen = ledger.metadata.capabilities.get(&Capability::ContextInjection);
    was_injected(ledger, facts) && seen.is_none_or(|seen| seen.standing != Standing::Works)
}

/// An empty ledger is not injected; one with an anchor older than the session was.
fn was_injected(ledger: &Ledger, facts: &SessionFacts) -> bool {
    let began = facts.started_at_ms;
    began > 0 && ledger.anchors.first().is_some_and(|oldest| oldest.created_at < began)
}

/// Whether the injected ledger is in the session's transcript.
///
/// The client writes its transcript shortly after it calls the hook: without a model's answer in it, the result is
/// unknown.
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

/// Whether the head or the tail of a file contains a text.
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
