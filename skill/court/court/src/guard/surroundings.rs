//! The folders of a call with links resolved, which only this host knows.

use std::path::Path;

use claude_hooks::Call;
use gate::{Context, Disk as _};
use gate_disk::OnDisk;

use crate::config::Config;
use crate::places::Places;

/// The folders of a call, as text.
pub struct Surroundings<'a> {
    /// The working folder.
    pub cwd: String,
    /// The project's root.
    pub project: String,
    home: String,
    scratch: Vec<String>,
    protected: Vec<String>,
    disk: &'a OnDisk<'a>,
}

impl<'a> Surroundings<'a> {
    /// For a hook call.
    pub fn new(call: &Call, places: &Places, config: &Config, disk: &'a OnDisk<'a>) -> Self {
        Self::of(&call.cwd, places, config, disk)
    }

    /// For a working folder.
    pub fn of(cwd: &Path, places: &Places, config: &Config, disk: &'a OnDisk<'a>) -> Self {
        let inside = |path: &String| text(&places.project.join(path));
        let mut protected: Vec<String> = config.protected.iter().map(inside).collect();
        protected.push(text(&places.user_config));
        protected.push(text(&places.client_config));
        // It contains records that grant something, and the key that authenticates the user's approvals.
        protected.extend(places.state_dir.as_deref().map(text));
        let approver = places.approver();
        let files = approver.files();
        protected.extend([&files.key, &files.public, &files.pinned].map(|path| text(path)));
        protected.extend(std::env::current_exe().ok().map(|program| text(&program)));
        Self {
            cwd: real(cwd, disk),
            project: real(&places.project, disk),
            home: real(&places.home, disk),
            scratch: config.scratch.iter().map(inside).collect(),
            protected,
            disk,
        }
    }

    /// The context for the gate.
    pub fn context(&self) -> Context<'_> {
        Context {
            cwd: &self.cwd,
            project: &self.project,
            home: &self.home,
            scratch: &self.scratch,
            protected: &self.protected,
            disk: self.disk,
        }
    }
}

/// The real path: the existing part resolved, the rest unchanged.
fn real(path: &Path, disk: &OnDisk<'_>) -> String {
    let path = text(path);
    disk.resolve(&path).unwrap_or(path)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
