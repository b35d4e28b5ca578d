//! The ledger in a session: put before the model when one begins, filled by what sub-agents find,
//! and shown once when a turn would end while tasks or risks stand.

use claude_hooks::event::Start;

use crate::hook::{Hearing, Reply};

/// A session begins, goes on or was compacted.
pub fn session_start(hearing: &Hearing<'_>, _start: Start, reply: &mut Reply) {
    let _ledger = hearing.ledger(reply);
}
