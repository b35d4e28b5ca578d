//! Applies an event to the state, and returns the effects: without terminal, session or clock. Not here: how the state
//! looks (`paint`), and carrying out the effects (`driver`).

use std::time::{Duration, Instant};

use contract::xc::{End, EndReason, FailureClass};
use llm::Provider;

use super::answering::answer;
use super::dialog::{About, Answered, Confirm, Consent, Dialog};
use super::ending::{interrupt, last_words, leave};
use super::event::{Effect, Event, Loading, Opened};
use super::state::{Since, State, When, Work};
use super::{asking, slash, submit};
use crate::exit::Exit;
use crate::terminal::{Code, Input, Key};
use crate::view::editor::{Kind, Outcome};
use crate::words;

/// A second Ctrl+C within this time ends the program (D-11).
const AGAIN: Duration = Duration::from_secs(2);

/// A dialog that opens while the user types takes no key until nothing was typed for this long, so that no letter of a word
/// answers it.
const TYPING: Duration = Duration::from_millis(700);

/// How long an interrupted turn may take to end before the program exits without it: tools have a second.
const LEAVE_AFTER: Duration = Duration::from_secs(3);

/// Applies an event.
pub(crate) fn update(state: &mut State, event: Event, now: Instant) -> Vec<Effect> {
    state.attention.hear(&event);
    let is_over = matches!(event, Event::Ended(_) | Event::CommandEnded(..));
    let mut effects = take(state, event, now);
    let (questions, is_idle) = (state.dialogs.len(), state.work == Work::Idle);
    if state.attention.follow(questions, is_idle, is_over, now) {
        effects.push(Effect::Call);
    }
    effects
}

fn take(state: &mut State, event: Event, now: Instant) -> Vec<Effect> {
    match event {
        Event::Input(input) => typed(state, input, now),
        Event::Told(what) => {
            state.told(what, now);
            Vec::new()
        }
        Event::Ended(end) => ended(state, *end, now),
        Event::Compacted(is_done) => {
            if !is_done {
                state.say(&words::NOTHING_TO_COMPACT);
            }
            idle(state, now)
        }
        Event::Summarised(by_model) => summarised(state, by_model, now),
        Event::Opened(opened) => opened_now(state, *opened, now),
        Event::Failed(lines) => {
            lines.iter().for_each(|line| state.fail(line));
            idle(state, now)
        }
        Event::CommandEnded(code, output) => command_ended(state, code, output, now),
        Event::Signal(exit) => vec![Effect::Quit(exit)],
        Event::Tick => match state.work {
            Work::Leaving(since, exit)
                if now.saturating_duration_since(since.at) > limit(since) =>
            {
                vec![Effect::Quit(exit)]
            }
            _ => Vec::new(),
        },
        event => {
            asking::ask(state, event);
            Vec::new()
        }
    }
}

/// How long the program may take to end: an interrupted turn, then five seconds for the summary.
fn limit(since: Since) -> Duration {
    if since.is_interrupted { LEAVE_AFTER } else { LEAVE_AFTER * 3 }
}

fn typed(state: &mut State, input: Input, now: Instant) -> Vec<Effect> {
    let key = match &input {
        Input::Resize => return Vec::new(),
        // The terminal is gone, so the current operation ends with it.
        Input::Closed => return vec![Effect::Quit(Exit::Terminated)],
        Input::Key(key) => Some(*key),
        Input::Paste(_) | Input::Line(_) => None,
    };
    if let Some(key) = key {
        if key == Key::ctrl('c') {
            return ctrl_c(state, now);
        }
        if key.code == Code::Esc && has_use_for_esc(state) {
            return escape(state, now);
        }
    }
    let is_typing = state.typed_at.is_some_and(|at| now.saturating_duration_since(at) < TYPING);
    let is_for = |dialog: &Dialog| match &input {
        Input::Line(_) => true,
        Input::Paste(_) => dialog.takes_text(),
        Input::Key(_) | Input::Resize | Input::Closed => !is_typing,
    };
    if let Some(dialog) = state.dialogs.front_mut().filter(|dialog| is_for(dialog)) {
        let Some(answered) = dialog.input(&input) else { return Vec::new() };
        let dialog = state.dialogs.pop_front();
        return answer(state, dialog, answered, now);
    }
    state.typed_at = Some(now);
    match input {
        Input::Key(key) => edit(state, key, now),
        Input::Paste(text) => {
            state.editor.paste(&text);
            complete(state)
        }
        Input::Line(line) if line.trim().is_empty() => Vec::new(),
        Input::Line(line) => submit::submit(state, line, When::Next, now),
        Input::Resize | Input::Closed => Vec::new(),
    }
}

