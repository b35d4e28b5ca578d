//! What a run says on standard error while it works: a line for what is worth one. The answer is not here.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use contract::xc::{
    CallLevel, CallStatus, DecidedBy, End, EndReason, PermitMode, TestsRun, TokenUsage, Verdict,
    What,
};
use serde_json::Value;

use crate::figures::{duration, grouped};

/// The longest argument that is shown of a call, in characters.
const ARGUMENT_CHARS: usize = 100;

/// The arguments of which the first one that a call has is shown.
const MAIN_ARGUMENTS: [&str; 6] = ["command", "filePath", "pattern", "path", "question", "query"];

/// What is remembered between events.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The calls that have not ended, by their ids.
    calls: HashMap<String, Shown>,
    /// What the model says before its next call: not known to be the answer yet.
    words: String,
}

#[derive(Debug)]
struct Shown {
    /// Tool and main argument.
    text: String,
    started: Instant,
    /// Why it does not run, where it does not.
    denied: Option<String>,
}

impl Progress {
    /// The line for an event, where it has one.
    pub(super) fn line(&mut self, what: &What) -> Option<String> {
        match what {
            What::Start { model, cwd, mode, .. } => {
                self.words.clear();
                Some(format!("xc: {model} in {cwd}; {}", mode_words(*mode)))
            }
            What::Text { delta } => {
                self.words.push_str(delta);
                None
            }
            What::Call { id, tool, input } => {
                let text = call_text(tool, input);
                let shown = Shown { text, started: Instant::now(), denied: None };
                self.calls.insert(id.clone(), shown);
                let words = std::mem::take(&mut self.words);
                let words = words.trim();
                (!words.is_empty()).then(|| format!("  {}", words.replace('\n', "\n  ")))
            }
            What::Permission { id, verdict: Verdict::Allow, .. } => {
                if let Some(call) = self.calls.get_mut(id) {
                    call.started = Instant::now();
                }
                None
            }
            What::Permission { id, verdict: Verdict::Deny | Verdict::Ask, level, rule, by } => {
                let reason = denial(*level, rule.as_deref(), *by);
                self.calls.get_mut(id)?.denied = Some(reason);
                None
            }
            What::Result { id, status, .. } => {
                let call = self.calls.remove(id)?;
                Some(format!("  {}: {}", call.text, ended(&call, *status)))
            }
            What::Retry { class, after_ms, attempt } => {
                let seconds = Duration::from_millis(*after_ms).as_secs_f64();
                Some(format!("  {}: attempt {attempt} in {seconds:.1} s", class.as_str()))
            }
            What::Compacted { before, after } => {
                Some(format!("  compacted: {before} tokens are now {after}"))
            }
            What::Model { from, to, why } => Some(format!("  {to} goes on for {from}: {why}")),
            What::Plan { state } => Some(format!("  plan mode: {}", state.as_str())),
            What::Note { text } => Some(format!("  note: {text}")),
            What::Failure { class, message } => {
                Some(format!("xc: failed ({}): {message}", class.as_str()))
            }
            What::Context { .. }
            | What::Prompt { .. }
            | What::Reasoning { .. }
            | What::Output { .. }
            | What::Usage { .. }
            | What::End(_) => None,
            What::Evidence { changed, commands, tests } => {
                if changed.is_empty() && commands.is_empty() {
                    return None;
                }
                let files = if changed.is_empty() { "none".into() } else { changed.join(", ") };
                let count = commands.len();
                Some(format!("changed: {files}; commands: {count}; {}", tests_words(*tests)))
            }
        }
    }

    /// The last lines: why it ended without an answer, what that took.
    pub(super) fn end(&self, end: &End) -> Vec<String> {
        let mut lines = Vec::new();
        match end.reason {
            EndReason::Answered | EndReason::Failed => {}
            EndReason::TurnLimit => {
                lines.push("xc: stopped at --max-turns; what was done stays".to_owned());
            }
            EndReason::CostLimit => {
                lines.push("xc: stopped at --max-cost; what was done stays".to_owned());
            }
            EndReason::Interrupted => {
                lines.push("xc: interrupted; what was done stays".to_owned());
            }
        }
        lines.push(usage_words(end.usage, end.cost_usd));
        lines
    }
}

/// Tokens and cost of a session so far.
fn usage_words(usage: TokenUsage, cost_usd: Option<f64>) -> String {
    let TokenUsage { input, cached, output } = usage;
    let total = input.saturating_add(output);
    let cost = cost_usd.map_or("cost n/a".to_owned(), |cost| format!("about ${cost:.4}"));
    let [input, cached, output, total] = [input, cached, output, total].map(grouped);
    format!("{input} prompt ({cached} cached) + {output} completion = {total} tokens, {cost}")
}

fn mode_words(mode: PermitMode) -> &'static str {
    match mode {
        PermitMode::Ask => "changes are not run (-t runs ordinary ones)",
        PermitMode::Trust => "ordinary changes run, dangerous ones do not",
        PermitMode::Plan => "nothing is changed",
    }
}

fn tests_words(tests: TestsRun) -> &'static str {
    match tests {
        TestsRun::Passed => "tests passed",
        TestsRun::Failed => "tests failed",
        TestsRun::NotRun => "no tests run",
        TestsRun::Unclear => "tests ran, and how they ended is not clear",
    }
}

fn call_text(tool: &str, input: &Value) -> String {
    let argument = MAIN_ARGUMENTS.iter().find_map(|name| input.get(name)?.as_str());
    let Some(argument) = argument else { return tool.to_owned() };
    let line = argument.split('\n').next().unwrap_or_default();
    let mut shown: String = line.chars().take(ARGUMENT_CHARS).collect();
    if shown.len() < argument.len() {
        shown.push_str(" ...");
    }
    format!("{tool} {shown}")
}

/// Why a call does not run, and what would let it.
fn denial(level: CallLevel, rule: Option<&str>, by: DecidedBy) -> String {
    let rule = rule.map(|rule| format!(", {rule}")).unwrap_or_default();
    let way = match (level, by) {
        (CallLevel::L0 | CallLevel::L1, DecidedBy::Headless) => {
            "-t lets ordinary changes run; permissions.allow of ~/.xcode/config.json lets single ones"
        }
        (_, DecidedBy::Headless) => "it needs a person's yes, and with -p there is none",
        (_, DecidedBy::Plan) => "plan mode is active",
        _ => "nothing lets it run",
    };
    format!("denied ({}{rule}); {way}", level.as_str())
}

fn ended(call: &Shown, status: CallStatus) -> String {
    match (status, &call.denied) {
        (CallStatus::Denied, Some(reason)) => reason.clone(),
        _ => format!("{}, {}", status.as_str(), duration(call.started.elapsed())),
    }
}

#[cfg(test)]
mod tests;
