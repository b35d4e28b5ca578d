//! A home folder with a repository, `app`, in it.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::places::Places;

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("app/.git")).unwrap();
        Self { folder }
    }

    /// A path below it, by no link.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// Writes a file, and makes its folders.
    pub(crate) fn with(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn places(&self, root: &str) -> Places {
        Places::new(self.at(""), self.at(root))
    }
}
