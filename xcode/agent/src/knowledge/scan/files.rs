//! The files at the root of a project, read through no link that leads out.

use crate::knowledge::source;
use crate::workspace::Workspace;

/// The files of a project.
pub(super) struct Files {
    root: Workspace,
}

impl Files {
    /// Those of a workspace.
    pub(super) fn new(root: Workspace) -> Self {
        Self { root }
    }

    /// What a file says; none where it is absent or cannot be read.
    pub(super) fn read(&self, path: &str) -> Option<String> {
        Some(source::read(&self.root, &self.root.root().join(path)).ok()??.text)
    }

    /// A file as JSON, whole; `None` where it is not JSON.
    pub(super) fn json(&self, path: &str) -> Option<serde_json::Value> {
        let text = source::read(&self.root, &self.root.root().join(path)).ok()??;
        serde_json::from_str(&text.text).ok()
    }

    /// A file as TOML.
    pub(super) fn toml(&self, path: &str) -> Option<toml::Table> {
        self.read(path)?.parse().ok()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.root.root().join(path).symlink_metadata().is_ok_and(|found| !found.is_dir())
    }

    pub(super) fn has_any(&self, paths: &[&str]) -> bool {
        paths.iter().any(|path| self.has(path))
    }

    /// The names in a folder inside, in their order.
    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        let folder = self.root.root().join(folder);
        let names = source::names(&self.root, &folder, "");
        let name = |path: &std::path::PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        names.iter().filter_map(name).collect()
    }
}
