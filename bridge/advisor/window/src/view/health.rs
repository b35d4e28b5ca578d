//! `/window/health`: each check, and the command that fixes it.

use askama::Template;

use super::shell::{Place, Shell, render};
use crate::frame::Frame;

/// `/window/health`.
#[derive(Debug, Clone)]
pub struct Health {
    /// The checks of `readyz` and `doctor`, in the order in which to fix them.
    pub checks: Vec<Check>,
    /// The daemon's version.
    pub version: String,
    /// The address it listens on.
    pub address: String,
    /// When it started.
    pub started_ms: i64,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Such as `codex_found`.
    pub name: String,
    /// Its severity.
    pub level: Level,
    /// The result.
    pub message: String,
    /// How to fix it.
    pub mend: Option<String>,
}

/// The severity of a check's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Nothing to do.
    Ok,
    /// Not checked, because an earlier check failed.
    Skip,
    /// It works, with a restriction or a problem to come.
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
