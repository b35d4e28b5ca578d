//! The state of a session for its later hooks: when it began, how many turns ended.

use claude_hooks::event::Start;

use crate::audit_log;
use crate::clock;
use crate::event::{HookContext, ResponseBuilder};
use crate::fence;
use crate::guard;
use crate::projects;
use crate::records::SessionState;

/// A session starts or is resumed.
pub fn start(context: &HookContext<'_>, start: Start, reply: &mut ResponseBuilder) {
    let (id, now_ms) = (&context.call.session_id, context.now_ms);
    let begun = context.store.update(|state: &mut SessionState| {
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
    let begun = begun.and_then(|()| audit_log::begin(context.store, id, now_ms));
    if let Err(error) = guard::begin(context.places, id) {
        reply.message(format!("degraded: what this session writes cannot be noted: {error}"));
    }
    if let Err(error) = projects::note(context.places, now_ms) {
        reply.message(format!("degraded: the daemon's pages do not know of this project: {error}"));
    }
    if let Err(error) = begun {
        context.unrecorded(&error, reply);
    }
    if let Some(file) = context.impostor() {
        let file = fence::sanitize_line(&file.to_string_lossy(), 300);
        reply.message(format!(
            "{file} may define an agent under the historian's name, which the client would take before the \
             plugin's: in this project the historian's word does not count, and only you approve"
        ));
    }
    for fault in context.faults {
        reply.message(format!("a setting is wrong and not used: {fault}"));
    }
}
