//! The progress of a run on standard error, one line for each important event. Not here: the answer.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use contract::xc::{
    CallLevel, CallStatus, DecidedBy, End, EndReason, PermitMode, TokenUsage, Verdict, What,
};
use serde_json::Value;

use crate::figures::{duration, grouped};
use crate::phrases;
use crate::words::{self, Language, Text};

/// The longest argument of a call that is shown, in characters.
const ARGUMENT_CHARS: usize = 100;

/// The state kept between events.
#[derive(Debug)]
pub(super) struct Progress {
    language: Language,
    /// The running and waiting calls, by id.
    calls: HashMap<String, Shown>,
    /// The model's text before its next call, which may turn out to be the answer.
    words: String,
}

#[derive(Debug)]
struct Shown {
    /// Tool and main argument.
    text: String,
    started: Instant,
    /// Why it was denied, if it was.
    denied: Option<String>,
}

impl Progress {
    /// The state at the beginning of a run.
    pub(super) fn new(language: Language) -> Self {
        Self { language, calls: HashMap::new(), words: String::new() }
    }

    /// The line for an event, if it gets one.
    pub(super) fn line(&mut self, what: &What) -> Option<String> {
        match what {
            What::Start { model, cwd, mode, .. } => {
                self.words.clear();
                let mode = self.language.say(mode_words(*mode));
                let values = [("model", &**model), ("cwd", cwd), ("mode", mode)];
                Some(format!("xc: {}", self.language.fill(&words::RUN_START, &values)))
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
                let reason = denial(self.language, *level, rule.as_deref(), *by);
                self.calls.get_mut(id)?.denied = Some(reason);
                None
            }
            What::Result { id, status, .. } => {
                let call = self.calls.remove(id)?;
                Some(format!("  {}: {}", call.text, ended(self.language, &call, *status)))
            }
            What::Retry { class, after_ms, attempt } => {
                let seconds = format!("{:.1}", Duration::from_millis(*after_ms).as_secs_f64());
                let attempt = attempt.to_string();
                let values =
                    [("class", class.as_str()), ("attempt", &attempt), ("seconds", &seconds)];
                self.indented(&words::WAITING, &values)
            }
            What::Compacted { before, after } => {
                let [before, after] = [before, after].map(ToString::to_string);
                self.indented(&words::COMPACTED, &[("before", &before), ("after", &after)])
            }
            What::Model { from, to, why } => {
                self.indented(&words::RUN_GOES_ON, &[("to", to), ("from", from), ("why", why)])
            }
            What::Plan { state } => {
                self.indented(&words::RUN_PLAN_STATE, &[("state", state.as_str())])
            }
            What::Note { text } => self.indented(&words::RUN_NOTE, &[("text", text)]),
            What::Failure { class, message } => {
                let values = [("class", class.as_str()), ("message", &**message)];
                Some(format!("xc: {}", self.language.fill(&words::RUN_FAILED, &values)))
            }
            What::Context { .. }
            | What::Prompt { .. }
            | What::Reasoning { .. }
            | What::Output { .. }
            | What::Usage { .. }
            | What::End(_) => None,
            What::Evidence { changed, commands, tests } => {
                phrases::evidence(self.language, changed, commands.len(), *tests)
            }
        }
    }

    /// A line below the run's first one.
    fn indented(&self, text: &Text, values: &[(&str, &str)]) -> Option<String> {
        Some(format!("  {}", self.language.fill(text, values)))
    }

    /// The last lines: why there is no answer, tokens and cost.
    pub(super) fn end(&self, end: &End) -> Vec<String> {
        let why = match end.reason {
            EndReason::Answered | EndReason::Failed => None,
            EndReason::TurnLimit => Some(&words::RUN_TURN_LIMIT),
            EndReason::CostLimit => Some(&words::RUN_COST_LIMIT),
            EndReason::Interrupted => Some(&words::INTERRUPTED),
        };
        let mut lines: Vec<String> =
            why.map(|why| format!("xc: {}", self.language.say(why))).into_iter().collect();
        lines.push(usage_words(self.language, end.usage, end.cost_usd));
        if end.reason != EndReason::Answered && !end.answer.is_empty() {
            let partial = self.language.say(&words::RUN_PARTIAL);
            lines.push(format!("xc: {partial}\n{}", end.answer));
        }
        lines
    }
}

/// Tokens and cost of a session so far.
fn usage_words(language: Language, usage: TokenUsage, cost_usd: Option<f64>) -> String {
    let TokenUsage { input, cached, output } = usage;
    let total = input.saturating_add(output);
    let cost = match cost_usd {
        Some(cost) => language.fill(&words::RUN_COST, &[("cost", &format!("${cost:.4}"))]),
        None => language.say(&words::RUN_COST_UNKNOWN).to_owned(),
    };
    let [input, cached, output, total] = [input, cached, output, total].map(grouped);
    let values = [
        ("prompt", &*input),
        ("cached", &*cached),
        ("completion", &*output),
        ("total", &*total),
        ("cost", &*cost),
    ];
    language.fill(&words::RUN_USAGE, &values)
}

const fn mode_words(mode: PermitMode) -> &'static Text {
    match mode {
        PermitMode::Ask => &words::RUN_ASK,
        PermitMode::Trust => &words::RUN_TRUST,
        PermitMode::Plan => &words::RUN_PLAN,
    }
}

fn call_text(tool: &str, input: &Value) -> String {
    let argument = phrases::main_argument(input);
    if argument.is_empty() {
        return tool.to_owned();
    }
    let line = argument.split('\n').next().unwrap_or_default();
    let mut shown: String = line.chars().take(ARGUMENT_CHARS).collect();
    if shown.len() < argument.len() {
        shown.push_str(" ...");
    }
    format!("{tool} {shown}")
}

/// Why a call was denied, and what would allow it.
fn denial(language: Language, level: CallLevel, rule: Option<&str>, by: DecidedBy) -> String {
    let rule = rule.map(|rule| format!(", {rule}")).unwrap_or_default();
    let way = language.say(match (level, by) {
        (CallLevel::L0 | CallLevel::L1, DecidedBy::Headless) => &words::RUN_WAY_RULE,
        (_, DecidedBy::Headless) => &words::RUN_WAY_PERSON,
        (_, DecidedBy::Plan) => &words::DENIED_PLAN,
        (_, DecidedBy::Manifest) => &words::DENIED_MANIFEST,
        _ => &words::RUN_WAY_NONE,
    });
    let why = format!("{}{rule}", level.as_str());
    language.fill(&words::RUN_DENIED, &[("why", &why), ("way", way)])
}

fn ended(language: Language, call: &Shown, status: CallStatus) -> String {
    match (status, &call.denied) {
        (CallStatus::Denied, Some(reason)) => reason.clone(),
        _ => {
            let word = language.say(phrases::status(status));
            format!("{word}, {}", duration(call.started.elapsed()))
        }
    }
}

#[cfg(test)]
mod tests;
