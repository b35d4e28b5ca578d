//! `/window/health`: each check, and the command that mends it.

use askama::Template;

use super::shell::{Place, Shell, render};
use crate::frame::Frame;

/// `/window/health`.
#[derive(Debug, Clone)]
pub struct Health {
    /// The checks of `readyz` and `doctor`, in the order in which to mend them.
    pub checks: Vec<Check>,
    /// The daemon's version.
    pub version: String,
    /// Where it listens.
    pub address: String,
    /// When it started.
    pub started_ms: i64,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Such as `codex_found`.
    pub name: String,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub message: String,
    /// How to mend it.
    pub mend: Option<String>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Nothing to do.
    Ok,
    /// Not looked at, because something before it failed.
    Skip,
    /// It works, but worse or not for long.
    Warn,
    /// It does not work.
    Fail,
}

#[derive(Template)]
#[template(path = "health.html")]
struct Page<'a> {
    shell: Shell<'a>,
    view: &'a Health,
    failed: usize,
    warned: usize,
}

impl Health {
    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let count = |level| self.checks.iter().filter(|check| check.level == level).count();
        let (failed, warned) = (count(Level::Fail), count(Level::Warn));
        render(&Page { shell: Shell::new(frame, Place::Health), view: self, failed, warned })
    }
}
