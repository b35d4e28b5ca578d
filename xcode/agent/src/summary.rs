//! The summary of a session, made from its journal without a model, and saved beside it. Not here: a
//! summary written by the model.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read as _};

use contract::xc::{CallStatus, EndReason, Entry, Header, Line, SessionStatus, SessionSummary};
use redact::{Cut, Redactor};

use crate::journal::past::Cost;
use crate::places::{self, SessionFolder};

/// The longest title and the longest line of a list, in characters.
pub(crate) const LINE_MAX: usize = 80;
/// How many lines a list of the summary has: the last ones.
pub(crate) const LINES_MAX: usize = 10;
/// How many changed files are listed.
const FILES_MAX: usize = 500;
/// The tool by which the model asks the user.
const DECIDING: &str = "askUser";
/// The file with the summary of the session that ended last.
pub(crate) const LATEST: &str = "latest.json";
/// The lock file for writing summaries.
const LOCK: &str = ".lock";
/// The longest summary that is read, in bytes; what is written is far shorter.
const SUMMARY_MAX: u64 = 1 << 20;

/// Collects the data for a summary, line by line.
#[derive(Debug, Clone)]
pub(crate) struct Digest {
    header: Header,
    last_at: String,
    title: Option<String>,
    /// The number of prompts.
    turns: u64,
    /// The number of commands.
    commands: u64,
    /// The prompt of a turn that has not ended successfully, and the reason.
    pending: Option<(String, Option<EndReason>)>,
    /// The beginning of the last answer.
    said: String,
    /// The first line of each turn's answer.
    results: VecDeque<String>,
    decisions: VecDeque<String>,
    files: Vec<String>,
    /// The unanswered questions to the user.
    questions: HashMap<String, String>,
    model: Option<String>,
    cost: Cost,
}

impl Digest {
    pub(crate) fn new(header: &Header) -> Self {
        Self {
            header: header.clone(),
            last_at: header.at.clone(),
            title: None,
            turns: 0,
            commands: 0,
            pending: None,
            said: String::new(),
            results: VecDeque::new(),
            decisions: VecDeque::new(),
            files: Vec::new(),
            questions: HashMap::new(),
            model: None,
            cost: Cost::default(),
        }
    }

    /// The digest for a copy of the session.
    pub(crate) fn of(self, header: &Header) -> Self {
        Self { header: header.clone(), ..self }
    }

    pub(crate) fn take(&mut self, line: &Line) {
        self.last_at.clone_from(&line.at);
        match &line.entry {
            Entry::User { text, .. } => {
                let prompt = first_line(text);
                self.title.get_or_insert_with(|| prompt.clone());
                self.turns += 1;
                self.pending = Some((prompt, None));
                self.said.clear();
            }
            Entry::Assistant { model, text, calls, .. } => {
                self.model = Some(model.clone());
                if !text.trim().is_empty() {
                    self.said = first_line(text);
                }
                for call in calls.iter().filter(|call| call.tool == DECIDING) {
                    let question = call.input["question"].as_str().unwrap_or_default();
                    self.questions.insert(call.id.clone(), first_line(question));
                }
            }
            Entry::Result { id, status, text, changed, command, .. } => {
                self.commands += u64::from(command.is_some());
                for file in changed {
                    if self.files.len() < FILES_MAX && !self.files.contains(file) {
                        self.files.push(file.clone());
                    }
                }
                if let Some(question) = self.questions.remove(id)
                    && *status == CallStatus::Ok
                {
                    keep(&mut self.decisions, format!("{question} {}", first_line(text)));
                }
            }
            Entry::Usage { cost_usd, .. } => self.cost.add(*cost_usd),
            Entry::Model { to, .. } => self.model = Some(to.clone()),
            Entry::End { reason: EndReason::Answered } => {
                self.pending = None;
                let said = std::mem::take(&mut self.said);
                if !said.is_empty() {
                    keep(&mut self.results, said);
                }
            }
            Entry::End { reason } => {
                if let Some((_, why)) = &mut self.pending {
                    *why = Some(*reason);
                }
            }
            Entry::Begun { .. }
            | Entry::Compact { .. }
            | Entry::Mode { .. }
            | Entry::Undo { .. }
            | Entry::Task { .. }
            | Entry::Note { .. } => {}
        }
    }

