//! Before a tool runs: the manifest of phases, the court's own commands, and the gate. Silence is no
//! objection; there is no way to say yes.

mod commands;
pub(crate) mod contents;
mod disk;
pub(crate) mod judged;
mod mounts;
mod program;
mod record;
mod session;
mod surroundings;

use claude_hooks::event::ToolUse;
use commands::Own;
use gate::{Judgement, Level, Outcome, ToolCall};
use serde_json::Value;

use crate::config::Verdict;
use crate::event::{Decision, Hearing, Reply};
use crate::fence;
use crate::marks::{self, Mark};
use crate::records::{Capability, DeniedBy, Standing};

use crate::review::{self, Asked, Counting, Found};
use crate::store::Change;
use crate::{manifest, observe, records};

pub use disk::OnDisk;
pub use judged::Judged;
pub use record::begin;
pub use session::Session;
pub use surroundings::Surroundings;

/// Hears a call before it runs.
pub fn pre_tool_use(hearing: &Hearing<'_>, tool: &ToolUse, reply: &mut Reply) {
    let judged = judge(hearing, tool);
    let judgement = &judged.judgement;
    match commands::own(hearing, tool, judgement, reply) {
        Own::Refused(refusal) => return deny(hearing, tool, DeniedBy::Gate, refusal, reply),
        Own::Free => return,
        Own::No => {}
    }
    if let Some(refusal) = manifest::refuse(hearing, tool, judgement, reply) {
        return deny(hearing, tool, DeniedBy::Phase, refusal, reply);
    }
    match judgement.level {
        Level::L0 => {}
        Level::L1 => mark(hearing, tool, judgement, None),
        Level::L2 if judged.allowed.is_some() => mark(hearing, tool, judgement, None),
        Level::L2 => review(hearing, tool, &judged, reply),
        Level::L3 => forbid(hearing, tool, judgement, reply),
    }
    let runs = !matches!(reply.decision(), Some(Decision::Deny(_)));
    if let Some(Err(error)) = runs.then(|| record::add(hearing, &judgement.writes)) {
        reply.message(format!("degraded: what this call writes cannot be noted: {error}"));
    }
}

/// What the call would do.
pub fn judge(hearing: &Hearing<'_>, tool: &ToolUse) -> Judged {
    let search = hearing.environment.text("PATH").unwrap_or_default();
    let disk = OnDisk::new(search, hearing.places.answering(), || session::of(hearing));
    let surroundings = Surroundings::new(hearing.call, hearing.places, hearing.config, &disk);
    let call = ToolCall { name: &tool.name, input: &tool.input };
    let judgement = gate::judge(&call, &surroundings.context(), hearing.config.policy);
    let context = surroundings.context();
    let allowed = gate::allowed_by(&hearing.config.allow, &call, &context, &judgement).cloned();
    Judged { judgement, cwd: surroundings.cwd.clone(), allowed }
}

/// L2: let through where it was approved, else refused with the way to a review.
fn review(hearing: &Hearing<'_>, tool: &ToolUse, judged: &Judged, reply: &mut Reply) {
    let judgement = &judged.judgement;
    let asked = Asked::new(hearing, tool, judged);
    let approver = hearing.places.approver();
    let counting = Counting {
        by: hearing.config.approver,
        approver: &approver,
        project: &hearing.places.project,
    };
    match review::take_approval(hearing.store, &asked.digest, &counting) {
        Ok(Found::Used(by)) => {
            reply.message(format!("{} was approved by the {}", tool.name, review::word(by)));
            return mark(hearing, tool, judgement, Some(by));
        }
        Ok(Found::Void(why)) => {
            let why = fence::tame_line(&why, 300);
            reply.message(format!("an approval of this call does not count: {why}"));
        }
        Ok(Found::None) => {}
        Err(error) => reply.message(format!("approvals cannot be read: {error}")),
    }
    if let Outcome::CouldNotJudge { reason } = &judgement.outcome {
        reply.message(format!("could not judge this call: {}", fence::tame_line(reason, 200)));
        hearing.degraded(Capability::Judging, reason);
    }
    let why = why(judgement);
    let way = match asked.can_be_shown() {
        false => review::too_long(),
        true => {
            let request = match review::request(hearing.store, asked, hearing.now_ms) {
                Ok(id) => Some(id),
                Err(error) => {
                    hearing.unrecorded(&error, reply);
                    None
                }
            };
            review::way(hearing, request.as_deref())
        }
    };
    match hearing.config.l2 {
        Verdict::Ask => reply.decide(Decision::Ask(format!("Court, level L2: {why}"))),
        Verdict::Deny => {
            let refusal = format!("Court: level L2, so it did not run. {why}\n{way}");
            deny(hearing, tool, DeniedBy::Gate, refusal, reply);
        }
    }
}

