//! `/window/projects[/{key}]`: the court's projects, and one of them with the calls that wait for the user.

use std::borrow::Borrow;

use askama::Template;
use contract::court::{
    self, Anchor, AnchorKind, Approver, Figures, Phase, Project, Request, Standing,
};

use super::shell::{Place, Shell, render};
use crate::figure::{UNKNOWN, When, when};
use crate::foreign::plain;
use crate::frame::Frame;

/// `/window/projects` and `/window/projects/{key}`.
#[derive(Debug, Clone)]
pub enum Projects {
    /// The session has no permission to see them.
    Hidden,
    /// The daemon is a system service, for which no sessions of agents exist.
    OfService,
    /// The court could not be run, with the reason.
    Unasked(String),
    /// All of them.
    List(Box<court::Projects>),
    /// One project, and why a requested action was not done.
    One(Box<Project>, Option<String>),
}

#[derive(Template)]
#[template(path = "projects.html")]
struct ListPage<'a> {
    shell: &'a Shell<'a>,
    view: &'a Projects,
}

#[derive(Template)]
#[template(path = "project.html")]
struct OnePage<'a> {
    shell: &'a Shell<'a>,
    project: &'a Project,
    /// Why a requested action was not done.
    not_done: Option<&'a str>,
    title: String,
    /// Whether approving and refusing can be offered.
    can_decide: bool,
}

#[derive(Template)]
#[template(path = "approver.html")]
pub(super) struct ApproverLine<'a> {
    shell: &'a Shell<'a>,
    approver: &'a Approver,
}

impl askama::filters::HtmlSafe for ApproverLine<'_> {}

impl Projects {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = &Shell::new(frame, Place::Projects);
        let Self::One(project, not_done) = self else {
            return render(&ListPage { shell, view: self });
        };
        render(&OnePage {
            shell,
            project,
            not_done: not_done.as_deref(),
            title: plain(&project.summary.root),
            can_decide: matches!(project.approver.standing, Standing::Own | Standing::Pinned),
        })
    }
}

impl<'a> Shell<'a> {
    fn approver(&'a self, approver: &'a Approver) -> ApproverLine<'a> {
        ApproverLine { shell: self, approver }
    }

    fn anchor_kind(&self, anchor: &Anchor) -> (&'static str, &'static str) {
        match anchor.kind {
            AnchorKind::Decision => ("off", self.w.kind_decision),
            AnchorKind::Risk => ("warn", self.w.kind_risk),
            AnchorKind::Task => ("on", self.w.kind_task),
        }
    }

    /// The path for the form of a request.
    fn request_path(&self, project: &Project, request: &Request) -> String {
        format!("/window/projects/{}/requests/{}", project.summary.key, request.id)
    }
}

/// The counts of a project, if known.
struct Counts {
    waiting: String,
    risks: String,
    tasks: String,
    decisions: String,
    /// Whether something waits for the user.
    waits: bool,
}

impl Counts {
    fn of(project: &court::Summary) -> Self {
        let figures = project.figures.as_ref();
        let shown = |of: fn(&Figures) -> usize| {
            figures.map_or_else(|| UNKNOWN.to_owned(), |figures| of(figures).to_string())
        };
        Self {
            waiting: shown(|figures| figures.waiting),
            risks: shown(|figures| figures.risks),
            tasks: shown(|figures| figures.tasks),
            decisions: shown(|figures| figures.decisions),
            waits: figures.is_some_and(|figures| figures.waiting > 0),
        }
    }
}

fn phase(project: &court::Summary) -> Option<&Phase> {
    project.figures.as_ref()?.phase.as_ref()
}

/// A time of the court, in milliseconds since 1970.
fn at(ms: impl Borrow<u64>) -> When {
    when(&i64::try_from(*ms.borrow()).unwrap_or(i64::MAX))
}
