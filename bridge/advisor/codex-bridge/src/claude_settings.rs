//! What another program's settings have to say of us: the permissions that let Claude Code run what
//! the skill needs of `codex-advisor` without asking.
//!
//! The settings are the user's. One entry that Claude Code does not understand makes it drop a whole
//! file (Claude Code 2.1), so a file that is not as expected is refused and left alone. What is
//! changed is replaced in one step, with a copy of the old file beside it.

mod rules;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use claude_hooks::settings::Change;
use claude_hooks::settings::{Edit, SettingsFault, file};
use jiff::Timestamp;

use crate::config::Environment;

/// What Claude Code may run: what the skill does (`skills/codex-advisor/SKILL.md`), and nothing else.
/// The question comes on standard input.
pub const RULES: [&str; 3] =
    ["Bash(codex-advisor ask - *)", "Bash(codex-advisor wait *)", "Bash(codex-advisor runs *)"];

/// What earlier versions wrote, and more than the skill needs: taken out wherever it is found.
pub const WIDER: [&str; 2] = ["Bash(codex-advisor *)", "Bash(codex-advisor:*)"];

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// The change is made.
    Real,
    /// The change is only told.
    Dry,
}

/// What was done, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The settings file.
    pub path: PathBuf,
    /// What became of it.
    pub outcome: Outcome,
    /// Where the old file was copied to.
    pub backup: Option<PathBuf>,
    /// What is allowed but probably not meant, one sentence each.
    pub warnings: Vec<String>,
}

/// What became of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was as it should be.
    Unchanged,
    /// It was made.
    Made,
    /// It was changed.
    Changed,
    /// Nothing but our rules was in it, so it was removed.
    Removed,
}

impl Outcome {
    /// The word for it in JSON.
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

/// Why the settings were left alone.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Nothing says where they are.
    #[error("HOME is not set, so Claude Code's settings are not found; set it, or give --settings")]
    Nowhere,
    /// They are not what Claude Code takes.
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
        /// What the system said.
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

/// Makes the change in this settings file, or tells what it would be.
///
/// # Errors
/// [`SetupError::Settings`], [`SetupError::File`]; the file is as it was then.
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

/// A name for the old file that no earlier one has.
fn beside(path: &Path) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".bak-{stamp}"));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
