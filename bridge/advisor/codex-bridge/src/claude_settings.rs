//! The permissions in Claude Code's settings that let it run, without asking, the `codex-advisor` commands that
//! the skill needs.
//!
//! The settings belong to the user. One entry that Claude Code does not understand makes it ignore the whole
//! file (Claude Code 2.1), so a file of an unexpected form is refused and left unchanged. A changed file is
//! replaced atomically, with a copy of the old one beside it.

mod rules;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use claude_hooks::settings::Change;
use claude_hooks::settings::{Edit, SettingsFault, file};
use jiff::Timestamp;

use crate::config::Environment;

/// The commands that the skill runs (`skills/codex-advisor/SKILL.md`), and nothing else.
/// The question is passed on standard input.
pub const RULES: [&str; 3] =
    ["Bash(codex-advisor ask - *)", "Bash(codex-advisor wait *)", "Bash(codex-advisor runs *)"];

/// Rules of earlier versions, wider than the skill needs; removed wherever they are found.
pub const WIDER: [&str; 2] = ["Bash(codex-advisor *)", "Bash(codex-advisor:*)"];

/// Whether the change is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// The change is written.
    Real,
    /// The change is only reported.
    Dry,
}

/// What was changed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The settings file.
    pub path: PathBuf,
    /// What happened to it.
    pub outcome: Outcome,
    /// Path of the copy of the old file.
    pub backup: Option<PathBuf>,
    /// What is allowed but probably unintended, one sentence each.
    pub warnings: Vec<String>,
}

/// What happened to a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It already had the wanted content.
    Unchanged,
    /// It was created.
    Made,
    /// It was changed.
    Changed,
    /// It held nothing but our rules and was removed.
    Removed,
}

impl Outcome {
    /// The value used in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Made => "made",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// Why the settings were left unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Their location is unknown.
    #[error("HOME is not set, so Claude Code's settings are not found; set it, or give --settings")]
    Nowhere,
    /// Claude Code would not accept them.
    #[error("{} was left alone: {fault}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        fault: SettingsFault,
    },
    /// A file cannot be read or written.
    #[error("{} cannot be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Where Claude Code keeps the user's settings.
///
/// # Errors
/// [`SetupError::Nowhere`].
pub fn path(environment: &Environment) -> Result<PathBuf, SetupError> {
    Ok(file::users_folder(environment).ok_or(SetupError::Nowhere)?.join("settings.json"))
}

/// Makes the change in this settings file, or reports what it would be.
///
/// # Errors
/// [`SetupError::Settings`], [`SetupError::File`]; the file is unchanged.
pub fn apply(settings: &Path, change: Change, run: Run) -> Result<Applied, SetupError> {
    let path = file::behind_links(settings);
    let unusable = |source| SetupError::File { path: path.clone(), source };
    let before = file::read(&path).map_err(unusable)?;
    let edit = rules::edit(before.as_deref(), change)
        .map_err(|fault| SetupError::Settings { path: path.clone(), fault })?;
    let outcome = match (&edit.text, &before) {
        (Edit::Keep, _) => Outcome::Unchanged,
        (Edit::Write(_), None) => Outcome::Made,
        (Edit::Write(_), Some(_)) => Outcome::Changed,
        (Edit::Delete, _) => Outcome::Removed,
    };
    let backup = match outcome {
        Outcome::Changed => Some(beside(&path)),
        Outcome::Unchanged | Outcome::Made | Outcome::Removed => None,
    };
    if run == Run::Real {
        if let Some(backup) = &backup {
            fs::copy(&path, backup).map_err(unusable)?;
        }
        match &edit.text {
            Edit::Keep => {}
            Edit::Write(text) => file::write(&path, text, file::mode(&path)).map_err(unusable)?,
            Edit::Delete => fs::remove_file(&path).map_err(unusable)?,
        }
    }
    Ok(Applied { path, outcome, backup, warnings: edit.warnings })
}

/// An unused name for the copy of the old file.
fn beside(path: &Path) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".bak-{stamp}"));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
