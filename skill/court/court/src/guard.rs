//! Decides before a tool call runs whether it is denied: by the manifest of phases, the court's own commands,
//! and the gate. No response means no objection; the guard never approves a call.

mod commands;
pub(crate) mod contents;
pub(crate) mod judged;
mod program;
mod record;
mod session;
mod surroundings;
#[cfg(test)]
mod tests;

use claude_hooks::event::ToolUse;
use commands::Own;
use gate::{Judgement, Level, Outcome, ToolCall};
use gate_disk::OnDisk;
use serde_json::Value;

use crate::audit_log::{self, Mark};
use crate::config::Verdict;
use crate::event::{Decision, HookContext, ResponseBuilder};
use crate::fence;
use crate::records::{Capability, DeniedBy, Standing};

use crate::review::{self, Asked, Counting, Found};
use crate::store::Change;
use crate::{manifest, observe, records};

pub use judged::Judged;
pub use record::begin;
pub(crate) use session::LOOK_UPS_MAX;
pub use surroundings::Surroundings;

/// Decides whether a tool call is denied before it runs.
pub fn pre_tool_use(context: &HookContext<'_>, tool: &ToolUse, reply: &mut ResponseBuilder) {
    let judged = judge(context, tool);
    let judgement = &judged.judgement;
    match commands::own(context, tool, judgement, reply) {
        Own::Refused(refusal) => {
            return deny_tool_call(context, tool, DeniedBy::Gate, refusal, reply);
        }
        Own::Free => return,
        Own::No => {}
    }
    if let Some(refusal) = manifest::refuse(context, tool, judgement, reply) {
        return deny_tool_call(context, tool, DeniedBy::Phase, refusal, reply);
    }
    match judgement.level {
        Level::L0 => {}
        Level::L1 => mark(context, tool, judgement, None),
        Level::L2 if judged.allowed.is_some() => mark(context, tool, judgement, None),
        Level::L2 => review(context, tool, &judged, reply),
        Level::L3 => forbid(context, tool, judgement, reply),
    }
    let runs = !matches!(reply.decision(), Some(Decision::Deny(_)));
    if let Some(Err(error)) = runs.then(|| record::add(context, &judgement.writes)) {
        reply.message(format!("degraded: what this call writes cannot be noted: {error}"));
    }
}

/// Judges what the call would do.
pub fn judge(context: &HookContext<'_>, tool: &ToolUse) -> Judged {
    let search = context.environment.text("PATH").unwrap_or_default();
    let folders = context.places.answering();
    let disk = OnDisk::new(search, folders, LOOK_UPS_MAX, || session::of(context));
    let surroundings = Surroundings::new(context.call, context.places, context.config, &disk);
    let call = ToolCall { name: &tool.name, input: &tool.input };
    let judgement = gate::judge(&call, &surroundings.context(), context.config.policy);
    let seen = surroundings.context();
    let allowed = gate::allowed_by(&context.config.allow, &call, &seen, &judgement).cloned();
    Judged { judgement, cwd: surroundings.cwd.clone(), allowed }
}

