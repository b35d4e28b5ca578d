//! Handles what the user sends: a prompt, a slash command, or a shell command; at once, or queued.

use std::time::Instant;

use contract::xc::PermitMode;
use redact::Cut;

use super::dialog::Dialog;
use super::ending::leave;
use super::event::Effect;
use super::slash::{self, Consent, Part, Slash};
use super::state::{Queued, Running, Since, State, When, Work};
use crate::exit::Exit;
use crate::figures::grouped;
use crate::view::select::{Item, Select};
use crate::words;

/// The id of the user's own shell command; no model uses this id for a call.
pub(crate) const OWN_COMMAND: &str = "!";

/// Handles a sent input.
pub(super) fn submit(state: &mut State, text: String, when: When, now: Instant) -> Vec<Effect> {
    let text = text.trim().to_owned();
    if text.is_empty() {
        return Vec::new();
    }
    let mut effects = vec![Effect::Remember(text.clone())];
    if text.starts_with('/') && !text.starts_with("//") {
        effects.extend(command(state, &text, now));
        return effects;
    }
    if let Some(command) = text.strip_prefix('!').map(str::trim).filter(|text| !text.is_empty()) {
        effects.extend(run(state, &text, command, now));
        return effects;
    }
    let has_secret = match &state.session {
        Some(session) => !session.redactor.sanitize(&text, Cut::NONE).counts.is_empty(),
        None => false,
    };
    if has_secret {
        secret(state, text);
        // It is added to the history when it is sent.
        return Vec::new();
    }
    effects.extend(send_or_queue(state, text, when, now));
    effects
}

/// Sends a prompt that contains a secret; the secret is masked everywhere.
pub(super) fn send_masked(state: &mut State, text: String, now: Instant) -> Vec<Effect> {
    let mut effects = vec![Effect::Remember(text.clone())];
    effects.extend(send_or_queue(state, text, When::Next, now));
    effects
}

fn send_or_queue(state: &mut State, text: String, when: When, now: Instant) -> Vec<Effect> {
    if state.work == Work::Idle {
        return turn(state, text, now);
    }
    let number = state.next_number;
    state.next_number += 1;
    // Only a turn has a next model call.
    let when = if matches!(state.work, Work::Turn(_)) { when } else { When::Next };
    state.queue.push(Queued { number, text: text.clone(), when });
    match when {
        When::Soon => vec![Effect::Steer(number, text)],
        When::Next => Vec::new(),
    }
}

/// Sends the oldest queued message.
pub(super) fn send_next(state: &mut State, now: Instant) -> Vec<Effect> {
    if state.work != Work::Idle || state.queue.is_empty() {
        return Vec::new();
    }
    let queued = state.queue.remove(0);
    turn(state, queued.text, now)
}

/// Moves the newest queued message back into the input.
pub(super) fn take_back(state: &mut State) -> Vec<Effect> {
    let Some(queued) = state.queue.pop() else { return Vec::new() };
    state.editor.set_text(&queued.text);
    match queued.when {
        When::Soon => vec![Effect::TakeBack(queued.number)],
        When::Next => Vec::new(),
    }
}

fn turn(state: &mut State, text: String, now: Instant) -> Vec<Effect> {
    state.show_prompt(&text);
    state.is_prompt_shown = true;
    state.was_asked = true;
    state.failure = None;
    state.work = Work::Turn(Since::now(now));
    let text = match state.joined.take() {
        Some(output) => format!("{text}\n\n<command-output>\n{output}\n</command-output>"),
        None => text,
    };
    vec![Effect::Turn(text)]
}

fn secret(state: &mut State, text: String) {
    let item = |text| Item { label: state.words.say(text).to_owned(), description: String::new() };
    let items = vec![item(&words::SECRET_SEND), item(&words::SECRET_BACK)];
    let question = state.words.say(&words::SECRET_FOUND);
    let select = Select::new(question, items, None, state.words.say(&words::SELECT_FOOTER));
    state.dialogs.push_back(Dialog::Secret(select, text));
}

fn run(state: &mut State, line: &str, command: &str, now: Instant) -> Vec<Effect> {
    if state.work != Work::Idle {
        state.fill(&words::NOT_WHILE_WORKING, &[("command", line)]);
        return Vec::new();
    }
    state.show_prompt(line);
    let mut running = Running::new(OWN_COMMAND.to_owned(), "!".to_owned(), command.to_owned());
    running.started = Some(now);
    state.calls.push(running);
    state.work = Work::Command(Since::now(now));
    vec![Effect::Run(command.to_owned())]
}

