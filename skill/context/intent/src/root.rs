//! Finds the root folder of the context: set by the user, else git's top level, else the working
//! directory. The top level is found by looking for `.git` as git does, without running git, because
//! a prompt hook has no time for that. The tests compare the result with git's.

use std::path::{Component, Path, PathBuf};

use host::own::{is_work_tree, project_around};
use orchestration::variables;
use thiserror::Error;

use host::Environment;

/// A folder, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Absolute, without symbolic links.
    pub path: PathBuf,
    /// How it was found.
    pub source: Source,
}

/// How a root was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `CI_AUTO_TOOLS_REPO_ROOT`.
    Environment,
    /// `repo_root` of the file.
    File,
    /// The top level of a git work tree.
    Git,
    /// The working directory, because nothing else was found.
    WorkingDirectory,
}

/// Why a folder cannot be the root.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RootError {
    /// The folder does not exist.
    #[error("{place}: {path} is no folder that can be opened", path = path.display())]
    NoFolder {
        /// The setting that names it.
        place: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// The file of a repository names a folder outside of it.
    #[error(
        "config/auto-tools.yaml: repo_root: {path} leads out of the repository; only CI_AUTO_TOOLS_REPO_ROOT may do that",
        path = path.display()
    )]
    Outside {
        /// The path.
        path: PathBuf,
    },
}

impl Source {
    /// Its name in the report.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Environment => "env",
            Self::File => "config",
            Self::Git => "git",
            Self::WorkingDirectory => "no-git-root",
        }
    }
}

impl Root {
    /// The root for a working directory.
    ///
    /// # Errors
    /// [`RootError::NoFolder`] if the configured root, or the working directory, is not a folder.
    pub fn find(environment: &Environment, cwd: &Path) -> Result<Self, RootError> {
        if let Some(path) = environment.get(variables::REPO_ROOT) {
            let path = folder(variables::REPO_ROOT, &cwd.join(path))?;
            return Ok(Self { path, source: Source::Environment });
        }
        let cwd = folder("working directory", cwd)?;
        Ok(match top_level(&cwd) {
            Some(top) => Self { path: top.to_owned(), source: Source::Git },
            None => Self { path: cwd, source: Source::WorkingDirectory },
        })
    }

    /// The folder set in the file of this root, which must be below the root. A root set by the environment is
    /// not changed.
    ///
    /// # Errors
    /// [`RootError::Outside`] if it is not below the root, [`RootError::NoFolder`] if it is not a folder.
    pub fn narrowed(self, path: &Path) -> Result<Self, RootError> {
        if self.source == Source::Environment {
            return Ok(self);
        }
        let inner = folder("config/auto-tools.yaml: repo_root", &self.path.join(path))?;
        if !inner.starts_with(&self.path) {
            return Err(RootError::Outside { path: path.to_owned() });
        }
        Ok(Self { path: inner, source: Source::File })
    }

    /// A path from a prompt, relative to the root, with `/` as the separator. `None` if
    /// it does not exist, or is outside of the root, also through a symbolic link.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let climbs = path.components().any(|part| part == Component::ParentDir);
        let resolved = (!climbs).then(|| self.path.join(path).canonicalize().ok()).flatten()?;
        let inside = resolved.strip_prefix(&self.path).ok()?.to_str()?;
        (!inside.is_empty()).then(|| inside.to_owned())
    }

    /// Whether a path from a prompt is outside of the root.
    #[must_use]
    pub fn is_outside(&self, path: &Path) -> bool {
        let climbs = path.components().any(|part| part == Component::ParentDir);
        let resolved = self.path.join(path).canonicalize();
        climbs || resolved.is_ok_and(|resolved| !resolved.starts_with(&self.path))
    }
}

fn folder(place: &'static str, path: &Path) -> Result<PathBuf, RootError> {
    let resolved = path.canonicalize().ok().filter(|resolved| resolved.is_dir());
    resolved.ok_or_else(|| RootError::NoFolder { place, path: path.to_owned() })
}

/// The nearest work tree at or above a folder.
fn top_level(cwd: &Path) -> Option<&Path> {
    let in_git_folder = cwd.components().any(|part| part.as_os_str() == ".git");
    if in_git_folder {
        return None;
    }
    // A work tree of another owner is not trusted, nor is anything above it.
    project_around(cwd, is_work_tree)
}

#[cfg(test)]
mod tests;
