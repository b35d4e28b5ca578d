//! `install` and `uninstall`: two small files in Claude Code's folder, and one entry in its settings.
//! Existing files of others stay, or are kept as a copy; uninstalling restores everything
//! as it was before, byte for byte if it was not changed since.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use claude_hooks::settings::{Change, Edit, SettingsFault, file};
use host::environment::Environment;

use super::install_location::{InstallLocation, Scope};
use super::once;
use super::settings;

/// Suffix of the copy of a settings file from before our entry.
const BEFORE: &str = ".before-context-inject";
/// Suffix of a foreign file that was in the place of ours.
const THEIRS: &str = ".not-of-codex-bridge";

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum InstallError {
    /// The location of Claude Code's folder is unknown.
    #[error("HOME is not set, so Claude Code's folder is not found")]
    Nowhere,
    /// The project's folder does not exist.
    #[error("--project: {} is no folder", path.display())]
    NoProject {
        /// The path.
        path: PathBuf,
    },
    /// Claude Code would not accept the settings.
    #[error("{} was left alone: {fault}", path.display())]
    Settings {
        path: PathBuf,
        /// What is wrong with it, and where.
        fault: SettingsFault,
    },
    /// A file cannot be read or written.
    #[error("{} cannot be used: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
}

/// Installs or updates the hook. Returns a line for each change; empty if nothing
/// had to be changed.
///
/// # Errors
/// [`InstallError`]; settings that Claude Code would ignore are detected before anything is written.
pub(super) fn install(place: &InstallLocation) -> Result<Vec<String>, InstallError> {
    let own = std::env::current_exe();
    let own = own.map_err(|source| InstallError::File { path: "this program".into(), source })?;
    let (path, before, edit) = planned(place, Change::Add)?;
    let mut done = Vec::new();
    for (file, content) in place.files(&own) {
        match current(&file)? {
            Some(text) if text == content => {}
            old => {
                if old.as_ref().is_some_and(|text| !is_ours(text)) {
                    let aside = suffixed(&file, THEIRS);
                    fs::rename(&file, &aside).map_err(|source| fault(&file, source))?;
                    done.push(format!("  kept    {} (it was not ours)", aside.display()));
                }
                replace(&file, &content, 0o755)?;
                let word = if old.is_some() { "update" } else { "new   " };
                done.push(format!("  {word}  {}", file.display()));
            }
        }
    }
    if let Edit::Write(text) = &edit {
        let mode = file::mode(&path);
        if let Some(before) = &before {
            let copy = suffixed(&path, BEFORE);
            replace(&copy, before, mode)?;
            done.push(format!("  kept    {} (how the settings were)", copy.display()));
        }
        replace(&path, text, mode)?;
        done.push(format!("  hook    registered in {}", path.display()));
    }
    Ok(done)
}

/// Removes the hook from the settings; from the user's settings also its files and marks.
///
/// # Errors
/// [`InstallError`]; if the settings cannot be read, nothing is removed.
pub(super) fn uninstall(
    place: &InstallLocation,
    environment: &Environment,
) -> Result<Vec<String>, InstallError> {
    let (path, _, edit) = planned(place, Change::Remove)?;
    let mut done = Vec::new();
    let copy = suffixed(&path, BEFORE);
    let copied = current(&copy)?;
    match edit {
        Edit::Keep => {}
        Edit::Delete => {
            remove(&path)?;
            done.push(format!("  remove  {} (nothing else was in it)", path.display()));
        }
        Edit::Write(text) => {
            // Unchanged except for our entry: restore the user's text, white space included.
            let own = copied.as_ref().filter(|old| settings::is_same(old, &text));
            replace(&path, own.unwrap_or(&text), file::mode(&path))?;
            done.push(format!("  hook    taken out of {}", path.display()));
        }
    }
    if copied.is_some() {
        remove(&copy)?;
    }
    let mut folders = vec![place.hooks(), place.claude.clone()];
    match place.scope {
        Scope::Project => folders = path.parent().map(Path::to_owned).into_iter().collect(),
        Scope::User => {
            for (file, _) in place.files(Path::new("")) {
                if current(&file)?.is_some_and(|text| is_ours(&text)) {
                    remove(&file)?;
                    done.push(format!("  remove  {}", file.display()));
                }
                let aside = suffixed(&file, THEIRS);
                if aside.exists() && !file.exists() {
                    fs::rename(&aside, &file).map_err(|source| fault(&file, source))?;
                    done.push(format!("  back    {}", file.display()));
                }
            }
            if let Some(marks) = once::folder(environment) {
                // It may be absent, or contain files of others.
                let _ = fs::remove_dir_all(&marks);
                folders.extend(marks.ancestors().skip(1).take(2).map(Path::to_owned));
            }
        }
    }
    // Removes only empty folders.
    for folder in folders {
        let _ = fs::remove_dir(folder);
    }
    Ok(done)
}

/// The settings file with links resolved, its text, and its new text.
fn planned(
    place: &InstallLocation,
    change: Change,
) -> Result<(PathBuf, Option<String>, Edit), InstallError> {
    let path = file::behind_links(&place.settings);
    let before = current(&path)?;
    let edit = place.with_hook(|hook| settings::edit(before.as_deref(), hook, change));
    match edit {
        Ok(edit) => Ok((path, before, edit)),
        Err(fault) => Err(InstallError::Settings { path, fault }),
    }
}

/// A file's text; `None` if it does not exist.
///
/// # Errors
/// [`InstallError::File`].
pub(super) fn current(path: &Path) -> Result<Option<String>, InstallError> {
    file::read(path).map_err(|source| fault(path, source))
}

/// Replaces a file atomically.
fn replace(path: &Path, content: &str, mode: u32) -> Result<(), InstallError> {
    file::write(path, content, mode).map_err(|source| fault(path, source))
}

fn remove(path: &Path) -> Result<(), InstallError> {
    fs::remove_file(path).map_err(|source| fault(path, source))
}

/// Whether a file in the hooks' folder was made by this program, in any version.
pub(super) fn is_ours(text: &str) -> bool {
    let becomes = ["# Becomes the installed `context-inject`", "# The old name of the hook"];
    text.lines().nth(1).is_some_and(|line| becomes.iter().any(|start| line.starts_with(start)))
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn fault(path: &Path, source: io::Error) -> InstallError {
    InstallError::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
