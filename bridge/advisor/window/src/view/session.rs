//! `/window/sessions/{id}`: both rounds side by side, and the changes between them.

use askama::Template;
use contract::advice::Advice;
use contract::id::SessionId;

use super::run::{Ended, Run};
use super::runs::Row;
use super::shell::{Place, Shell, render};
use crate::changes::{Change, Changes, Piece};
use crate::foreign::{Foreign, foreign};
use crate::frame::Frame;

/// `/window/sessions/{id}`. The changes are computed here, from the last advice of each round.
#[derive(Debug, Clone)]
pub struct Session {
    /// The session's id.
    pub session_id: SessionId,
    /// When it was opened.
    pub created_ms: i64,
    /// After this time it is refused.
    pub expires_ms: i64,
    /// The number of rounds left.
    pub rounds_left: u8,
    /// Its runs, oldest first; their timelines are not shown and may be empty.
    pub runs: Vec<Run>,
}

#[derive(Template)]
#[template(path = "session.html")]
struct Page<'a> {
    shell: &'a Shell<'a>,
    view: &'a Session,
    headline: Foreign,
    changes: Option<Changes<'a>>,
    /// Title and changes of each list.
    lists: Vec<(&'static str, Vec<Change>)>,
    /// The last run of each round that has advice; without advice, its last run.
    rounds: Vec<&'a Run>,
    /// All other runs.
    tries: Vec<&'a Row>,
}

impl Session {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::One);
        let rounds: Vec<&Run> =
            [1, 2].into_iter().filter_map(|round| self.of_round(round)).collect();
        let mut changes = match rounds[..] {
            [first, second] => advice(first).zip(advice(second)),
            _ => None,
        }
        .map(|(before, after)| Changes::between(before, after));
        if let Some(changes) = &mut changes {
            for plan in [&mut changes.plan.0, &mut changes.plan.1] {
                *plan = shell.preferred_name(plan);
            }
        }
        let lists = changes.as_mut().map_or_else(Vec::new, |changes| {
            let take = std::mem::take::<Vec<Change>>;
            vec![
                (shell.w.alternatives, take(&mut changes.alternatives)),
                (shell.w.questions, take(&mut changes.questions)),
                (shell.w.assumptions, take(&mut changes.assumptions)),
            ]
        });
        let is_shown = |run: &Run| rounds.iter().any(|shown| shown.row.run_id == run.row.run_id);
        let tries = self.runs.iter().filter(|run| !is_shown(run)).map(|run| &run.row).collect();
        let problem = self.runs.iter().find_map(|run| run.row.problem.as_deref());
        let headline = foreign(problem.unwrap_or(shell.w.session));
        render(&Page { shell: &shell, view: self, headline, changes, lists, rounds, tries })
    }

    fn of_round(&self, round: u8) -> Option<&Run> {
        let runs = || self.runs.iter().rev().filter(|run| run.row.round == round);
        runs().find(|run| advice(run).is_some()).or_else(|| runs().next())
    }
}

fn advice(run: &Run) -> Option<&Advice> {
    match &run.ended {
        Ended::Advice(report) => Some(&report.advice),
        _ => None,
    }
}