fn command(state: &mut State, line: &str, now: Instant) -> Vec<Effect> {
    let slash = match slash::parse(line, state.words) {
        Ok(slash) => slash,
        Err(told) => {
            state.fail(&told);
            return Vec::new();
        }
    };
    let needs_rest = matches!(
        slash,
        Slash::Model(_)
            | Slash::Compact(_)
            | Slash::Undo(_)
            | Slash::Clear
            | Slash::SaveSession
            | Slash::Sessions
            | Slash::Trust(Consent::Yes)
            | Slash::Context
    );
    if needs_rest && state.work != Work::Idle {
        state.fill(&words::NOT_WHILE_WORKING, &[("command", line)]);
        return Vec::new();
    }
    match slash {
        Slash::Help => {
            let text = slash::help(state.words).join("\n");
            state.note(&text);
            Vec::new()
        }
        Slash::Model(name) => vec![name.map_or(Effect::ListModels, Effect::SetModel)],
        Slash::Plan => toggle_plan(state),
        Slash::Compact(keep) => {
            state.work = Work::Compacting(Since::now(now));
            vec![Effect::Compact(keep)]
        }
        Slash::Usage => {
            usage(state);
            Vec::new()
        }
        Slash::Clear => {
            state.work = Work::Opening;
            vec![Effect::Clear]
        }
        Slash::SaveSession => {
            state.work = Work::Summary(Since::now(now));
            vec![Effect::Summarise]
        }
        Slash::Sessions => vec![Effect::ListSessions],
        Slash::Context => vec![Effect::Measure],
        Slash::Diff => {
            let changed = state.session.as_ref().map(|session| session.changed.join("\n"));
            match changed.filter(|changed| !changed.is_empty()) {
                Some(changed) => state.note(&changed),
                None => state.say(&words::NOTHING_CHANGED),
            }
            Vec::new()
        }
        Slash::Undo(undo) => vec![Effect::Undo(undo)],
        Slash::Copy(part) => copy(state, part),
        Slash::Permissions => {
            permissions(state);
            vec![Effect::ListRules]
        }
        Slash::Init => vec![Effect::Init],
        Slash::Memory(wanted) => vec![Effect::Memory(wanted)],
        Slash::Trust(consent) => {
            if consent == Consent::Yes && !state.was_asked {
                state.work = Work::Opening;
            }
            vec![Effect::Trust(consent)]
        }
        Slash::Tasks(wish) => vec![Effect::Tasks(wish)],
        Slash::Steer(text) => send_or_queue(state, text, When::Soon, now),
        Slash::Exit => leave(state, Exit::Answered, now),
    }
}

/// Enters or leaves plan mode, between two turns.
pub(super) fn toggle_plan(state: &mut State) -> Vec<Effect> {
    if state.work == Work::Idle {
        return vec![Effect::TogglePlan];
    }
    state.fill(&words::NOT_WHILE_WORKING, &[("command", "/plan")]);
    Vec::new()
}

/// Copies the last answer, or its last block of code.
fn copy(state: &mut State, part: Part) -> Vec<Effect> {
    let answer = &state.last_answer;
    let text = match part {
        Part::Whole => Some(answer.clone()),
        // Every second part of the text split at fences is code.
        Part::Code => {
            let pieces: Vec<&str> = answer.split("```").collect();
            let mut blocks = pieces.iter().skip(1).step_by(2);
            let last = blocks.next_back().and_then(|block| block.split_once('\n'));
            last.map(|(_, code)| code.to_owned())
        }
    };
    match text.filter(|text| !text.is_empty()) {
        Some(text) => {
            let count = text.chars().count().to_string();
            state.fill(&words::COPIED, &[("count", &count)]);
            vec![Effect::Copy(text)]
        }
        None => {
            state.say(&words::NOTHING_TO_COPY);
            Vec::new()
        }
    }
}

/// XC-65.
fn usage(state: &mut State) {
    let Some(session) = &state.session else { return };
    let (usage, words) = (session.usage, state.words);
    let total = grouped(usage.input.saturating_add(usage.output));
    let (prompt, completion) = (grouped(usage.input), grouped(usage.output));
    let values = [("prompt", &*prompt), ("completion", &*completion), ("total", &*total)];
    let mut lines = vec![words.fill(&words::USAGE_SESSION, &values)];
    let cost = session.cost_usd.map_or("n/a".to_owned(), |cost| format!("${cost:.2}"));
    lines.push(words.fill(&words::USAGE_COST, &[("cost", &cost), ("model", &session.model)]));
    if let Some(share) = (usage.cached * 100).checked_div(usage.input) {
        let (cached, share) = (grouped(usage.cached), share.to_string());
        lines.push(words.fill(&words::USAGE_CACHED, &[("cached", &cached), ("share", &share)]));
    }
    state.note(&lines.join("\n"));
}

fn permissions(state: &mut State) {
    let Some(session) = &state.session else { return };
    let mode = state.words.say(match session.mode {
        _ if session.is_planning => &words::PLANNING,
        PermitMode::Trust => &words::MODE_TRUST,
        PermitMode::Ask | PermitMode::Plan => &words::MODE_ASK,
    });
    state.fill(&words::RULES_MODE, &[("mode", mode)]);
}
