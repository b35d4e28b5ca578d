//! The findings, as text and as JSON.

use std::fmt;

use serde_json::{Value as Json, json};

use contract::readiness::Check;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing to do.
    Ok,
    /// Skipped, because an earlier check failed.
    Skip,
    /// It works, but with a restriction or not for long.
    Warn,
    /// It does not work.
    Fail,
}

impl Level {
    /// The word in the report.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Skip => "skip",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name, such as `token`.
    pub name: String,
    /// How bad it is.
    pub level: Level,
    /// What was found.
    pub message: String,
    /// How to fix it; absent if nothing needs to be done.
    pub mend: Option<String>,
}

impl Finding {
    /// A passed check.
    pub(super) fn ok(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), level: Level::Ok, message: message.into(), mend: None }
    }

    /// A warning.
    pub(super) fn warn(name: &str, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            level: Level::Warn,
            message: message.into(),
            mend: Some(mend.into()),
        }
    }

    /// A failure.
    pub(super) fn fail(name: &str, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            level: Level::Fail,
            message: message.into(),
            mend: Some(mend.into()),
        }
    }
}

impl From<Check> for Finding {
    fn from(check: Check) -> Self {
        // A failed check without a hint was hidden by an earlier failure.
        let level = match (check.ok, &check.hint) {
            (true, _) => Level::Ok,
            (false, Some(_)) => Level::Fail,
            (false, None) => Level::Skip,
        };
        Self { name: check.name, level, message: check.message, mend: check.hint }
    }
}

/// All findings, in the order in which to fix them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// In the order in which the checks ran.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether no finding is a failure.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.count(Level::Fail) == 0
    }

    /// `healthy`, and `findings` with `name`, `level`, `message` and `mend`.
    #[must_use]
    pub fn json(&self) -> Json {
        let finding = |finding: &Finding| {
            json!({
                "name": finding.name,
                "level": finding.level.as_str(),
                "message": finding.message,
                "mend": finding.mend,
            })
        };
        let findings: Vec<Json> = self.findings.iter().map(finding).collect();
        json!({ "healthy": self.is_healthy(), "findings": findings })
    }

    fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
        for Finding { name, level, message, mend } in &self.findings {
            let level = level.as_str();
            // A message of several lines stays in its column.
            let message = message.trim().replace('\n', &format!("\n{:1$}", "", width + 8));
            writeln!(formatter, "{level:4}  {name:width$}  {message}")?;
            if let Some(mend) = mend {
                writeln!(formatter, "{:1$}mend: {mend}", "", width + 8)?;
            }
        }
        match (self.count(Level::Fail), self.count(Level::Warn)) {
            (0, 0) => writeln!(formatter, "\nEverything is right."),
            (0, warnings) => writeln!(formatter, "\nIt works; {warnings} to look at."),
            (failures, 0) => writeln!(formatter, "\n{failures} to mend."),
            (failures, warnings) => {
                writeln!(formatter, "\n{failures} to mend, {warnings} to look at.")
            }
        }
    }
}
