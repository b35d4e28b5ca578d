//! The court's own commands in the hands of those it watches. To look is free; to approve is the
//! historian's, by a ticket for one call; to answer in a hook's place is nobody's.

use claude_hooks::event::ToolUse;
use gate::{Judgement, Level, Seen};

use crate::hook::{Hearing, Reply};
use crate::review;

/// What becomes of a call as far as it is one of the court's own commands.
pub(super) enum Own {
    /// It is none, or not alone: manifest and gate decide.
    No,
    /// It is, and nothing else: it needs no review, whatever the policy.
    Free,
    /// Its caller may not use it.
    Refused(String),
}

/// Looks for the court's own commands. For the historian's approval a ticket is written down.
pub(super) fn own(
    hearing: &Hearing<'_>,
    tool: &ToolUse,
    judgement: &Judgement,
    reply: &mut Reply,
) -> Own {
    let program = std::env::current_exe().ok();
    let own = program.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
    let is_own = |seen: &Seen| {
        let word = seen.words.first().map(String::as_str).unwrap_or_default();
        let name = word.rsplit('/').next().unwrap_or_default();
        !name.is_empty() && (name == "court" || own == Some(name))
    };
    let mut found = 0;
    for seen in judgement.commands.iter().filter(|seen| is_own(seen)) {
        found += 1;
        if let Some(refused) = refuse(hearing, judgement, seen, reply) {
            return Own::Refused(format!("Court: {} did not run. {refused}", tool.name));
        }
    }
    let harmless =
        |found: &gate::Finding| found.level <= Level::L1 || found.rule.id.starts_with("strict.");
    let alone = found == 1 && judgement.commands.len() == 1;
    if alone && judgement.findings.iter().all(harmless) { Own::Free } else { Own::No }
}

fn refuse(
    hearing: &Hearing<'_>,
    judgement: &Judgement,
    seen: &Seen,
    reply: &mut Reply,
) -> Option<&'static str> {
    let words: Vec<&str> = seen.words[1..].iter().map(String::as_str).collect();
    let unknown = words.iter().any(|word| word.contains(Seen::UNKNOWN));
    let verb = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    match verb {
        "hook" => Some("`court hook` is called by the client alone."),
        "approve" | "resolve" if hearing.is_historian() => {
            if judgement.commands.len() > 1 || !seen.via.is_empty() || unknown {
                return Some("Run this command alone, with its arguments written out.");
            }
            let ticket = review::digest_of_words(&words);
            if let Err(error) = review::issue_ticket(hearing.store, ticket, hearing.now_ms) {
                hearing.unrecorded(&error, reply);
            }
            None
        }
        "approve" | "resolve" => Some(
            "Approving and resolving is for the historian sub-agent, and for the user at a terminal \
             of their own.",
        ),
        "phase" if words.len() > 1 => {
            Some("The phase is changed by the user at a terminal of their own.")
        }
        "accept" => {
            Some("The project's wishes are accepted by the user at a terminal of their own.")
        }
        "init" => Some("The court is set up by the user at a terminal of their own."),
        _ if unknown => Some("What this command of the court would do is only known when it runs."),
        _ => None,
    }
}
