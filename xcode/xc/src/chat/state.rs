//! The state of a conversation as the user sees it. Not here: what changes it (`update`), and how it looks (`paint`).

use std::collections::VecDeque;
use std::time::Instant;

use contract::xc::{FailureClass, PermitMode, TokenUsage};
use ratatui_core::text::Line;
use redact::Cut;

use super::attention::Attention;
use super::dialog::Dialog;
use super::event::{Opened, Said};
use crate::exit::Exit;
use crate::hints::Hints;
use crate::view::answer::Answer;
use crate::view::call::State as CallState;
use crate::view::editor::Editor;
use crate::view::message;
use crate::view::output::Output;
use crate::words::{self, Language, Text};

/// Lines of a call's output that are shown.
const OUTPUT_LINES: usize = 10;

/// Everything that is shown, and everything that is pending.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) words: Language,
    pub(crate) editor: Editor,
    /// Open dialogs, changed by events; keys go to the first one.
    pub(crate) dialogs: VecDeque<Dialog>,
    /// Messages sent while the model works, the oldest first.
    pub(crate) queue: Vec<Queued>,
    pub(crate) work: Work,
    /// The streaming answer.
    pub(crate) answer: Answer,
    /// Whether a part of it was shown.
    pub(crate) has_answer: bool,
    /// The running and waiting calls, in order.
    pub(crate) calls: Vec<Running>,
    /// What is being retried, as shown to the user, until the next event.
    pub(crate) retry: Option<String>,
    /// The last failure of this turn.
    pub(crate) failure: Option<FailureClass>,
    /// The session; none before the first one is open.
    pub(crate) session: Option<Session>,
    /// When Ctrl+C last interrupted something: a second one shortly after ends the program.
    pub(crate) interrupted_at: Option<Instant>,
    /// When a key last went into the input: a dialog that opens while the user types must not take a key of the word.
    pub(crate) typed_at: Option<Instant>,
    /// What waits for an absent user.
    pub(crate) attention: Attention,
    /// The last turn's answer, for `/copy`.
    pub(crate) last_answer: String,
    /// The output of the user's own command, which is attached to the next message.
    pub(crate) joined: Option<String>,
    /// A prompt that is sent when the first session is open.
    pub(crate) first_prompt: Option<String>,
    /// Whether the next prompt that the session reports was already shown when it was sent.
    pub(crate) is_prompt_shown: bool,
    /// Whether a prompt was sent in this session.
    pub(crate) was_asked: bool,
    /// Whether a turn was answered since the last summary.
    pub(crate) is_summary_due: bool,
    /// The number for the next queued message.
    pub(crate) next_number: u64,
    finished: Vec<Line<'static>>,
}

/// The current operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A session is being opened.
    Opening,
    /// None: it is the user's turn.
    Idle,
    /// The model works on a turn.
    Turn(Since),
    /// The conversation is being compacted.
    Compacting(Since),
    /// The user's own command runs.
    Command(Since),
    /// The summary that the user requested is being written.
    Summary(Since),
    /// The program is ending with this code.
    Leaving(Since, Exit),
}

/// When the operation began, and whether it was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since {
    pub(crate) at: Instant,
    pub(crate) is_interrupted: bool,
}

/// A queued message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) number: u64,
    pub(crate) text: String,
    pub(crate) when: When,
}

/// When a queued message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// After the turn.
    Next,
    /// Before the next model call.
    Soon,
}

/// A running or waiting call.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) argument: String,
    /// When it began to run.
    pub(crate) started: Option<Instant>,
    /// Why it is not run.
    pub(crate) refusal: Option<String>,
    pub(crate) output: Output,
}

/// The displayed data of the session.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) cwd: String,
    pub(crate) sandbox: &'static str,
    pub(crate) mode: PermitMode,
    pub(crate) is_planning: bool,
    pub(crate) usage: TokenUsage,
    pub(crate) cost_usd: Option<f64>,
    /// The files that the session changed, each once.
    pub(crate) changed: Vec<String>,
    pub(crate) hints: Hints,
    pub(crate) redactor: redact::Redactor,
}

impl Since {
    pub(crate) const fn now(at: Instant) -> Self {
        Self { at, is_interrupted: false }
    }
}

impl Running {
    pub(crate) fn new(id: String, tool: String, argument: String) -> Self {
        let output = Output::new(OUTPUT_LINES);
        Self { id, tool, argument, started: None, refusal: None, output }
    }

