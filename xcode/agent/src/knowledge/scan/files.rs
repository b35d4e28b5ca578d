//! Reads the files at the root of a project, without following links out of it.

use crate::knowledge::source;
use crate::workspace::Workspace;

/// The files of a project.
pub(super) struct Files {
    root: Workspace,
}

impl Files {
    /// The files of a workspace.
    pub(super) fn new(root: Workspace) -> Self {
        Self { root }
    }

    /// The text of a file; none if it is absent or cannot be read.
    pub(super) fn read(&self, path: &str) -> Option<String> {
        Some(source::read(&self.root, &self.root.root().join(path)).ok()??.text)
    }

    /// A whole file parsed as JSON; `None` if it is not JSON.
    pub(super) fn json(&self, path: &str) -> Option<serde_json::Value> {
        let text = source::read(&self.root, &self.root.root().join(path)).ok()??;
        serde_json::from_str(&text.text).ok()
    }

    /// A file parsed as TOML.
    pub(super) fn toml(&self, path: &str) -> Option<toml::Table> {
        self.read(path)?.parse().ok()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.root.root().join(path).symlink_metadata().is_ok_and(|found| !found.is_dir())
    }

    pub(super) fn has_any(&self, paths: &[&str]) -> bool {
        paths.iter().any(|path| self.has(path))
    }

    /// The sorted names in a folder of the project.
    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        let folder = self.root.root().join(folder);
        let names = source::names(&self.root, &folder, "");
        let name = |path: &std::path::PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        names.iter().filter_map(name).collect()
    }
}