/// L2: allowed if it was approved, else refused with instructions for a review.
fn review(context: &HookContext<'_>, tool: &ToolUse, judged: &Judged, reply: &mut ResponseBuilder) {
    let judgement = &judged.judgement;
    let asked = Asked::new(context, tool, judged);
    let approver = context.places.approver();
    let counting = Counting {
        by: context.config.approver,
        approver: &approver,
        project: &context.places.project,
    };
    match review::take_approval(context.store, &asked.digest, &counting) {
        Ok(Found::Used(by)) => {
            reply.message(format!("{} was approved by the {}", tool.name, review::word(by)));
            return mark(context, tool, judgement, Some(by));
        }
        Ok(Found::Refused(id)) => {
            let refusal = format!(
                "Court: the user refused this call ({id}), so it did not run. Do not make it again, and do \
                 not reach the same by another way: ask the user what to do instead."
            );
            return deny_tool_call(context, tool, DeniedBy::Gate, refusal, reply);
        }
        Ok(Found::Void(why)) => {
            let why = fence::sanitize_line(&why, 300);
            reply.message(format!("an approval of this call does not count: {why}"));
        }
        Ok(Found::None) => {}
        Err(error) => reply.message(format!("approvals cannot be read: {error}")),
    }
    if let Outcome::CouldNotJudge { reason } = &judgement.outcome {
        reply.message(format!("could not judge this call: {}", fence::sanitize_line(reason, 200)));
        context.degraded(Capability::Judging, reason);
    }
    let why = why(judgement);
    let way = match asked.can_be_shown() {
        false => review::too_long(),
        true => {
            let request = match review::request(context.store, asked, context.now_ms) {
                Ok(id) => Some(id),
                Err(error) => {
                    context.unrecorded(&error, reply);
                    None
                }
            };
            review::way(context, request.as_deref())
        }
    };
    match context.config.l2 {
        Verdict::Ask => reply.decide(Decision::Ask(format!("Court, level L2: {why}"))),
        Verdict::Deny => {
            let refusal = format!("Court: level L2, so it did not run. {why}\n{way}");
            deny_tool_call(context, tool, DeniedBy::Gate, refusal, reply);
        }
    }
}

/// L3: denied, and recorded as a risk.
fn forbid(
    context: &HookContext<'_>,
    tool: &ToolUse,
    judgement: &Judgement,
    reply: &mut ResponseBuilder,
) {
    let why = why(judgement);
    let refusal = format!(
        "Court: level L3, so it does not run. {why}\nNo review opens this. Find a way that does less, \
         or ask the user to do it themselves."
    );
    deny_tool_call(context, tool, DeniedBy::Gate, refusal, reply);
    let what = fence::sanitize_line(&review::shown(tool), 160);
    let risk = Change::RiskRaised {
        task_id: None,
        content: fence::sanitize_line(&format!("an L3 call was refused: {what}"), 300),
        origin: context.origin(tool),
    };
    context.record(&[risk], reply);
}

/// Denies a tool call before it runs, with a warning if denials were observed to be ineffective.
fn deny_tool_call(
    context: &HookContext<'_>,
    tool: &ToolUse,
    by: DeniedBy,
    reason: String,
    reply: &mut ResponseBuilder,
) {
    reply.decide(Decision::Deny(reason));
    observe::denied(context, tool, by, reply);
    let ledger = context.store.ledger().unwrap_or_default();
    let known = ledger.metadata.capabilities.get(&Capability::Denial);
    if known.is_some_and(|seen| seen.standing == Standing::Degraded) {
        let form = Capability::Denial.form();
        reply.message(format!("degraded (V10): denials were seen not to hold here: {form}"));
    }
}

/// The reason for its level: the most severe findings as text.
pub fn why(judgement: &Judgement) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Outcome::CouldNotJudge { reason } = &judgement.outcome {
        lines.push(format!("It could not be judged: {}.", fence::sanitize_line(reason, 200)));
    }
    let grave = judgement.findings.iter().filter(|found| found.level >= Level::L2);
    for finding in grave.take(3) {
        let what = fence::sanitize_line(&finding.what, 160);
        let line = format!("{} (rule {}: `{what}`)", finding.rule.why, finding.rule.id);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join(" ")
}

/// Marks an allowed call as not reviewed yet. If the folder cannot be written, that was reported
/// at the session's start.
fn mark(
    context: &HookContext<'_>,
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
        at_ms: context.now_ms,
        agent_id: context.call.agent.as_ref().map(|agent| agent.id.clone()),
        tool: tool.name.chars().take(100).collect(),
        tool_use_id: tool.id.clone(),
        level: judgement.level.to_string(),
        rules,
        path: path.map(str::to_owned),
        approved_by: approved_by.map(|by| review::word(by).to_owned()),
    };
    let _ = audit_log::add(context.store, &context.call.session_id, &mark);
}