/// Whether Esc interrupts the current operation or closes a dialog of the program; otherwise the input gets it.
fn has_use_for_esc(state: &State) -> bool {
    state.is_working() || !state.dialogs.is_empty()
}

fn edit(state: &mut State, key: Key, now: Instant) -> Vec<Effect> {
    if key.code == Code::Up && state.editor.is_empty() && !state.queue.is_empty() {
        return submit::take_back(state);
    }
    match state.editor.key(key) {
        Outcome::Edited => complete(state),
        Outcome::Send(text) => {
            state.typed_at = None;
            submit::submit(state, text, When::Next, now)
        }
        Outcome::Steer(text) => {
            state.typed_at = None;
            submit::submit(state, text, When::Soon, now)
        }
        Outcome::Ignored if key.code == Code::Tab && key.shift => submit::toggle_plan(state),
        Outcome::Ignored if key == Key::ctrl('z') => vec![Effect::TakeFactBack],
        Outcome::Ignored if key == Key::ctrl('d') => leave(state, Exit::Answered, now),
        Outcome::Ignored => Vec::new(),
    }
}

fn complete(state: &mut State) -> Vec<Effect> {
    match state.editor.completing() {
        Some((Kind::Command, typed)) => {
            state.editor.offer(slash::candidates(&typed));
            Vec::new()
        }
        Some((Kind::Reference, typed)) => vec![Effect::FindPaths(typed)],
        None => Vec::new(),
    }
}

/// D-11.
fn ctrl_c(state: &mut State, now: Instant) -> Vec<Effect> {
    let is_again =
        state.interrupted_at.is_some_and(|at| now.saturating_duration_since(at) <= AGAIN);
    match state.work {
        Work::Leaving(_, exit) => vec![Effect::Interrupt, Effect::Quit(exit)],
        Work::Opening => vec![Effect::Quit(Exit::Interrupted)],
        _ if is_again => leave(state, Exit::Answered, now),
        _ if state.is_working() => {
            state.interrupted_at = Some(now);
            interrupt(state)
        }
        _ if !state.dialogs.is_empty() => close_dialog(state, now),
        _ if !state.editor.is_empty() => {
            state.editor.clear();
            Vec::new()
        }
        _ => leave(state, Exit::Answered, now),
    }
}

fn escape(state: &mut State, now: Instant) -> Vec<Effect> {
    if state.is_working() { interrupt(state) } else { close_dialog(state, now) }
}

/// Closes a dialog of the program without an answer.
fn close_dialog(state: &mut State, now: Instant) -> Vec<Effect> {
    match state.dialogs.pop_front() {
        Some(Dialog::Secret(_, text)) => {
            state.editor.set_text(&text);
            Vec::new()
        }
        Some(Dialog::Foreign(_)) => vec![Effect::Begin(Loading::NotNow)],
        Some(Dialog::Confirm(confirm)) => {
            answer(state, None, Answered::Confirmed(confirm.about, Consent::No), now)
        }
        _ => Vec::new(),
    }
}

