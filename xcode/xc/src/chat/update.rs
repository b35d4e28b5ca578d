//! What an event makes of the state, and what it wants done: no terminal, no session, no clock. Absent: how the state
//! looks (`paint`), and doing it (`driver`).

use std::time::{Duration, Instant};

use agent::{Answer, Ask, Choice, Plan, Question};
use contract::xc::{CallLevel, End, EndReason, FailureClass, SessionSummary};
use llm::Provider;

use super::dialog::{About, Answered, Confirm, Consent, Dialog, Sending};
use super::ending::{interrupt, last_words, leave};
use super::event::{Effect, Event, Key as ApiKey, Opened, Token};
use super::slash;
use super::state::{Since, State, When, Work};
use super::submit;
use crate::exit::Exit;
use crate::figures::grouped;
use crate::terminal::{Code, Input, Key};
use crate::view::diff::{Hunk, Sign};
use crate::view::editor::{Kind, Outcome};
use crate::view::permission::{Asked, Decided, Permission, Subject, Words};
use crate::view::select::{Chosen, Item, Select};
use crate::words::{self, Language};

/// Within so long a second Ctrl+C leaves (D-11).
const AGAIN: Duration = Duration::from_secs(2);

/// A dialog that comes while one types takes no key until nothing was typed for so long: no letter of a word
/// answers it.
const TYPING: Duration = Duration::from_millis(700);

/// How long an interrupted turn may take to end before the program leaves without it: tools have a second.
const LEAVE_AFTER: Duration = Duration::from_secs(3);