    /// The call's state.
    pub(crate) fn state(&self, now: Instant) -> CallState {
        match self.started {
            Some(started) => CallState::Running(now.saturating_duration_since(started)),
            None => CallState::Waiting,
        }
    }
}

impl State {
    /// The state before the first session is open, with earlier inputs of the project, the oldest first.
    pub(crate) fn new(words: Language, history: Vec<String>, first_prompt: Option<String>) -> Self {
        Self {
            words,
            editor: Editor::new(history),
            dialogs: VecDeque::new(),
            queue: Vec::new(),
            work: Work::Opening,
            answer: Answer::default(),
            has_answer: false,
            calls: Vec::new(),
            retry: None,
            failure: None,
            session: None,
            interrupted_at: None,
            typed_at: None,
            attention: Attention::default(),
            last_answer: String::new(),
            joined: None,
            first_prompt,
            is_prompt_shown: false,
            was_asked: false,
            is_summary_due: false,
            next_number: 0,
            finished: Vec::new(),
        }
    }

    /// The lines that were finished since the last call.
    pub(crate) fn take_finished(&mut self) -> Vec<Line<'static>> {
        std::mem::take(&mut self.finished)
    }

    /// Adds finished lines.
    pub(crate) fn print(&mut self, lines: Vec<Line<'static>>) {
        self.finished.extend(lines);
    }

    /// Prints an inconspicuous message.
    pub(crate) fn note(&mut self, text: &str) {
        self.print(message::note(&redact::visible(text)));
    }

    /// Prints a text of the catalogue as such a message.
    pub(crate) fn say(&mut self, text: &Text) {
        self.note(self.words.say(text));
    }

    /// Prints a text of the catalogue with values filled in.
    pub(crate) fn fill(&mut self, text: &Text, values: &[(&str, &str)]) {
        self.note(&self.words.fill(text, values));
    }

    /// Prints an error.
    pub(crate) fn fail(&mut self, text: &str) {
        self.print(message::failure(&redact::visible(text)));
    }

    /// Prints the user's prompt, masked.
    pub(crate) fn show_prompt(&mut self, text: &str) {
        let text = match &self.session {
            Some(session) => session.redactor.sanitize(text, Cut::NONE).text.into_owned(),
            None => redact::sanitize(text, Cut::NONE),
        };
        self.print(vec![Line::default()]);
        self.print(message::user(&redact::visible(&text)));
        self.print(vec![Line::default()]);
    }

    /// Prints the rest of the streaming answer.
    pub(crate) fn finish_answer(&mut self) {
        if std::mem::take(&mut self.has_answer) {
            let lines = self.answer.finish();
            self.print(lines);
        }
    }

    /// Whether something animated is shown, which must be repainted as time passes.
    pub(crate) const fn is_moving(&self) -> bool {
        !matches!(self.work, Work::Idle)
    }

    /// Whether an operation is running that can be interrupted.
    pub(crate) const fn is_working(&self) -> bool {
        matches!(
            self.work,
            Work::Turn(_) | Work::Compacting(_) | Work::Command(_) | Work::Summary(_)
        )
    }

    /// Takes over the data of an opened session.
    pub(crate) fn open(&mut self, opened: Opened) {
        let Opened {
            id,
            model,
            cwd,
            sandbox,
            mode,
            usage,
            cost_usd,
            notes,
            taken_over,
            before,
            hints,
            redactor,
        } = opened;
        let id = id.to_string();
        if let Some((id, title)) = taken_over {
            let id = id.to_string();
            self.fill(&words::CONTINUED, &[("title", &title), ("id", &id)]);
        } else if self.session.is_some() && before.is_empty() {
            self.fill(&words::CLEARED, &[("id", &id)]);
        } else if before.is_empty() {
            let values = [("version", release::VERSION), ("model", &*model), ("cwd", &*cwd)];
            self.fill(&words::GREETING, &values);
        } else {
            self.fill(&words::RESUMED, &[("id", &id)]);
        }
        for said in before {
            match said {
                Said::User(text) => self.show_prompt(&text),
                Said::Model(text) => {
                    let mut answer = Answer::default();
                    let text = redact::visible(&text).into_owned();
                    let lines = answer.push(&text);
                    self.print(lines);
                    self.print(answer.finish());
                }
            }
        }
        for note in notes {
            self.note(&note);
        }
        let changed = Vec::new();
        self.session = Some(Session {
            id,
            model,
            cwd,
            sandbox,
            mode,
            is_planning: mode == PermitMode::Plan,
            usage,
            cost_usd,
            changed,
            hints,
            redactor,
        });
        self.work = Work::Idle;
    }
}
