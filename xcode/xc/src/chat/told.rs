//! Shows the events of a session. Not here: questions, and the end of a turn.

use std::time::{Duration, Instant};

use contract::xc::{CallStatus, DecidedBy, PlanState, TestsRun, Verdict, What};

use super::state::{Running, State, When, Work};
use crate::figures::grouped;
use crate::phrases;
use crate::view::call::{self, Call};
use crate::words;

/// How much of an argument is shown, in characters.
const ARGUMENT_CHARS: usize = 400;

impl State {
    /// Applies an event of the session.
    pub(super) fn told(&mut self, what: What, now: Instant) {
        if !matches!(what, What::Retry { .. } | What::Usage { .. }) {
            self.retry = None;
        }
        match what {
            What::Prompt { text } => self.prompted(&text),
            What::Text { delta } => {
                self.has_answer = true;
                let lines = self.answer.push(&delta);
                self.print(lines);
            }
            What::Reasoning { .. } | What::Start { .. } | What::End(_) => {}
            What::Context { limits, .. } => limits.iter().for_each(|limit| self.note(limit)),
            What::Call { .. }
            | What::Permission { .. }
            | What::Output { .. }
            | What::Result { .. } => self.call_told(what, now),
            What::Usage { input, cached, output, cost_usd } => {
                let Some(session) = &mut self.session else { return };
                let usage = &mut session.usage;
                usage.input = usage.input.saturating_add(input);
                usage.cached = usage.cached.saturating_add(cached);
                usage.output = usage.output.saturating_add(output);
                session.cost_usd = session.cost_usd.zip(cost_usd).map(|(all, more)| all + more);
            }
            What::Retry { class, after_ms, attempt } => {
                let seconds = format!("{:.1}", Duration::from_millis(after_ms).as_secs_f64());
                let attempt = attempt.to_string();
                let values =
                    [("class", class.as_str()), ("attempt", &*attempt), ("seconds", &*seconds)];
                self.retry = Some(self.words.fill(&words::WAITING, &values));
            }
            What::Compacted { before, after } => {
                let (before, after) = (grouped(before), grouped(after));
                self.fill(&words::COMPACTED, &[("before", &before), ("after", &after)]);
            }
            What::Model { to, why, .. } => {
                if let Some(session) = &mut self.session {
                    session.model.clone_from(&to);
                }
                self.fill(&words::MODEL_IS, &[("model", &to)]);
                // A change that the user made needs no explanation.
                if self.work != Work::Idle {
                    self.note(&why);
                }
            }
            What::Plan { state } => self.planned(state),
            What::Note { text } => self.note(&text),
            What::Failure { class, message } => {
                self.finish_answer();
                self.failure = Some(class);
                self.fail(&message);
                let hint =
                    self.session.as_ref().and_then(|session| session.hints.line(self.words, class));
                if let Some(hint) = hint {
                    self.note(&hint);
                }
            }
            What::Evidence { changed, commands, tests } => {
                self.evidence(&changed, commands.len(), tests);
            }
        }
    }

    /// Applies an event of a call.
    fn call_told(&mut self, what: What, now: Instant) {
        match what {
            What::Call { id, tool, input } => {
                self.finish_answer();
                let argument = phrases::main_argument(&input);
                let argument = argument.chars().take(ARGUMENT_CHARS).collect();
                self.calls.push(Running::new(id, tool, argument));
            }
            What::Permission { id, verdict, level, rule, by } => {
                let reason = match by {
                    DecidedBy::Plan => self.words.say(&words::DENIED_PLAN).to_owned(),
                    DecidedBy::Manifest => self.words.say(&words::DENIED_MANIFEST).to_owned(),
                    _ => {
                        let rule = rule.map(|rule| format!(", {rule}")).unwrap_or_default();
                        let word = self.words.say(&words::CALL_DENIED);
                        format!("{word} ({}{rule})", level.as_str())
                    }
                };
                let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else { return };
                match verdict {
                    Verdict::Allow => call.started = Some(now),
                    Verdict::Deny => call.refusal = Some(reason),
                    Verdict::Ask => {}
                }
            }
            What::Output { id, text, .. } => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
                    call.output.push(&text);
                }
            }
            What::Result { id, status, .. } => self.call_ended(&id, status, now),
            // The others do not belong to a call.
            _ => {}
        }
    }

    /// Handles a prompt that the session reports: the one that was sent, or a message queued during the turn.
    fn prompted(&mut self, text: &str) {
        if std::mem::take(&mut self.is_prompt_shown) {
            return;
        }
        self.finish_answer();
        let soon = self.queue.iter().position(|queued| queued.when == When::Soon);
        let text = soon.map_or_else(|| text.to_owned(), |place| self.queue.remove(place).text);
        self.show_prompt(&text);
    }

    fn call_ended(&mut self, id: &str, status: CallStatus, now: Instant) {
        let Some(place) = self.calls.iter().position(|call| call.id == id) else { return };
        let Running { tool, argument, started, refusal, output, .. } = self.calls.remove(place);
        let elapsed =
            started.map_or(Duration::ZERO, |started| now.saturating_duration_since(started));
        let word = self.words.say(phrases::status(status)).to_owned();
        let state = match status {
            CallStatus::Ok => call::State::Done(elapsed),
            CallStatus::Denied => call::State::Denied(refusal.unwrap_or(word)),
            _ => call::State::Failed(word, elapsed),
        };
        self.print(vec![call::finished(&Call { tool, argument, state })]);
        self.print(output.lines(u16::MAX));
    }

    fn planned(&mut self, state: PlanState) {
        if let Some(session) = &mut self.session {
            session.is_planning = !matches!(state, PlanState::Approved | PlanState::Left);
        }
    }

    fn evidence(&mut self, changed: &[String], commands: usize, tests: TestsRun) {
        let Some(said) = phrases::evidence(self.words, changed, commands, tests) else { return };
        if let Some(session) = &mut self.session {
            for file in changed {
                if !session.changed.contains(file) {
                    session.changed.push(file.clone());
                }
            }
        }
        self.note(&said);
    }
}
