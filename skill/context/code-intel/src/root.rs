//! The folder that questions are about, resolved once so that no path leads out of it later. The git
//! top level is found without git, by looking for `.git` in the parent folders.

use std::io;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

/// An existing folder, as an absolute path without symbolic links.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepoRoot(PathBuf);

/// Why a folder cannot be the root.
#[derive(Debug, Error)]
pub enum RootError {
    /// The path does not exist, or cannot be resolved.
    #[error("cannot open the folder {path}", path = path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The path exists but is not a folder.
    #[error("{path} is not a folder", path = path.display())]
    NotAFolder {
        /// The path as given.
        path: PathBuf,
    },
}

impl RepoRoot {
    /// Takes exactly this folder.
    ///
    /// # Errors
    /// [`RootError::Missing`] when it cannot be resolved, [`RootError::NotAFolder`] for a file.
    pub fn at(path: &Path) -> Result<Self, RootError> {
        let missing = |source| RootError::Missing { path: path.to_owned(), source };
        let resolved = path.canonicalize().map_err(missing)?;
        if resolved.is_dir() {
            Ok(Self(resolved))
        } else {
            Err(RootError::NotAFolder { path: path.to_owned() })
        }
    }

    /// The nearest folder at or above `start` that holds `.git`, else `start` itself; a repository owned by
    /// another user is ignored.
    ///
    /// # Errors
    /// As [`RepoRoot::at`].
    pub fn around(start: &Path) -> Result<Self, RootError> {
        let Self(start) = Self::at(start)?;
        let top = host::own::repository_around(&start);
        Ok(Self(top.unwrap_or(&start).to_owned()))
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a user's input relative to the root, with `/` between its parts. The input may be
    /// relative to the root or absolute. `None` when it leads out of the root, also through a symbolic
    /// link, or does not exist.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let climbs = path.components().any(|part| part == Component::ParentDir);
        let resolved = (!climbs).then(|| self.0.join(path).canonicalize().ok()).flatten()?;
        let inside = resolved.strip_prefix(&self.0).ok()?.to_str()?;
        Some(inside.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_path_never_leaves_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir_all(top.join("src")).unwrap();
        fs::write(top.join("src/a.rs"), "").unwrap();
        fs::write(folder.path().join("outside"), "").unwrap();
        std::os::unix::fs::symlink("../../outside", top.join("src/link")).unwrap();
        let root = RepoRoot::at(&top).unwrap();
        let relative = |path: &str| root.relative(Path::new(path));
        assert_eq!(relative("src/a.rs").as_deref(), Some("src/a.rs"));
        assert_eq!(relative("./src/a.rs").as_deref(), Some("src/a.rs"));
        let absolute = root.path().join("src/a.rs");
        assert_eq!(root.relative(&absolute).as_deref(), Some("src/a.rs"));
        for outside in ["../outside", "src/../src/a.rs", "src/link", "/etc/passwd", "src/none"] {
            assert_eq!(relative(outside), None, "{outside}");
        }
    }

    #[test]
    fn the_git_top_level_is_found_from_below() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("a/b")).unwrap();
        assert_eq!(RepoRoot::around(&top.join("a/b")).unwrap().path(), top.join("a/b"));
        fs::create_dir(top.join(".git")).unwrap();
        assert_eq!(RepoRoot::around(&top.join("a/b")).unwrap().path(), top);
    }

    #[test]
    fn what_is_no_folder_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(RepoRoot::at(&file), Err(RootError::NotAFolder { .. })));
        let missing = RepoRoot::at(&folder.path().join("none"));
        assert!(matches!(missing, Err(RootError::Missing { .. })));
    }
}
