//! The common frame of all pages and the functions of the templates: title, navigation,
//! language, signing out, and the shared parts.

use askama::Template;
use contract::failure::FailureCode;
use contract::id::RunId;
use contract::run::{RunKind, RunState};

use super::run::Moment;
use super::runs::{Filter, Row};
use super::stage::{self, amount};
use crate::asset;
use crate::foreign::{Foreign, foreign};
use crate::frame::{Frame, Viewer, Waiting};
use crate::lang::Lang;
use crate::words::Words;

/// The most projects named in the line about waiting calls.
const WAITING_MAX: usize = 3;

/// The place of a page in the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Now,
    Runs,
    /// One run or one session: below the history.
    One,
    Usage,
    Context,
    Projects,
    Health,
    Guest,
}

/// The data that every template reads.
pub(super) struct Shell<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) w: &'static Words,
    pub(super) place: Place,
    pub(super) assets: asset::Names,
}

/// The page as text.
pub(super) fn render(page: &impl Template) -> String {
    page.render().expect("a page is written into memory")
}

impl<'a> Shell<'a> {
    pub(super) fn new(frame: &'a Frame<'a>, place: Place) -> Self {
        Self { frame, w: frame.lang.words(), place, assets: asset::names() }
    }

    pub(super) fn is_user(&self) -> bool {
        self.frame.viewer == Viewer::User
    }

    pub(super) fn title(&self) -> &'static str {
        match self.place {
            Place::Now | Place::Guest => self.w.now,
            Place::Runs | Place::One => self.w.runs,
            Place::Usage => self.w.usage,
            Place::Context => self.w.prompts,
            Place::Projects => self.w.projects,
            Place::Health => self.w.health,
        }
    }

    /// Path and name of each page in the navigation bar, and whether it is the current page.
    pub(super) fn pages(&self) -> [(&'static str, &'static str, bool); 6] {
        let w = self.w;
        let here = |place| self.place == place;
        [
            ("/", w.now, here(Place::Now)),
            ("/window/runs", w.runs, here(Place::Runs)),
            ("/window/usage", w.usage, here(Place::Usage)),
            ("/window/context", w.prompts, here(Place::Context)),
            ("/window/projects", w.projects, here(Place::Projects)),
            ("/window/health", w.health, here(Place::Health)),
        ]
    }

    /// The line that calls wait for the user. The pages of projects have their own.
    pub(super) fn waits(&self) -> Option<String> {
        let count: usize = self.frame.waits.iter().map(|waiting| waiting.count).sum();
        let is_told = count > 0 && self.place != Place::Projects;
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        is_told.then(|| amount(count, self.w.request_waits_one, self.w.request_waits_many))
    }

    /// The projects named in that line.
    pub(super) fn waiting(&self) -> &[Waiting] {
        &self.frame.waits[..self.frame.waits.len().min(WAITING_MAX)]
    }

    /// How many projects are not named; absent where each is.
    pub(super) fn waiting_left_out(&self) -> Option<String> {
        let count =
            u64::try_from(self.frame.waits.len() - self.waiting().len()).unwrap_or(u64::MAX);
        (count > 0).then(|| amount(count, self.w.other_project_one, self.w.other_project_many))
    }

    pub(super) fn other_language(&self) -> (&'static str, &'static str, String) {
        let other = match self.frame.lang {
            Lang::En => Lang::Zh,
            Lang::Zh => Lang::En,
        };
        (other.tag(), other.words().language, self.frame.in_language(other))
    }

    pub(super) fn token(&self, path: &str) -> String {
        (self.frame.form_token)(path)
    }

    pub(super) fn cancel_path(&self, run_id: &RunId) -> String {
        format!("/window/runs/{run_id}/cancel")
    }

    /// The question of a run, in one line.
    pub(super) fn problem(&self, row: &Row) -> Foreign {
        foreign(row.problem.as_deref().unwrap_or(self.w.not_kept_short))
    }

    /// The kind of a run, and the round of its session.
    pub(super) fn kind(&self, row: &Row) -> String {
        match row.kind {
            RunKind::Analyze => format!("{} {}", self.w.round, row.round),
            RunKind::Orchestrate => self.w.turn.to_owned(),
        }
    }

    pub(super) fn moment(&self, moment: &Moment) -> String {
        stage::moment(self.w, &moment.event)
    }

    /// Value and name of each state, and whether it is selected.
    pub(super) fn states(&self, filter: &Filter) -> Vec<(&'static str, &'static str, bool)> {
        let each = |state: &RunState| {
            (state.as_str(), self.state_name(*state), filter.state == Some(*state))
        };
        RunState::ALL.iter().map(each).collect()
    }

    pub(super) fn kinds(&self, filter: &Filter) -> Vec<(&'static str, &'static str, bool)> {
        let each =
            |kind: &RunKind| (kind.as_str(), self.kind_name(*kind), filter.kind == Some(*kind));
        RunKind::ALL.iter().map(each).collect()
    }

    /// Each failure code of runs, and whether it is selected.
    pub(super) fn codes(&self, filter: &Filter) -> Vec<(&'static str, bool)> {
        FailureCode::ALL.iter().map(|code| (code.as_str(), filter.code == Some(*code))).collect()
    }
}
