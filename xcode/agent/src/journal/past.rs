//! Rebuilds a session from its journal: a conversation in which each call has a result,
//! whatever is missing in the file.

use contract::xc::{CallStatus, Entry, Line, PermitMode, TokenUsage};
use llm::{Asked, CallResult, Content, Message, Part};

use super::answer;
use super::read::Found;

/// The result for the model of a call whose end is not recorded.
pub const INTERRUPTED: &str = "Interrupted; it may or may not have run. Look before you repeat it.";
/// Replaces a beginning that cannot be read: a conversation must begin with the user.
const LOST: &str = "[The beginning of this session cannot be read.]";
/// In how many answers the call of a result is searched: a result follows its own answer, or concurrent ones.
const LOOK_BACK: usize = 64;
/// How many tasks without a recorded end are listed; a session runs fewer at once.
const TASKS_MAX: usize = 32;
/// How many unreadable lines are listed.
const NAMED_MAX: usize = 5;

/// A resumed session.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    /// The conversation as the model last saw it. It begins with the user, and each call has a result.
    pub messages: Vec<Message>,
    /// The journal line at which each message begins, for the next [`Entry::Compact`].
    pub lines: Vec<u64>,
    /// How many bytes of each user message are the user's own words.
    pub(super) said: Vec<usize>,
    /// The model used last, as `provider:model`.
    pub model: Option<String>,
    /// All tokens.
    pub usage: TokenUsage,
    /// The estimated cost in US dollars; none if a part of it is not known.
    pub cost_usd: Option<f64>,
    /// The plan in progress; none outside of plan mode.
    pub plan: Option<String>,
    /// The calls without a recorded end, in order. In the conversation their result is [`INTERRUPTED`].
    pub unfinished: Vec<Unfinished>,
    /// The background commands, as far as the journal has them.
    pub tasks: PastTasks,
    /// Messages for the user about the journal, one per line.
    pub notes: Vec<String>,
}

/// The background commands of a resumed session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastTasks {
    /// The highest number of a task; 0 if there was none.
    pub last: u64,
    /// Tasks without a recorded end: they ended with the process. Each with its number and command.
    pub left: Vec<(u64, String)>,
}

/// A call without a recorded end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The call.
    pub id: String,
    /// The tool.
    pub tool: String,
}

/// Builds a [`Past`] from the lines of a journal.
#[derive(Debug, Default)]
pub(super) struct Reading {
    messages: Vec<(u64, Said)>,
    /// The last summary, its line, and the first line that it does not replace.
    compacted: Option<(u64, String, u64)>,
    model: Option<String>,
    plan: Option<String>,
    usage: TokenUsage,
    cost_usd: Cost,
    tasks: PastTasks,
    unreadable: Vec<u64>,
    is_cut: bool,
}

/// A message whose results may be missing.
#[derive(Debug)]
enum Said {
    /// The user's words, and what was added for the model.
    User(String, String),
    Answer(Vec<Part<(Asked, Option<CallResult>)>>),
}

/// The sum of the costs; none once a cost is not known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost(Option<f64>);

impl Default for Cost {
    fn default() -> Self {
        Self(Some(0.0))
    }
}

impl Cost {
    pub(crate) fn add(&mut self, more: Option<f64>) {
        self.0 = self.0.zip(more).map(|(sum, more)| sum + more);
    }

    pub(crate) fn usd(self) -> Option<f64> {
        self.0
    }
}

impl Reading {
    pub(super) fn take(&mut self, found: Found) {
        match found {
            Found::Line(line) => self.line(line),
            Found::Unreadable(number) => self.unreadable.push(number),
            Found::Cut => self.is_cut = true,
        }
    }

    fn line(&mut self, Line { n, at: _, entry }: Line) {
        match entry {
            Entry::User { text, told } => self.messages.push((n, Said::User(text, told))),
            Entry::Assistant { model, text, reasoning, opaque, calls } => {
                self.model = Some(model);
                let parts = answer::parts(text, reasoning, opaque.as_ref(), calls);
                let parts = parts.into_iter().map(|part| match part {
                    Part::Text { text, opaque } => Part::Text { text, opaque },
                    Part::Reasoning { shown, opaque } => Part::Reasoning { shown, opaque },
                    Part::Call(asked) => Part::Call((asked, None)),
                });
                self.messages.push((n, Said::Answer(parts.collect())));
            }
            Entry::Result { id, status, text, .. } => self.result(&id, status, text),
            Entry::Usage { usage, cost_usd } => {
                let TokenUsage { input, cached, output } = &mut self.usage;
                *input = input.saturating_add(usage.input);
                *cached = cached.saturating_add(usage.cached);
                *output = output.saturating_add(usage.output);
                self.cost_usd.add(cost_usd);
            }
            Entry::Compact { summary, kept_from, .. } => {
                self.compacted = Some((n, summary, kept_from));
            }
            Entry::Model { to, .. } => self.model = Some(to),
            // Plan mode only restricts. Trust is granted by the user who resumes, and never by a file of the workspace.
            Entry::Mode { mode, plan } => {
                self.plan = plan.filter(|_| mode == PermitMode::Plan);
            }
            Entry::Task { task, command, ended } => self.task(task, command, ended.is_some()),
            Entry::Begun { .. } | Entry::Undo { .. } | Entry::Note { .. } | Entry::End { .. } => {}
        }
    }

