//! The settings of code context and of the advisor.

use std::fmt;
use std::time::Duration;

use super::fields::Fields;
use super::source::{Source, Sourced};

/// Whether the advisor tool is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdvisorMode {
    /// If its daemon responds when the session begins.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

impl AdvisorMode {
    const WORDS: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];
}

impl fmt::Display for AdvisorMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::WORDS.iter().find(|(_, mode)| mode == self);
        formatter.write_str(word.map_or("", |(word, _)| word))
    }
}

/// The settings of code context and advisor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AidsConfig {
    /// Whether code is added to prompts, and the `ci_*` tools are offered.
    pub(crate) context: Sourced<bool>,
    pub(crate) advisor: Sourced<AdvisorMode>,
    /// The timeout of the advisor's answer.
    pub(crate) deadline: Sourced<Duration>,
    /// Whether the advisor checks the assumptions of a plan before its review.
    pub(crate) plan: Sourced<bool>,
}

/// The values in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InFile {
    context: Option<bool>,
    advisor: Option<AdvisorMode>,
    deadline_ms: Option<u64>,
    plan: Option<bool>,
}

impl InFile {
    /// Reads `context`, `advisor` and `plan`.
    pub(super) fn read(top: &mut Fields<'_>) -> Self {
        let mut inner = top.object("context");
        let context = inner.yes_or_no("enabled");
        inner.finish();
        let mut inner = top.object("advisor");
        let advisor = inner.word("enabled", &AdvisorMode::WORDS);
        let deadline_ms = inner.whole("deadlineMs", 1_000..=590_000);
        inner.finish();
        let mut inner = top.object("plan");
        let plan = inner.yes_or_no("advisor");
        inner.finish();
        Self { context, advisor, deadline_ms, plan }
    }
}

impl AidsConfig {
    /// The file's value, else the project's, else the default.
    pub(super) fn of(file: InFile, project: Option<bool>) -> Self {
        let deadline = file.deadline_ms.map(Duration::from_millis);
        Self {
            context: match (file.context, project) {
                (None, Some(value)) => Sourced { value, source: Source::Project },
                (file, _) => Sourced::or_default(file, true),
            },
            advisor: Sourced::or_default(file.advisor, AdvisorMode::Auto),
            deadline: Sourced::or_default(deadline, Duration::from_secs(120)),
            plan: Sourced::or_default(file.plan, false),
        }
    }
}
