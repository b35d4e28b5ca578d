//! The folders in which a session works, and where a path leads. No file is opened or changed here.
//!
//! How a file tool keeps to what was judged: [`Workspace::real`] follows every link once, before the judgement.
//! The place that it names holds no link, and the tool opens exactly that place: a link that came into it since
//! then is refused.

mod links;
pub(crate) mod open;
pub(crate) mod stop;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod walk;
pub(crate) mod whole;

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The root of a session's work and the folders that were added to it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The root first; none holds a link.
    folders: Arc<[PathBuf]>,
}

/// A workspace that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// A folder cannot be found or looked at.
    #[error("{} cannot be opened", path.display())]
    Unreachable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is a file.
    #[error("{} is no folder", path.display())]
    NoFolder {
        /// Which.
        path: PathBuf,
    },
}

impl Workspace {
    /// A workspace of these folders. Their links are followed now, and never again.
    ///
    /// # Errors
    /// [`WorkspaceError::Unreachable`] and [`WorkspaceError::NoFolder`] for the first folder that is not there.
    pub fn open(root: &Path, added: &[PathBuf]) -> Result<Self, WorkspaceError> {
        let folders = std::iter::once(root).chain(added.iter().map(PathBuf::as_path));
        Ok(Self { folders: folders.map(folder).collect::<Result<_, _>>()? })
    }

    /// Where paths begin that are not absolute.
    pub fn root(&self) -> &Path {
        &self.folders[0]
    }

    /// The root and the folders that were added to it.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// A path as a model writes it: absolute, or below the root, with `.` and `..` folded. Nothing is looked at.
    pub fn absolute(&self, path: &str) -> PathBuf {
        let mut absolute = PathBuf::from("/");
        for part in self.root().join(path).components() {
            match part {
                Component::Normal(name) => absolute.push(name),
                // Above the top is the top.
                Component::ParentDir => drop(absolute.pop()),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        absolute
    }

    /// Where an absolute path leads through every link of it, as far as it exists: what is missing is below the
    /// last part that is there.
    pub fn real(&self, path: &Path) -> PathBuf {
        links::follow(path)
    }

    /// A path as it is told: relative to the root where it is inside, `.` for the root.
    pub fn shown<'p>(&self, path: &'p Path) -> Cow<'p, str> {
        match path.strip_prefix(self.root()) {
            Ok(below) if below.as_os_str().is_empty() => ".".into(),
            Ok(below) => below.to_string_lossy(),
            Err(_) => path.to_string_lossy(),
        }
    }
}

fn folder(path: &Path) -> Result<PathBuf, WorkspaceError> {
    let unreachable = |source| WorkspaceError::Unreachable { path: path.to_owned(), source };
    let real = path.canonicalize().map_err(unreachable)?;
    if !real.is_dir() {
        return Err(WorkspaceError::NoFolder { path: path.to_owned() });
    }
    Ok(real)
}
