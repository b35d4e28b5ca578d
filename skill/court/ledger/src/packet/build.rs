//! Builds the packet from the facts of a turn. Not here: the source of the facts.

use crate::records::{
    AnchorKind, ContextSnapshot, Facts, Ledger, ObjectiveNode, Packet, PacketMeta, ToolCallFact,
};
use crate::sanitize::sanitize_line;

/// Maximum number of calls in a packet (CRT-7).
pub const CALLS: usize = 20;
/// Maximum length of the subject of a call, in characters.
const TARGET_MAX: usize = 160;
/// Maximum length of the final statement, in characters.
const STATEMENT_MAX: usize = 200;
/// Number of characters at the end of the last message that are searched for it.
const ENDING_LOOK: usize = 4_000;
/// Maximum number of concerns and of decisions, and maximum length of each.
const CONCERNS: usize = 20;
const DECISIONS: usize = 5;
const ANCHOR_MAX: usize = 200;
/// Maximum number of nodes.
const NODES: usize = 20;

/// The facts of a turn, from a transcript or from the program that ran it.
#[derive(Debug)]
pub struct Turn<'t> {
    /// The session.
    pub session_id: &'t str,
    /// The prompt of the turn.
    pub prompt_id: Option<&'t str>,
    /// Number of the session's turns, this one included.
    pub number: u64,
    /// When the prompt came, in milliseconds since 1970; `None` if unknown.
    pub began_ms: Option<u64>,
    /// The calls, oldest first. The last [`CALLS`] are included.
    pub calls: Vec<ToolCallFact>,
    /// The model's last message, of which the end is included.
    pub statement: &'t str,
    /// The commit of the work tree.
    pub git_head: Option<String>,
    /// Git's diffstat since the session began.
    pub git_diff_stat: String,
    /// Unavailable facts, with the reasons.
    pub limits: Vec<String>,
    /// The ledger.
    pub ledger: &'t Ledger,
    /// All nodes, oldest first.
    pub nodes: &'t [ObjectiveNode],
    /// When the session began, in milliseconds since 1970.
    pub session_began_ms: u64,
    /// Number of tasks running in the background.
    pub background_tasks: usize,
    /// Now, in milliseconds since 1970.
    pub now_ms: u64,
}

/// Builds a packet without its number, which [`super::write`] adds.
#[must_use]
pub fn build(turn: Turn<'_>) -> Packet {
    let ours = turn.nodes.iter().filter(|node| node.created_at >= turn.session_began_ms);
    let mut nodes: Vec<ObjectiveNode> = ours.rev().take(NODES).cloned().collect();
    nodes.reverse();
    let untold = turn.calls.len().saturating_sub(CALLS);
    Packet {
        seq: 0,
        meta: PacketMeta {
            duration_ms: turn.began_ms.map_or(0, |began| turn.now_ms.saturating_sub(began)),
            turn_id: turn.number,
            session_id: turn.session_id.to_owned(),
            prompt_id: turn.prompt_id.map(str::to_owned),
            at_ms: turn.now_ms,
            git_head: turn.git_head,
            background_tasks: turn.background_tasks,
            limits: turn.limits,
        },
        facts: Facts {
            tool_calls: turn.calls.into_iter().skip(untold).map(sanitized).collect(),
            git_diff_stat: turn.git_diff_stat,
            final_statement: ending(turn.statement, STATEMENT_MAX),
        },
        context_snapshot: snapshot(turn.ledger),
        delegation_tree: nodes,
    }
}

/// Sanitizes a call's texts, which may come from anyone: a file's name, a command.
fn sanitized(call: ToolCallFact) -> ToolCallFact {
    let short = |text: String| sanitize_line(&text, TARGET_MAX);
    ToolCallFact {
        name: short(call.name),
        path: call.path.map(short),
        what: call.what.map(short),
        status: call.status,
    }
}

/// The end of a text on one line, at most `max` characters. It is sanitized before it is cut, so that no
/// partial secret remains.
fn ending(text: &str, max: usize) -> String {
    let start = text.char_indices().rev().nth(ENDING_LOOK).map_or(0, |(at, _)| at);
    let sanitized = sanitize_line(&text[start..], ENDING_LOOK + 1);
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
            .map(|anchor| sanitize_line(&anchor.content, ANCHOR_MAX))
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