/// Takes an event.
pub(crate) fn update(state: &mut State, event: Event, now: Instant) -> Vec<Effect> {
    match event {
        Event::Input(input) => typed(state, input, now),
        Event::Told(what) => {
            state.told(what, now);
            Vec::new()
        }
        Event::Asked(token, ask) => {
            permission(state, token, *ask);
            Vec::new()
        }
        Event::Question(token, question) => {
            let select = question_of(&question, state.words);
            state.finish_answer();
            state.dialogs.push_back(Dialog::Question(token, select));
            Vec::new()
        }
        Event::Review(token, plan) => {
            review(state, token, &plan);
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
        Event::Noted(lines) => {
            lines.iter().for_each(|line| state.note(line));
            Vec::new()
        }
        Event::Models(models) => {
            models_listed(state, models);
            Vec::new()
        }
        Event::Sessions(sessions) => {
            sessions_listed(state, &sessions);
            Vec::new()
        }
        Event::OpenWork(summary) => {
            open_work(state, &summary);
            Vec::new()
        }
        Event::Paths(paths) => {
            state.editor.offer(paths);
            Vec::new()
        }
        Event::CommandEnded(code, output) => command_ended(state, code, output, now),
        Event::KeySaved(saved) => {
            match saved {
                Ok(()) => state.say(&words::KEY_SAVED),
                Err(why) => state.fail(&why),
            }
            Vec::new()
        }
        Event::Room(used, window) => {
            let (used, window) = (grouped(used), grouped(window));
            state.fill(&words::USAGE_WINDOW, &[("used", &used), ("window", &window)]);
            Vec::new()
        }
        Event::Signal(exit) => vec![Effect::Quit(exit)],
        Event::Tick => match state.work {
            Work::Leaving(since, exit)
                if now.saturating_duration_since(since.at) > limit(since) =>
            {
                vec![Effect::Quit(exit)]
            }
            _ => Vec::new(),
        },
    }
}

/// How long leaving may take: an interrupted turn, then the summary's five seconds.
fn limit(since: Since) -> Duration {
    if since.is_interrupted { LEAVE_AFTER } else { LEAVE_AFTER * 3 }
}

fn typed(state: &mut State, input: Input, now: Instant) -> Vec<Effect> {
    let key = match &input {
        Input::Resize => return Vec::new(),
        // The terminal is gone: whatever is under way ends with it.
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
    let is_line = matches!(input, Input::Line(_));
    if (is_line || !is_typing)
        && let Some(dialog) = state.dialogs.front_mut()
    {
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

/// Esc ends what runs, or closes a question of the program's; else it is the input's.
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

/// A question of the program's is not answered.
fn close_dialog(state: &mut State, now: Instant) -> Vec<Effect> {
    match state.dialogs.pop_front() {
        Some(Dialog::Secret(_, text)) => {
            state.editor.set_text(&text);
            Vec::new()
        }
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
    // What was to be said before a step that never came is said next.
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

/// The key of the provider was refused: a new one can be typed there (XC-67). What is queued waits.
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

/// Nothing is under way any more; what waits is sent.
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
    state.print(crate::view::message::note(&redact::visible(output.trim_end())));
    state.note(&told);
    if !output.trim().is_empty() && !matches!(state.work, Work::Leaving(..)) {
        state.dialogs.push_back(Dialog::Confirm(Confirm {
            question: state.words.say(&words::JOIN_OUTPUT).to_owned(),
            about: About::Join(format!("{output}\n{told}")),
            is_yes_usual: false,
        }));
    }
    idle(state, now)
}

fn answer(
    state: &mut State,
    dialog: Option<Dialog>,
    answered: Answered,
    now: Instant,
) -> Vec<Effect> {
    match answered {
        Answered::Permission(token, decided) => {
            vec![Effect::Permit(
                token,
                match decided {
                    Decided::Once => Answer::Once,
                    Decided::Session => Answer::Session,
                    Decided::No(words) => Answer::No(words),
                    Decided::Hunks(taken) => Answer::Hunks(taken),
                },
            )]
        }
        Answered::Question(token, chosen) => {
            let choice = match chosen {
                Chosen::Item(place) => Choice::Offered(place),
                Chosen::Own(words) => Choice::Own(words),
            };
            if let Some(Dialog::Question(_, select)) = dialog {
                state.print(select.asked());
            }
            if let Choice::Own(words) = &choice {
                state.note(&format!("> {words}"));
            } else if let Choice::Offered(place) = &choice {
                state.note(&format!("> {}", place + 1));
            }
            vec![Effect::Choose(token, choice)]
        }
        Answered::Review(token, review) => vec![Effect::Review(token, review)],
        Answered::Model(model) => vec![Effect::SetModel(model)],
        Answered::Session(id) => {
            state.work = Work::Opening;
            vec![Effect::Resume(id)]
        }
        Answered::Secret(text, Sending::Masked) => submit::send(state, text, now),
        Answered::Secret(text, Sending::Held) => {
            state.editor.set_text(&text);
            Vec::new()
        }
        Answered::Key(provider, key) => vec![Effect::SaveKey(provider, ApiKey(key))],
        Answered::Confirmed(About::Join(output), Consent::Yes) => {
            state.joined = Some(output);
            Vec::new()
        }
        Answered::Confirmed(About::Join(_), Consent::No) => Vec::new(),
        Answered::Confirmed(About::Continue(id), Consent::Yes) => {
            state.work = Work::Opening;
            vec![Effect::Resume(id)]
        }
        Answered::Confirmed(About::Continue(id), Consent::No) => vec![Effect::Abandon(id)],
    }
}

fn permission(state: &mut State, token: Token, ask: Ask) {
    state.finish_answer();
    let words = permission_words(state.words);
    let permission = Permission::new(asked(ask, state.words), words);
    state.print(permission.preview());
    state.dialogs.push_back(Dialog::Permission(token, permission));
}

/// What the dialog shows of a call.
fn asked(ask: Ask, words: Language) -> Asked {
    let Ask { tool, input, level, reasons, is_grantable, change, .. } = ask;
    let class = words.say(match level {
        CallLevel::L0 => &words::CLASS_READ,
        CallLevel::L1 => &words::CLASS_WRITE,
        CallLevel::L2 | CallLevel::L3 => &words::CLASS_DANGEROUS,
    });
    let subject = match (change, input.get("command").and_then(|command| command.as_str())) {
        (Some(change), _) if change.old.is_none() => {
            Subject::NewFile { path: change.path, text: change.new }
        }
        (Some(change), _) => {
            let mut hunks: Vec<Hunk> = change.hunks().into_iter().map(hunk).collect();
            if !change.is_divisible {
                // One hunk cannot be chosen from.
                let all: Vec<_> = hunks.iter_mut().flat_map(|hunk| hunk.lines.drain(..)).collect();
                hunks.truncate(1);
                hunks.iter_mut().for_each(|hunk| hunk.lines.clone_from(&all));
            }
            Subject::Change { path: change.path, hunks }
        }
        (None, Some(command)) => Subject::Command(command.to_owned()),
        (None, None) => Subject::Other(format!("{input:#}")),
    };
    let is_dangerous = matches!(level, CallLevel::L2 | CallLevel::L3);
    Asked { tool, subject, class: class.to_owned(), is_dangerous, reasons, is_grantable }
}

fn hunk(hunk: agent::Hunk) -> Hunk {
    let line = |line| match line {
        agent::HunkLine::Same(text) => (Sign::Same, text),
        agent::HunkLine::Removed(text) => (Sign::Old, text),
        agent::HunkLine::Added(text) => (Sign::New, text),
    };
    Hunk {
        old_start: hunk.old_from,
        new_start: hunk.new_from,
        lines: hunk.lines.into_iter().map(line).collect(),
    }
}

fn permission_words(words: Language) -> Words {
    Words {
        question: words.say(&words::PERMIT),
        yes: words.say(&words::PERMIT_YES),
        session: words.say(&words::PERMIT_SESSION),
        no: words.say(&words::PERMIT_NO),
        no_because: words.say(&words::PERMIT_NO_BECAUSE),
        hunks: words.say(&words::PERMIT_HUNKS),
        hunk: words.say(&words::PERMIT_HUNK),
        lines: words.say(&words::PERMIT_LINES),
    }
}

fn question_of(question: &Question, words: Language) -> Select {
    let item = |offer: &agent::Offer| Item {
        label: offer.label.clone(),
        description: offer.description.clone(),
    };
    let items = question.offers.iter().map(item).collect();
    let (own, footer) = (words.say(&words::OTHER), words.say(&words::SELECT_FOOTER));
    Select::new(&format!("? {}", question.question), items, Some(own), footer)
}

/// The plan stays to be read, then it is asked about.
fn review(state: &mut State, token: Token, plan: &Plan) {
    state.finish_answer();
    let mut shown = crate::view::answer::Answer::default();
    state.fill(&words::PLAN_AT, &[("path", &plan.path)]);
    let lines = shown.push(&redact::visible(&plan.text));
    state.print(lines);
    state.print(shown.finish());
    let item = |text| Item { label: state.words.say(text).to_owned(), description: String::new() };
    let items = vec![item(&words::PLAN_APPROVE), item(&words::PLAN_REJECT)];
    let own = state.words.say(&words::PLAN_REJECT_BECAUSE);
    let footer = state.words.say(&words::SELECT_FOOTER);
    let question = state.words.say(&words::PLAN_QUESTION);
    let select = Select::new(&format!("? {question}"), items, Some(own), footer);
    state.dialogs.push_back(Dialog::Review(token, select));
}

fn models_listed(state: &mut State, models: Vec<String>) {
    let now = state.session.as_ref().map(|session| session.model.clone()).unwrap_or_default();
    let item = |model: &String| Item {
        label: model.clone(),
        description: match *model == now {
            true => state.words.say(&words::MODEL_NOW).to_owned(),
            false => String::new(),
        },
    };
    let items = models.iter().map(item).collect();
    let (own, footer) = (state.words.say(&words::OTHER), state.words.say(&words::SELECT_FOOTER));
    let question = state.words.say(&words::CHOOSE_MODEL);
    let select = Select::new(&format!("? {question}"), items, Some(own), footer);
    state.dialogs.push_back(Dialog::Models(select, models));
}

fn sessions_listed(state: &mut State, sessions: &[SessionSummary]) {
    if sessions.is_empty() {
        return state.say(&words::NO_SESSIONS);
    }
    let item = |summary: &SessionSummary| {
        let at: String = summary.ended_at.chars().take(16).collect();
        Item { label: summary.title.clone(), description: at.replace('T', " ") }
    };
    let items = sessions.iter().map(item).collect();
    let footer = state.words.say(&words::SELECT_FOOTER);
    let question = state.words.say(&words::CHOOSE_SESSION);
    let select = Select::new(&format!("? {question}"), items, None, footer);
    let ids = sessions.iter().map(|summary| summary.id).collect();
    state.dialogs.push_back(Dialog::Sessions(select, ids));
}

/// XC-164.
fn open_work(state: &mut State, summary: &SessionSummary) {
    let count = summary.pending_work.len().to_string();
    let values = [("title", &*summary.title), ("count", &*count)];
    let text = format!("ℹ {}", state.words.fill(&words::LAST_SESSION, &values));
    state.note(&text);
    for work in &summary.pending_work {
        let text = format!("  {}", state.words.fill(&words::OPEN_WORK, &[("work", work)]));
        state.note(&text);
    }
    state.dialogs.push_back(Dialog::Confirm(Confirm {
        question: state.words.say(&words::CONTINUE).to_owned(),
        about: About::Continue(summary.id),
        is_yes_usual: true,
    }));
}
