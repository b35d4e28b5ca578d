//! A pattern of paths: `src/**`, `*.md`, `~/notes`, `/srv/data`.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::fault::Fault;

/// A pattern for paths, and everything below them.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    from: From,
    matchers: [GlobMatcher; 2],
}

/// What the pattern is matched against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The path relative to a folder of the workspace.
    Workspace,
    /// The path relative to the home folder.
    Home,
    /// The whole path.
    Root,
}

impl Paths {
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let (from, pattern) = match text {
            "" => return Err(Fault::Empty),
            "*" => (From::Workspace, "**"),
            _ => match text.strip_prefix("~/") {
                Some(below) => (From::Home, below),
                None if text.starts_with('/') => (From::Root, text),
                None => (From::Workspace, text.strip_prefix("./").unwrap_or(text)),
            },
        };
        let pattern = pattern.trim_end_matches('/');
        if pattern.split('/').any(|part| part == "..") {
            return Err(Fault::Path("it leads upwards".to_owned()));
        }
        // As in an ignore file, a name without a slash matches at any depth.
        let anywhere = from == From::Workspace && !pattern.contains('/');
        let pattern = if anywhere { format!("**/{pattern}") } else { pattern.to_owned() };
        Ok(Self { from, matchers: [glob(&pattern)?, glob(&format!("{pattern}/**"))?] })
    }

    pub(super) fn covers(&self, path: &Path, folders: &[PathBuf], home: &Path) -> bool {
        let is_meant = |path: &Path| self.matchers.iter().any(|matcher| matcher.is_match(path));
        match self.from {
            From::Workspace => {
                folders.iter().filter_map(|folder| path.strip_prefix(folder).ok()).any(is_meant)
            }
            From::Home => path.strip_prefix(home).is_ok_and(is_meant),
            From::Root => is_meant(path),
        }
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, Fault> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
    Ok(glob.map_err(|error| Fault::Path(error.kind().to_string()))?.compile_matcher())
}
