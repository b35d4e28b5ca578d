//! What only this host knows of a call: its folders as they really are, and where links lead.

use std::fs;
use std::path::{Path, PathBuf};

use claude_hooks::Call;
use gate::{Context, Links, Written};

use crate::config::Config;
use crate::places::Places;

/// The folders of a call, as text.
pub struct Surroundings {
    /// The working folder.
    pub cwd: String,
    /// The project's root.
    pub project: String,
    home: String,
    scratch: Vec<String>,
    protected: Vec<String>,
}

/// Links as the file system has them.
struct OnDisk;

impl Surroundings {
    /// Of a hook's call.
    pub fn new(call: &Call, places: &Places, config: &Config) -> Self {
        Self::of(&call.cwd, places, config)
    }

    /// Of a working folder.
    pub fn of(cwd: &Path, places: &Places, config: &Config) -> Self {
        let inside = |path: &String| text(&places.project.join(path));
        let mut protected: Vec<String> = config.protected.iter().map(inside).collect();
        protected.push(text(&places.user_config));
        protected.push(text(&places.client_config));
        protected.extend(std::env::current_exe().ok().map(|program| text(&program)));
        Self {
            cwd: text(&real(cwd)),
            project: text(&real(&places.project)),
            home: text(&real(&places.home)),
            scratch: config.scratch.iter().map(inside).collect(),
            protected,
        }
    }

    /// For the gate.
    pub fn context<'a>(&'a self, written: &'a [Written]) -> Context<'a> {
        Context {
            cwd: &self.cwd,
            project: &self.project,
            home: &self.home,
            scratch: &self.scratch,
            protected: &self.protected,
            written,
            links: &OnDisk,
        }
    }
}

impl Links for OnDisk {
    fn resolve(&self, path: &str) -> Option<String> {
        let plain = Path::new(path);
        if !plain.is_absolute() || path.contains('\0') {
            return None;
        }
        let real = real(plain);
        (real != plain).then(|| text(&real))
    }
}

/// Where a path really leads: what exists of it resolved, the rest as it is.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for folder in path.ancestors() {
        if let Ok(found) = fs::canonicalize(folder) {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
        let Some(name) = folder.file_name() else { break };
        rest.push(name);
    }
    path.to_path_buf()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