    fn task(&mut self, task: u64, command: String, is_ended: bool) {
        let PastTasks { last, left } = &mut self.tasks;
        *last = task.max(*last);
        left.retain(|(known, _)| *known != task);
        if !is_ended && left.len() < TASKS_MAX {
            left.push((task, command));
        }
    }

    /// Adds a result to the last pending call with its id. Ids may occur again in a later step.
    fn result(&mut self, id: &str, status: CallStatus, text: String) {
        let answers = self.messages.iter_mut().rev().filter_map(|(_, said)| match said {
            Said::Answer(parts) => Some(parts),
            Said::User(..) => None,
        });
        let answers = answers.take(LOOK_BACK);
        // Within one answer, the first match: results are in the order of the calls.
        let mut open = answers.flat_map(|parts| {
            parts.iter_mut().filter_map(|part| match part {
                Part::Call((asked, result @ None)) if asked.id == id => Some(result),
                _ => None,
            })
        });
        if let Some(result) = open.next() {
            *result = Some(match status {
                CallStatus::Ok => CallResult::Done(text),
                CallStatus::Error
                | CallStatus::Denied
                | CallStatus::Timeout
                | CallStatus::Interrupted => CallResult::Failed(text),
            });
        }
    }

    pub(super) fn finish(self) -> Past {
        let notes = self.notes();
        let mut past = Past {
            messages: Vec::new(),
            lines: Vec::new(),
            said: Vec::new(),
            model: self.model,
            usage: self.usage,
            cost_usd: self.cost_usd.usd(),
            plan: self.plan,
            unfinished: Vec::new(),
            tasks: self.tasks,
            notes,
        };
        let kept_from = self.compacted.as_ref().map_or(0, |(_, _, kept_from)| *kept_from);
        if let Some((n, summary, _)) = self.compacted {
            past.user(n, &summary, "");
        }
        for (n, said) in self.messages.into_iter().filter(|(n, _)| *n >= kept_from) {
            match said {
                Said::User(text, told) => past.user(n, &text, &told),
                Said::Answer(parts) => past.answer(n, parts),
            }
        }
        past
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let named: Vec<String> =
            self.unreadable.iter().take(NAMED_MAX).map(|number| (number + 1).to_string()).collect();
        match (named.as_slice(), self.unreadable.len().saturating_sub(NAMED_MAX)) {
            ([], _) => {}
            ([line], _) => {
                notes.push(format!("Line {line} of the journal cannot be read and is left out."))
            }
            (lines, more) => {
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                let lines = lines.join(", ");
                notes.push(format!(
                    "Lines {lines}{more} of the journal cannot be read and are left out."
                ));
            }
        }
        notes.extend(self.tasks.left.iter().map(|(task, command)| {
            format!("Background task {task} ended with the program that ran it: {command}")
        }));
        if self.is_cut {
            notes.push("The last line of the journal was cut and is left out.".to_owned());
        }
        notes
    }
}

impl Past {
    /// The last `most` messages as the user saw them: without what was added for the model.
    #[must_use]
    pub fn shown(&self, most: usize) -> Vec<Message> {
        let from = self.messages.len().saturating_sub(most);
        let last = self.messages.iter().zip(&self.said).skip(from);
        let shown = |(message, said): (&Message, &usize)| match message.clone() {
            Message::User(mut contents) => {
                if let Some(Content::Text(text)) = contents.first_mut() {
                    text.truncate(*said);
                }
                Message::User(contents)
            }
            answer @ Message::Answer(_) => answer,
        };
        last.map(shown).collect()
    }

    fn push(&mut self, n: u64, message: Message, said: usize) {
        self.messages.push(message);
        self.lines.push(n);
        self.said.push(said);
    }

    fn user(&mut self, n: u64, said: &str, told: &str) {
        let text = format!("{said}{told}");
        self.push(n, Message::User(vec![Content::Text(text)]), said.len());
    }

    fn answer(&mut self, n: u64, parts: Vec<Part<(Asked, Option<CallResult>)>>) {
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|part| match part {
                Part::Text { text, opaque } => Part::Text { text, opaque },
                Part::Reasoning { shown, opaque } => Part::Reasoning { shown, opaque },
                Part::Call((asked, result)) => {
                    let result = result.unwrap_or_else(|| {
                        let (id, tool) = (asked.id.clone(), asked.name.clone());
                        self.unfinished.push(Unfinished { id, tool });
                        CallResult::Failed(INTERRUPTED.to_owned())
                    });
                    Part::Call(asked.with(result))
                }
            })
            .collect();
        if !parts.is_empty() {
            if self.messages.is_empty() {
                self.user(n, LOST, "");
            }
            self.push(n, Message::Answer(parts), 0);
        }
    }
}