    /// The summary up to the last line.
    pub(crate) fn summary(&self) -> SessionSummary {
        let pending = self.pending.iter().map(|(prompt, why)| match why {
            Some(why) => format!("{prompt} ({})", why_not(*why)),
            None => prompt.clone(),
        });
        let status = match &self.pending {
            None => SessionStatus::Completed,
            Some(_) => SessionStatus::InProgress,
        };
        SessionSummary {
            id: self.header.id,
            title: self.title.clone().unwrap_or_default(),
            started_at: self.header.at.clone(),
            ended_at: self.last_at.clone(),
            status,
            summary: self.words(),
            key_results: self.results.iter().cloned().collect(),
            pending_work: pending.collect(),
            files_modified: self.files.clone(),
            decisions: self.decisions.iter().cloned().collect(),
            journal: crate::journal::file::name(self.header.id),
            model: self.model.clone(),
            cost_usd: self.cost.usd(),
        }
    }

    /// The summary's text, two or three sentences.
    fn words(&self) -> String {
        let Self { turns, commands, files, .. } = self;
        let mut words = format!(
            "{}; {} and {}.",
            counted(*turns, "prompt"),
            counted(files.len() as u64, "changed file"),
            counted(*commands, "command")
        );
        match &self.pending {
            None => words.push_str(" The last prompt was answered."),
            Some((_, None)) => words.push_str(" The last turn did not end."),
            Some((_, Some(why))) => {
                words.push_str(&format!(" The last turn did not end well: {}.", why_not(*why)));
            }
        }
        if let Some(result) = self.results.back() {
            words.push_str(&format!(" The last answer: {result}"));
        }
        words
    }
}

/// Saves the summary of a session, and makes it the latest one unless another session has ended later.
///
/// # Errors
/// An error of the file system; [`io::ErrorKind::TimedOut`] if the lock is not available.
pub(crate) fn write(folder: &SessionFolder, summary: &SessionSummary) -> io::Result<()> {
    let bytes = serde_json::to_vec_pretty(summary)?;
    let _lock = lock(folder)?;
    folder.beneath().replace(folder.at(&format!("{}.json", summary.id)), &bytes)?;
    match read(folder, LATEST) {
        Some(latest) if latest.id != summary.id && latest.ended_at > summary.ended_at => Ok(()),
        _ => folder.beneath().replace(folder.at(LATEST), &bytes),
    }
}

/// Removes the summary of a session. If it was the latest one, that of `next` replaces it.
///
/// # Errors
/// As [`write()`].
pub(crate) fn remove(
    folder: &SessionFolder,
    id: contract::id::SessionId,
    next: Option<&SessionSummary>,
) -> io::Result<()> {
    let _lock = lock(folder)?;
    folder.beneath().remove(folder.at(&format!("{id}.json")))?;
    if read(folder, LATEST).is_some_and(|latest| latest.id != id) {
        return Ok(());
    }
    match next {
        Some(next) => {
            folder.beneath().replace(folder.at(LATEST), &serde_json::to_vec_pretty(next)?)
        }
        None => folder.beneath().remove(folder.at(LATEST)),
    }
}

/// An existing summary that can be read.
pub(crate) fn read(folder: &SessionFolder, name: &str) -> Option<SessionSummary> {
    let file = folder.beneath().open(folder.at(name)).ok()?;
    let mut bytes = Vec::new();
    file.take(SUMMARY_MAX).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn lock(folder: &SessionFolder) -> io::Result<std::fs::File> {
    places::lock(folder.beneath(), folder.at(LOCK))
}

/// The first non-empty line, for one line of a terminal.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    Redactor::new().sanitize(line, Cut::chars(LINE_MAX).marked()).text.into_owned()
}

fn keep(lines: &mut VecDeque<String>, line: String) {
    if lines.len() == LINES_MAX {
        lines.pop_front();
    }
    lines.push_back(line);
}

fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn why_not(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Answered => "answered",
        EndReason::TurnLimit => "it reached the limit of its steps",
        EndReason::CostLimit => "it reached the limit of its cost",
        EndReason::Failed => "it failed",
        EndReason::Interrupted => "it was interrupted",
    }
}
