//! Builds the packet from the collected sources. Not here: reading them.

use ledger::packet::{self, Turn};

use super::changes::Changes;
use crate::clock;
use crate::records::{CallStatus, Ledger, ObjectiveNode, Packet, ToolCallFact};
use crate::transcript::{Coverage, Done, Recent, Status, Unread};

/// The sources of a packet.
#[derive(Debug)]
pub struct Sources<'s> {
    /// The session.
    pub session_id: &'s str,
    /// The prompt of the turn.
    pub prompt_id: Option<&'s str>,
    /// Number of the session's earlier turns.
    pub turn: u64,
    /// The end of the transcript.
    pub recent: &'s Result<Recent, Unread>,
    /// The last message from the event; preferred to the transcript's.
    pub statement: Option<&'s str>,
    /// Git's result.
    pub changes: &'s Changes,
    /// The ledger.
    pub ledger: &'s Ledger,
    /// All nodes, oldest first.
    pub nodes: &'s [ObjectiveNode],
    /// When the session began, in milliseconds since 1970.
    pub session_began_ms: u64,
    /// Number of tasks running in the background.
    pub background_tasks: usize,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
}

/// Builds a packet, without its number.
#[must_use]
pub fn build(sources: &Sources<'_>) -> Packet {
    let mut limits = sources.changes.limits.clone();
    let nothing = Recent::default();
    let recent = match sources.recent {
        Ok(recent) => {
            limits.extend(limit(recent.coverage));
            recent
        }
        Err(unread) => {
            limits.push(format!("no tool calls: {unread}"));
            &nothing
        }
    };
    let given = sources.statement.filter(|words| !words.trim().is_empty());
    packet::build(Turn {
        session_id: sources.session_id,
        prompt_id: sources.prompt_id,
        number: sources.turn,
        began_ms: recent.prompted.map(clock::millis),
        calls: recent.calls.iter().map(fact).collect(),
        statement: given.or(recent.statement.as_deref()).unwrap_or_default(),
        git_head: sources.changes.head.clone(),
        git_diff_stat: sources.changes.stat.clone(),
        limits,
        ledger: sources.ledger,
        nodes: sources.nodes,
        session_began_ms: sources.session_began_ms,
        background_tasks: sources.background_tasks,
        now_ms: sources.now_ms,
    })
}

fn fact(call: &Done) -> ToolCallFact {
    ToolCallFact {
        name: call.name.clone(),
        path: call.path.clone(),
        what: call.what.clone(),
        status: match call.status {
            Status::Success => CallStatus::Success,
            Status::Error => CallStatus::Error,
            Status::Interrupted => CallStatus::Interrupted,
            Status::Denied => CallStatus::Denied,
            Status::Pending => CallStatus::Pending,
        },
    }
}

fn limit(coverage: Coverage) -> Option<String> {
    match coverage {
        Coverage::Whole => None,
        Coverage::Budget => Some("only the end of the transcript was read".to_owned()),
        Coverage::Deadline => Some("the time ended the reading of the transcript".to_owned()),
    }
}
