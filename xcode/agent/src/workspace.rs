//! The folders in which a session works, and resolving paths in them. No file is opened or changed here.
//!
//! How a file tool accesses only what was judged: [`Workspace::real`] resolves all links once, before the judgement.
//! The resulting path has no link, and the tool opens exactly that path: a link that was created in it since
//! then causes a refusal.

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
    /// The root first; links are resolved.
    folders: Arc<[PathBuf]>,
}

/// Why a workspace cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// A folder does not exist or cannot be examined.
    #[error("{} cannot be opened", path.display())]
    Unreachable {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// It is a file.
    #[error("{} is no folder", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
}

impl Workspace {
    /// A workspace of these folders. Their links are resolved now, and not again.
    ///
    /// # Errors
    /// [`WorkspaceError::Unreachable`] and [`WorkspaceError::NoFolder`] for the first unusable folder.
    pub fn open(root: &Path, added: &[PathBuf]) -> Result<Self, WorkspaceError> {
        let folders = std::iter::once(root).chain(added.iter().map(PathBuf::as_path));
        Ok(Self { folders: folders.map(folder).collect::<Result<_, _>>()? })
    }

    /// The folder that relative paths start from.
    pub fn root(&self) -> &Path {
        &self.folders[0]
    }

    /// The root and the folders that were added to it.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The absolute form of a model's path, with `.` and `..` resolved. The file system is not accessed.
    pub fn absolute(&self, path: &str) -> PathBuf {
        let mut absolute = PathBuf::from("/");
        for part in self.root().join(path).components() {
            match part {
                Component::Normal(name) => absolute.push(name),
                // Above `/` is `/`.
                Component::ParentDir => drop(absolute.pop()),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        absolute
    }

    /// The target of an absolute path with all links resolved, as far as it exists: the missing part is appended to the
    /// existing one.
    pub fn real(&self, path: &Path) -> PathBuf {
        links::follow(path)
    }

    /// A path for display: relative to the root if inside, `.` for the root.
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