fn summarised(state: &mut State, by_model: bool, now: Instant) -> Vec<Effect> {
    match state.work {
        Work::Leaving(_, exit) => vec![Effect::Quit(exit)],
        _ => {
            state.is_summary_due = false;
            let text = if by_model { &words::SUMMARY_SAVED } else { &words::SUMMARY_SAVED_PLAIN };
            state.say(text);
            idle(state, now)
        }
    }
}

fn ended(state: &mut State, end: End, now: Instant) -> Vec<Effect> {
    state.finish_answer();
    state.calls.clear();
    state.retry = None;
    state.is_prompt_shown = false;
    state.dialogs.retain(|dialog| !dialog.is_of_turn());
    if !end.answer.is_empty() {
        state.last_answer = end.answer;
        state.is_summary_due = true;
    }
    if end.reason == EndReason::Interrupted && !matches!(state.work, Work::Leaving(..)) {
        state.say(&words::INTERRUPTED);
    }
    // Messages for the next model call that no longer fit into the turn start the next one.
    let late: Vec<Effect> = state
        .queue
        .iter_mut()
        .filter(|queued| queued.when == When::Soon)
        .map(|queued| {
            queued.when = When::Next;
            Effect::TakeBack(queued.number)
        })
        .collect();
    let mut effects = late;
    if let Work::Leaving(since, exit) = &mut state.work {
        let exit = *exit;
        *since = Since::now(now);
        effects.extend(last_words(state, exit));
        return effects;
    }
    state.work = Work::Idle;
    if end.reason == EndReason::Failed {
        effects.extend(failed(state, end.exit));
        return effects;
    }
    effects.extend(submit::send_next(state, now));
    effects
}

/// When the provider's key was refused, opens the dialog for a new one (XC-67). Queued messages wait.
fn failed(state: &mut State, exit: u8) -> Vec<Effect> {
    let Some(session) = &state.session else { return Vec::new() };
    let provider = session.model.split(':').next().unwrap_or_default();
    let provider = Provider::ALL.into_iter().find(|known| known.word() == provider);
    if exit != Exit::NoModel as u8 || state.failure != Some(FailureClass::Auth) {
        return Vec::new();
    }
    let Some(provider) = provider else { return Vec::new() };
    let question = state.words.fill(&words::NEW_KEY, &[("provider", provider.word())]);
    state.dialogs.push_back(Dialog::key(provider, question));
    Vec::new()
}

/// Ends the current operation, and sends the next queued message.
pub(super) fn idle(state: &mut State, now: Instant) -> Vec<Effect> {
    match state.work {
        Work::Leaving(_, exit) => last_words(state, exit),
        _ => {
            state.work = Work::Idle;
            submit::send_next(state, now)
        }
    }
}

fn opened_now(state: &mut State, opened: Opened, now: Instant) -> Vec<Effect> {
    state.open(opened);
    match state.first_prompt.take() {
        Some(prompt) => submit::submit(state, prompt, When::Next, now),
        None => submit::send_next(state, now),
    }
}

fn command_ended(
    state: &mut State,
    code: Option<i32>,
    output: String,
    now: Instant,
) -> Vec<Effect> {
    state.calls.clear();
    let told = match code {
        Some(code) => state.words.fill(&words::COMMAND_ENDED, &[("code", &code.to_string())]),
        None => state.words.say(&words::COMMAND_NOT_ENDED).to_owned(),
    };
    // The first line is the exit code, in the form that a model gets it.
    let printed = match code {
        Some(_) => output.split_once('\n').map_or("", |(_, printed)| printed).trim_end(),
        None => output.trim_end(),
    };
    if !printed.is_empty() {
        state.note(printed);
    }
    state.note(&told);
    let is_joinable = !printed.is_empty() && !matches!(state.work, Work::Leaving(..));
    if is_joinable {
        state.dialogs.push_back(Dialog::Confirm(Confirm {
            question: state.words.say(&words::JOIN_OUTPUT).to_owned(),
            about: About::Join(output),
            is_yes_usual: false,
        }));
    }
    idle(state, now)
}
