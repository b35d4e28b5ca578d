//! From what was read to the packet. Absent: reading it.

use jiff::Timestamp;

use super::changes::Changes;
use crate::fence;
use crate::records::{
    AnchorKind, CallStatus, ContextSnapshot, Facts, Ledger, ObjectiveNode, Packet, PacketMeta,
    ToolCallFact,
};
use crate::transcript::{Coverage, Done, Recent, Status, Unread};

/// How many calls a packet tells (CRT-7).
pub const CALLS: usize = 20;
/// How long the final statement is, in characters.
const STATEMENT_MAX: usize = 200;
/// How much of the last words is looked at for it, in characters.
const ENDING_LOOK: usize = 4_000;
/// How many concerns and how many decisions are told, and how long each is.
const CONCERNS: usize = 20;
const DECISIONS: usize = 5;
const ANCHOR_MAX: usize = 200;
/// How many nodes are told.
const NODES: usize = 20;

/// What a packet is made from.
#[derive(Debug)]
pub struct Sources<'s> {
    /// Its number.
    pub seq: u64,
    /// The session that the facts are of.
    pub session_id: &'s str,
    /// The prompt that was worked on.
    pub prompt_id: Option<&'s str>,
    /// How many turns of the session ended before.
    pub turn: u64,
    /// The record's end.
    pub recent: &'s Result<Recent, Unread>,
    /// The last words, as the event gave them; they go before what the record says.
    pub statement: Option<&'s str>,
    /// What git says.
    pub changes: &'s Changes,
    /// What stood in the ledger when the turn ended.
    pub ledger: &'s Ledger,
    /// All nodes, the oldest first.
    pub nodes: &'s [ObjectiveNode],
    /// When the session began, in milliseconds since 1970.
    pub session_began_ms: u64,
    /// How many tasks go on in the background.
    pub background_tasks: usize,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
}

/// Makes a packet.
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
    let ours = sources.nodes.iter().filter(|node| node.created_at >= sources.session_began_ms);
    let mut nodes: Vec<ObjectiveNode> = ours.rev().take(NODES).cloned().collect();
    nodes.reverse();
    Packet {
        seq: sources.seq,
        meta: PacketMeta {
            duration_ms: recent.prompted.map_or(0, |moment| since(moment, sources.now_ms)),
            turn_id: sources.turn,
            session_id: sources.session_id.to_owned(),
            prompt_id: sources.prompt_id.map(str::to_owned),
            at_ms: sources.now_ms,
            git_head: sources.changes.head.clone(),
            background_tasks: sources.background_tasks,
            limits,
        },
        facts: Facts {
            tool_calls: recent.calls.iter().map(fact).collect(),
            git_diff_stat: sources.changes.stat.clone(),
            final_statement: statement(sources.statement, recent),
        },
        context_snapshot: snapshot(sources.ledger),
        delegation_tree: nodes,
    }
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

fn statement(given: Option<&str>, recent: &Recent) -> String {
    let given = given.filter(|words| !words.trim().is_empty());
    ending(given.or(recent.statement.as_deref()).unwrap_or_default(), STATEMENT_MAX)
}

/// The end of a text on one line, at most `max` characters. It is sanitized before it is cut, so that no
/// half of a secret is left.
fn ending(text: &str, max: usize) -> String {
    let start = text.char_indices().rev().nth(ENDING_LOOK).map_or(0, |(at, _)| at);
    let sanitized = fence::sanitize_line(&text[start..], ENDING_LOOK + 1);
    let over = sanitized.chars().count().saturating_sub(max);
    if over == 0 {
        return sanitized;
    }
    let kept: String = sanitized.chars().skip(over + 1).collect();
    format!("…{kept}")
}

fn snapshot(ledger: &Ledger) -> ContextSnapshot {
    let last = |kind: AnchorKind, count: usize| -> Vec<String> {
        let mut found: Vec<String> = ledger
            .of_kind(kind)
            .rev()
            .take(count)
            .map(|anchor| fence::sanitize_line(&anchor.content, ANCHOR_MAX))
            .collect();
        found.reverse();
        found
    };
    let risks =
        last(AnchorKind::RiskHigh, CONCERNS).into_iter().map(|text| format!("HIGH: {text}"));
    let tasks = last(AnchorKind::TaskActive, CONCERNS).into_iter();
    ContextSnapshot {
        active_concerns: risks.chain(tasks.map(|text| format!("ACTIVE: {text}"))).collect(),
        recent_experiences: last(AnchorKind::Decision, DECISIONS),
    }
}

fn limit(coverage: Coverage) -> Option<String> {
    match coverage {
        Coverage::Whole => None,
        Coverage::Budget => Some("only the end of the transcript was read".to_owned()),
        Coverage::Deadline => Some("the time ended the reading of the transcript".to_owned()),
    }
}

fn since(moment: Timestamp, now_ms: u64) -> u64 {
    let begun = u64::try_from(moment.as_millisecond()).unwrap_or_default();
    now_ms.saturating_sub(begun)
}