/// L3: refused, and noted as a risk.
fn forbid(hearing: &Hearing<'_>, tool: &ToolUse, judgement: &Judgement, reply: &mut Reply) {
    let why = why(judgement);
    let refusal = format!(
        "Court: level L3, so it does not run. {why}\nNo review opens this. Find a way that does less, \
         or ask the user to do it themselves."
    );
    deny(hearing, tool, DeniedBy::Gate, refusal, reply);
    let what = fence::tame_line(&review::shown(tool), 160);
    let risk = Change::RiskRaised {
        task_id: None,
        content: fence::tame_line(&format!("an L3 call was refused: {what}"), 300),
        origin: hearing.origin(tool),
    };
    hearing.record(&[risk], reply);
}

/// Denies, and says so where denials were seen not to hold.
fn deny(hearing: &Hearing<'_>, tool: &ToolUse, by: DeniedBy, reason: String, reply: &mut Reply) {
    reply.decide(Decision::Deny(reason));
    observe::denied(hearing, tool, by, reply);
    let ledger = hearing.store.ledger().unwrap_or_default();
    let known = ledger.metadata.capabilities.get(&Capability::Denial);
    if known.is_some_and(|seen| seen.standing == Standing::Degraded) {
        let form = Capability::Denial.form();
        reply.message(format!("degraded (V10): denials were seen not to hold here: {form}"));
    }
}

/// Why it has its level: the gravest findings in words.
pub fn why(judgement: &Judgement) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Outcome::CouldNotJudge { reason } = &judgement.outcome {
        lines.push(format!("It could not be judged: {}.", fence::tame_line(reason, 200)));
    }
    let grave = judgement.findings.iter().filter(|found| found.level >= Level::L2);
    for finding in grave.take(3) {
        let what = fence::tame_line(&finding.what, 160);
        let line = format!("{} (rule {}: `{what}`)", finding.rule.why, finding.rule.id);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join(" ")
}

/// Marks a call that goes through as not reviewed yet. A folder that cannot be written was told of
/// when the session began.
fn mark(
    hearing: &Hearing<'_>,
    tool: &ToolUse,
    judgement: &Judgement,
    approved_by: Option<records::Reviewer>,
) {
    let mut rules: Vec<String> =
        judgement.findings.iter().map(|found| found.rule.id.to_owned()).collect();
    rules.dedup();
    rules.truncate(8);
    let path = ["file_path", "notebook_path"].into_iter().find_map(|field| {
        let writes = matches!(tool.name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
        tool.input.get(field).and_then(Value::as_str).filter(|_| writes)
    });
    let mark = Mark {
        at_ms: hearing.now_ms,
        agent_id: hearing.call.agent.as_ref().map(|agent| agent.id.clone()),
        tool: tool.name.chars().take(100).collect(),
        tool_use_id: tool.id.clone(),
        level: judgement.level.to_string(),
        rules,
        path: path.map(str::to_owned),
        approved_by: approved_by.map(|by| review::word(by).to_owned()),
    };
    let _ = marks::add(hearing.store, &hearing.call.session_id, &mark);
}
