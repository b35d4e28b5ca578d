//! Describes what a run does now and what its events mean, in our own texts.

use contract::event::{Entry, Event, EventName, Progress as Step};
use contract::run::{ModelStage, RunState};

use super::now::LiveRun;
use crate::figure::{UNKNOWN, count, duration};
use crate::words::Words;

/// What a run does now, in a word or two.
pub(crate) fn stage(w: &Words, run: &LiveRun) -> String {
    if run.row.state == RunState::Queued {
        return w.stage_queued.to_owned();
    }
    if let Some(progress) = &run.progress {
        return model_stage(w, progress.stage).to_owned();
    }
    run.last.as_ref().map_or(w.stage_queued, |entry| entry_word(w, entry)).to_owned()
}

fn entry_word(w: &Words, entry: &Entry) -> &'static str {
    match entry {
        Entry::Queued { .. } => w.stage_queued,
        Entry::Started { .. } => w.stage_starting,
        Entry::Thread { .. } => w.stage_ready,
        Entry::Retry { .. } => w.stage_retry,
        Entry::Progress(step) => match step {
            Step::Attempt { .. } => w.stage_starting,
            Step::Turn => w.stage_asked,
            Step::Item { .. } | Step::Message { .. } => w.stage_working,
            Step::Reconnecting => w.stage_reconnecting,
            Step::Answered => w.stage_answered,
            Step::Waiting { .. } => w.stage_waiting,
            Step::Thinking { .. } => w.stage_thinking,
            Step::Writing { .. } => w.stage_writing,
            Step::Quiet { .. } => w.stage_quiet,
        },
    }
}

fn model_stage(w: &Words, stage: ModelStage) -> &'static str {
    match stage {
        ModelStage::Waiting => w.stage_waiting,
        ModelStage::Thinking => w.stage_thinking,
        ModelStage::Writing => w.stage_writing,
        ModelStage::Quiet => w.stage_quiet,
    }
}

/// Details of the stage: counts, the field, the title of a reasoning step.
pub(crate) fn note(w: &Words, run: &LiveRun) -> String {
    let Some(progress) = &run.progress else { return UNKNOWN.to_owned() };
    let mut parts = vec![amount(progress.events, w.event_one, w.event_many)];
    let chars = progress.chars.map(|chars| amount(chars, w.character_one, w.character_many));
    parts.extend(chars);
    parts.extend(progress.field.clone());
    parts.extend(progress.title.clone());
    parts.join(" \u{b7} ")
}

pub(super) fn amount(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(&number), if number == 1 { one } else { many })
}

/// An event of a run in a few words, which may include untrusted text.
pub(super) fn moment(w: &Words, event: &Event) -> String {
    let word = match event.name {
        EventName::Report => return w.stage_report.to_owned(),
        EventName::Failure => return w.stage_failure.to_owned(),
        name => name.as_str(),
    };
    let Some(entry) = event.entry() else { return word.to_owned() };
    let mut parts = vec![entry_word(w, &entry).to_owned()];
    match entry {
        Entry::Started { queue_ms } => parts.push(format!("{} {}", w.waited, duration(queue_ms))),
        Entry::Thread { thread_id } => parts.push(thread_id.to_string()),
        Entry::Retry { code, .. } => parts.push(code.as_str().to_owned()),
        Entry::Progress(Step::Attempt { attempt }) => {
            parts.push(format!("{} {attempt}", w.attempt));
        }
        Entry::Progress(Step::Item { item, subject }) => {
            parts.push(item);
            parts.extend(subject);
        }
        Entry::Progress(Step::Message { text, .. }) => parts.push(text),
        Entry::Progress(Step::Thinking { events, .. } | Step::Writing { events, .. }) => {
            parts.push(amount(events, w.event_one, w.event_many));
        }
        Entry::Queued { .. } | Entry::Progress(_) => {}
    }
    parts.join(" \u{b7} ")
}
