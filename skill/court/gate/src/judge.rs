//! The entries: one call, or one action, to one judgement. Total: they never fail.

use crate::action::{self, Action};
use crate::call::ToolCall;
use crate::commands::registry::is_told;
use crate::context::Context;
use crate::judgement::{Finding, Judgement, Outcome, Policy};
use crate::level::Level;
use crate::limits::Limit;
use crate::lookups::Lookups;
use crate::rules::{execution, tools as rules};
use crate::shell::{Flow, Walker};
use crate::syntax::{self, Fault};
use crate::tools;

/// Judges a tool call of Claude Code, or of a client whose tools have like names.
///
/// What is over a limit or not understood is [`Outcome::CouldNotJudge`] and at least L2.
#[must_use]
pub fn judge(call: &ToolCall<'_>, context: &Context<'_>, policy: Policy) -> Judgement {
    let (action, unreadable) = tools::action(call);
    let mut graded = judge_action(&action, context);
    if let Some(reason) = unreadable {
        could_not(&mut graded, reason.to_owned(), "");
    }
    match policy {
        Policy::Graded => graded,
        Policy::Strict => strict(call, graded),
    }
}

/// Judges an action by what it would do, as [`Policy::Graded`] does.
///
/// What is over a limit or not understood is [`Outcome::CouldNotJudge`] and at least L2.
#[must_use]
pub fn judge_action(action: &Action<'_>, context: &Context<'_>) -> Judgement {
    let lookups = Lookups::new(context.disk);
    let context = &Context { disk: &lookups, ..*context };
    let mut judgement = action::judge(action, context);
    let command = match action {
        Action::Shell { command } | Action::Other { command: Some(command), .. } => command,
        _ => "",
    };
    if matches!(action, Action::Shell { .. }) || !command.is_empty() {
        let beside = judgement;
        judgement = shell(command, context);
        judgement.level = judgement.level.max(beside.level);
        judgement.findings.extend(beside.findings);
        judgement.findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    }
    if let Some(limit) = lookups.fault() {
        could_not(&mut judgement, format!("the call is {limit}"), command);
    }
    judgement
}

fn shell(command: &str, context: &Context<'_>) -> Judgement {
    let mut walker = Walker::new(context, is_told);
    walker.span = 0..command.len();
    if command.contains(is_unseen) {
        walker.found(&execution::HIDDEN, "a character without a shape");
    }
    let ended = match syntax::parse(command, &mut walker.budget) {
        Ok(script) => walker
            .script(&script, &Flow::default())
            .and_then(|_| walker.uncalled())
            .and_then(|()| walker.later()),
        Err(Fault::Limit(limit)) => Err(limit),
        Err(Fault::Syntax { at, what }) => {
            walker.span = at.min(command.len())..command.len();
            walker.opaque = Some(format!("{what}, at byte {at}"));
            walker.found(&execution::OPAQUE, what);
            Ok(())
        }
    };
    let opaque = walker.opaque.take();
    let mut judgement = Judgement::new(walker.findings, walker.seen);
    judgement.files = walker.ledger.used;
    judgement.writes = walker.ledger.writes;
    match ended {
        Err(limit) => could_not(&mut judgement, format!("the command is {}", said(limit)), command),
        Ok(()) => {
            if let Some(reason) = opaque {
                could_not(&mut judgement, reason, command);
            }
        }
    }
    judgement
}

/// Characters without a shape, and those that turn the direction of a text. Joined emoji are seen.
fn is_unseen(each: char) -> bool {
    matches!(each, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn said(limit: Limit) -> String {
    limit.to_string()
}

fn could_not(judgement: &mut Judgement, reason: String, command: &str) {
    judgement.outcome = Outcome::CouldNotJudge { reason: reason.clone() };
    if judgement.level < Level::L2 {
        let finding = Finding {
            rule: &execution::OPAQUE,
            level: Level::L2,
            what: reason,
            span: 0..command.len(),
        };
        judgement.findings.insert(0, finding);
        judgement.level = Level::L2;
    }
}

/// The literal table: reading is L0, writing and delegating L1, everything that is shell, network or
/// MCP or has a sensitive word L2.
fn strict(call: &ToolCall<'_>, mut judgement: Judgement) -> Judgement {
    let named = tools::strict_level(call.name);
    let sensitive = tools::is_sensitive(call.input);
    let mut add = |rule: &'static crate::rules::Rule| {
        let what = call.name.to_owned();
        judgement.findings.push(Finding { rule, level: rule.level, what, span: 0..0 });
    };
    if named >= Level::L2 {
        add(&rules::STRICT);
    }
    if sensitive {
        add(&rules::SENSITIVE);
    }
    let outcome = judgement.outcome.clone();
    let mut strict = Judgement::new(judgement.findings, judgement.commands);
    strict.level = strict.level.max(named);
    strict.outcome = outcome;
    (strict.files, strict.writes) = (judgement.files, judgement.writes);
    strict
}
