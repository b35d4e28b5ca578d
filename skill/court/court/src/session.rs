//! What a session leaves behind for its own later hooks: when it began, how many turns ended.

use claude_hooks::event::Start;

use crate::clock;
use crate::event::{Hearing, Reply};
use crate::fence;
use crate::guard;
use crate::marks;
use crate::records::SessionState;

/// A session begins or goes on.
pub fn start(hearing: &Hearing<'_>, start: Start, reply: &mut Reply) {
    let (id, now_ms) = (&hearing.call.session_id, hearing.now_ms);
    let begun = hearing.store.update(|state: &mut SessionState| {
        let facts = state.sessions.entry(id.clone()).or_default();
        if facts.started_at_ms == 0 {
            facts.started_at_ms = now_ms;
        }
        // A compaction happens in the middle of the work.
        if start != Start::Compact {
            state.session_start = Some(clock::text(now_ms));
            state.butler_working = false;
        }
    });
    let begun = begun.and_then(|()| marks::begin(hearing.store, id, now_ms));
    if let Err(error) = guard::begin(hearing.places, id) {
        reply.message(format!("degraded: what this session writes cannot be noted: {error}"));
    }
    if let Err(error) = begun {
        hearing.unrecorded(&error, reply);
    }
    if let Some(file) = hearing.impostor() {
        let file = fence::tame_line(&file.to_string_lossy(), 300);
        reply.message(format!(
            "{file} may define an agent under the historian's name, which the client would take before the \
             plugin's: in this project the historian's word does not count, and only you approve"
        ));
    }
    for fault in hearing.faults {
        reply.message(format!("a setting is wrong and not used: {fault}"));
    }
}
