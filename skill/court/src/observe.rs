//! Capabilities as they are seen in the session itself: a denied call that ran all the same, an
//! injected text that never reached the record. Nothing is assumed; what was not seen is not said.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use claude_hooks::event::ToolUse;

use crate::hook::{Hearing, Reply};
use crate::manifest;
use crate::records::{Capability, Ledger, Reviews, Standing};
use crate::store::Change;

/// How much of a record's beginning and end is searched for what was injected, in bytes.
const SEARCHED_MAX: u64 = 1 << 20;
/// What every injected ledger begins with.
const INJECTED: &str = "<court-ledger note=";

/// A tool has run: was it denied?
pub fn tool_ran(hearing: &Hearing<'_>, tool: &ToolUse, reply: &mut Reply) {
    let Some(id) = tool.id.as_deref() else { return };
    let Ok(reviews) = hearing.store.read::<Reviews>() else { return };
    let denied = |request: &crate::records::Request| {
        request.tool_use_id.as_deref() == Some(id) && request.session_id == hearing.call.session_id
    };
    let asked = hearing.config.l2 == crate::config::Verdict::Ask;
    if asked || !reviews.requests.iter().any(denied) {
        return;
    }
    let ledger = hearing.ledger(reply);
    let why = "a call that was denied ran all the same";
    let seen = hearing.seen(&ledger, Capability::Denial, Standing::Degraded, why);
    hearing.record(&Vec::from_iter(seen), reply);
    reply.message(format!("degraded (V10): {why}: {}", tool.name));
}

/// A turn ends: what can be said of denials, the manifest and injected texts.
pub fn turn_ended(hearing: &Hearing<'_>, reply: &mut Reply) {
    let ledger = hearing.ledger(reply);
    let mut changes = Vec::new();
    let known = |capability| ledger.metadata.capabilities.contains_key(&capability);
    let session = &hearing.call.session_id;
    if !known(Capability::Denial) {
        let reviews = hearing.store.read::<Reviews>().unwrap_or_default();
        let denied = reviews.requests.iter().any(|request| request.session_id == *session);
        if denied && hearing.config.l2 == crate::config::Verdict::Deny {
            let why = "calls were denied and did not run";
            changes.extend(hearing.seen(&ledger, Capability::Denial, Standing::Works, why));
        }
    }
    match manifest::load(hearing.store) {
        Ok(None) => {}
        Ok(Some(_)) => {
            let why = "the manifest is whole and held before every call";
            changes.extend(hearing.seen(&ledger, Capability::AllowList, Standing::Works, why));
        }
        Err(unusable) => {
            let why = unusable.to_string();
            changes.extend(hearing.seen(&ledger, Capability::AllowList, Standing::Degraded, &why));
        }
    }
    changes.extend(injection(hearing, &ledger));
    hearing.record(&changes, reply);
}

/// Whether the ledger that was injected is in the session's record.
fn injection(hearing: &Hearing<'_>, ledger: &Ledger) -> Option<Change> {
    // An empty ledger is not injected; one with an anchor older than the session was.
    let facts = hearing.store.read::<crate::records::SessionState>().ok()?;
    let began = facts.sessions.get(&hearing.call.session_id)?.started_at_ms;
    let oldest = ledger.anchors.first()?.created_at;
    if oldest >= began {
        return None;
    }
    let found = contains(&hearing.call.transcript_path, INJECTED).ok()?;
    let (standing, why) = match found {
        true => (Standing::Works, "the injected ledger stands in the session's record"),
        false => (Standing::Degraded, "the injected ledger is not in the session's record"),
    };
    hearing.seen(ledger, Capability::ContextInjection, standing, why)
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
