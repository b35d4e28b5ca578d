//! Parts that several pages share, each with its own template.

use askama::Template;
use askama::filters::HtmlSafe;
use contract::failure::FailureCode;
use contract::run::RunState;

use super::now::LiveRun;
use super::run::{Asked, Ended, Run};
use super::runs::Row;
use super::shell::Shell;
use super::stage;
use crate::figure;

/// A run that has not ended.
#[derive(Template)]
#[template(path = "card.html")]
pub(super) struct Card<'a> {
    pub(super) shell: &'a Shell<'a>,
    pub(super) run: &'a LiveRun,
    /// Whether the page is only about this run.
    pub(super) alone: bool,
    pub(super) stage: String,
    pub(super) note: String,
    pub(super) elapsed_ms: u64,
    pub(super) age_ms: Option<u64>,
    pub(super) elapsed: String,
    pub(super) age: String,
}

/// A list of runs.
#[derive(Template)]
#[template(path = "rows.html")]
pub(super) struct Rows<'a> {
    pub(super) shell: &'a Shell<'a>,
    pub(super) rows: Vec<&'a Row>,
}

/// The question of a run.
#[derive(Template)]
#[template(path = "question.html")]
pub(super) struct Question<'a> {
    pub(super) shell: &'a Shell<'a>,
    pub(super) asked: &'a Asked,
    /// The level of its heading.
    pub(super) level: u8,
}

/// The outcome of a run.
#[derive(Template)]
#[template(path = "outcome.html")]
pub(super) struct Outcome<'a> {
    pub(super) shell: &'a Shell<'a>,
    pub(super) run: &'a Run,
    /// The level of its heading.
    pub(super) level: u8,
}

/// The facts about a run.
#[derive(Template)]
#[template(path = "facts.html")]
pub(super) struct Facts<'a> {
    pub(super) shell: &'a Shell<'a>,
    pub(super) run: &'a Run,
}

/// A list of untrusted texts.
#[derive(Template)]
#[template(path = "list.html")]
pub(super) struct List<'a> {
    pub(super) texts: &'a [String],
}

/// A state in a word or two.
#[derive(Template)]
#[template(path = "chip.html")]
pub(super) struct Chip {
    pub(super) class: &'static str,
    pub(super) word: &'static str,
    pub(super) code: Option<&'static str>,
    pub(super) title: Option<&'static str>,
}

/// A value before and after.
#[derive(Template)]
#[template(path = "turn.html")]
pub(super) struct Turn<'a> {
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

// Only the templates, which escape every value, create the HTML.
impl HtmlSafe for Card<'_> {}
impl HtmlSafe for Rows<'_> {}
impl HtmlSafe for Question<'_> {}
impl HtmlSafe for Outcome<'_> {}
impl HtmlSafe for Facts<'_> {}
impl HtmlSafe for List<'_> {}
impl HtmlSafe for Chip {}
impl HtmlSafe for Turn<'_> {}

impl<'a> Shell<'a> {
    pub(super) fn card(&'a self, run: &'a LiveRun, alone: bool) -> Card<'a> {
        let elapsed_ms = figure::since(&run.row.created_ms, &self.frame.now_ms);
        let age_ms = run.progress.as_ref().and_then(|progress| progress.silent_ms);
        Card {
            shell: self,
            run,
            alone,
            stage: stage::stage(self.w, run),
            note: stage::note(self.w, run),
            elapsed_ms,
            age_ms,
            elapsed: figure::going(Some(elapsed_ms)),
            age: figure::going(age_ms),
        }
    }

    pub(super) fn rows(&'a self, rows: &'a [Row]) -> Rows<'a> {
        Rows { shell: self, rows: rows.iter().collect() }
    }

    pub(super) fn row_refs(&'a self, rows: &[&'a Row]) -> Rows<'a> {
        Rows { shell: self, rows: rows.to_vec() }
    }

    pub(super) fn question(&'a self, asked: &'a Asked, level: u8) -> Question<'a> {
        Question { shell: self, asked, level }
    }

    pub(super) fn outcome(&'a self, run: &'a Run, level: u8) -> Outcome<'a> {
        Outcome { shell: self, run, level }
    }

    pub(super) fn facts(&'a self, run: &'a Run) -> Facts<'a> {
        Facts { shell: self, run }
    }

    pub(super) fn list<'t>(&self, texts: &'t [String]) -> List<'t> {
        List { texts }
    }

    pub(super) fn turn<'t>(&self, before: &'t str, after: &'t str) -> Turn<'t> {
        Turn { before, after }
    }

    pub(super) fn chip(&self, row: &Row) -> Chip {
        let class = match row.state {
            RunState::Queued | RunState::Running => "on",
            RunState::Succeeded => "ok",
            RunState::Failed | RunState::Interrupted => "bad",
            RunState::Cancelled => "off",
        };
        // The code of a cancelled or interrupted run would only repeat its state.
        let code = row.code.filter(|_| row.state == RunState::Failed);
        let title = code.map(|code| self.failure(&code).what);
        Chip { class, word: self.state_name(row.state), code: code.map(FailureCode::as_str), title }
    }
}
