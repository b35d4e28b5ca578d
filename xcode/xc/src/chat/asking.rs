//! Creates the dialogs that wait for the user, from requests of the agent and of the program. Not here: handling the answers.

use agent::{Ask, Plan, PlanCheck, Question};
use contract::xc::{CallLevel, SessionSummary};

use super::dialog::{About, Confirm, Dialog};
use super::event::{Event, Token};
use super::state::State;
use crate::figures::grouped;
use crate::view::answer::Answer;
use crate::view::diff::{Hunk, Sign};
use crate::view::permission::{Asked, Permission, Subject, Words};
use crate::view::select::{Item, Select};
use crate::words::{self, Language};

/// Handles an event that only asks the user or shows something.
pub(super) fn ask(state: &mut State, event: Event) {
    match event {
        Event::Asked(token, ask) => permission(state, token, *ask),
        Event::Question(token, question) => {
            let select = question_of(&question, state.words);
            state.finish_answer();
            state.dialogs.push_back(Dialog::Question(token, select));
        }
        Event::Review(token, plan) => review(state, token, &plan),
        Event::Models(models) => models_listed(state, models),
        Event::Sessions(sessions) => sessions_listed(state, &sessions),
        Event::Foreign(folder, parts) => foreign(state, &folder, &parts),
        Event::OpenWork(summary) => open_work(state, &summary),
        Event::Noted(lines) => lines.iter().for_each(|line| state.note(line)),
        Event::Paths(paths) => state.editor.offer(paths),
        Event::KeySaved(Ok(())) => state.say(&words::KEY_SAVED),
        Event::KeySaved(Err(why)) => state.fail(&why),
        Event::Room(used, window) => {
            let (used, window) = (grouped(used), grouped(window));
            state.fill(&words::USAGE_WINDOW, &[("used", &used), ("window", &window)]);
        }
        // `update` handles the others, which have effects.
        _ => {}
    }
}

fn permission(state: &mut State, token: Token, ask: Ask) {
    state.finish_answer();
    let words = permission_words(state.words);
    let permission = Permission::new(asked(ask, state.words), words);
    state.print(permission.preview());
    state.dialogs.push_back(Dialog::Permission(token, permission));
}

/// What the dialog shows about a call.
fn asked(ask: Ask, words: Language) -> Asked {
    let Ask { tool, input, level, mut reasons, is_grantable, change, .. } = ask;
    if input.get("background").and_then(serde_json::Value::as_bool) == Some(true) {
        reasons.push(words.say(&words::PERMIT_BACKGROUND).to_owned());
    }
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
                // With a single hunk there is nothing to choose.
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

/// Prints the plan, and asks about it.
fn review(state: &mut State, token: Token, plan: &Plan) {
    state.finish_answer();
    let mut shown = Answer::default();
    state.fill(&words::PLAN_AT, &[("path", &plan.path)]);
    let lines = shown.push(&redact::visible(&plan.text));
    state.print(lines);
    state.print(shown.finish());
    match &plan.check {
        Some(PlanCheck::Assumptions(lines)) if lines.is_empty() => {
            state.say(&words::PLAN_UNASSUMING)
        }
        Some(PlanCheck::Assumptions(lines)) => {
            state.say(&words::PLAN_CHECKED);
            let mut shown = Answer::default();
            let text: String = lines.iter().map(|line| format!("- {line}\n")).collect();
            let lines = shown.push(&redact::visible(&text));
            state.print(lines);
            state.print(shown.finish());
        }
        Some(PlanCheck::Failed(why)) => state.fill(&words::PLAN_UNCHECKED, &[("why", why)]),
        None => {}
    }
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

/// XC-111. The preselected answer is no: a key that was typed before the question appeared agrees to nothing.
fn foreign(state: &mut State, folder: &str, parts: &[String]) {
    let words = state.words;
    let mut question = format!("? {}", words.fill(&words::TRUST_QUESTION, &[("folder", folder)]));
    parts.iter().for_each(|part| question.push_str(&format!("\n  {part}")));
    let item = |label, means| Item {
        label: words.say(label).to_owned(),
        description: words.say(means).to_owned(),
    };
    let items = vec![
        item(&words::TRUST_NO, &words::TRUST_NO_MEANS),
        item(&words::TRUST_NOT_NOW, &words::TRUST_NOT_NOW_MEANS),
        item(&words::TRUST_YES, &words::TRUST_YES_MEANS),
    ];
    let select = Select::new(&question, items, None, words.say(&words::SELECT_FOOTER));
    state.dialogs.push_back(Dialog::Foreign(select));
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
