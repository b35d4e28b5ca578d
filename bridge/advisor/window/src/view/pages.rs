//! The method `html` of pages whose values are shared with other pages. Not here: the values.

use askama::Template;

use super::now::{LiveRun, Now};
use super::run::Run;
use super::runs::Runs;
use super::shell::{Place, Shell, render};
use crate::foreign::plain;
use crate::frame::Frame;

#[derive(Template)]
#[template(path = "now.html")]
struct NowPage<'a> {
    shell: Shell<'a>,
    view: &'a Now,
}

impl Now {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::Now);
        render(&NowPage { shell, view: self })
    }
}

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage<'a> {
    shell: Shell<'a>,
    view: &'a Runs,
}

impl Runs {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        render(&RunsPage { shell: Shell::new(frame, Place::Runs), view: self })
    }
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage<'a> {
    shell: &'a Shell<'a>,
    view: &'a Run,
    /// Its progress, if it has not ended.
    card: Option<LiveRun>,
    title: String,
}

impl Run {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::One);
        let card = (!self.row.state.is_terminal()).then(|| self.live());
        let title = plain(self.row.problem.as_deref().unwrap_or(shell.w.run));
        render(&RunPage { shell: &shell, view: self, card, title })
    }

    fn live(&self) -> LiveRun {
        LiveRun {
            row: self.row.clone(),
            last: self.timeline.iter().rev().find_map(|moment| moment.event.entry()),
            progress: self.progress.clone(),
            driver: self.facts.driver.clone(),
            attempt: self.facts.attempts,
        }
    }
}
