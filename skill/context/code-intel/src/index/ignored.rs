//! The ignore files of a repository. They are as untrusted as the rest of it: read without following a link,
//! without blocking on a pipe, and up to a maximum size. Not here: the walk.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use host::Beneath;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use crate::root::RepoRoot;

/// Names of ignore files, the stronger last.
const FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The repository's local exclude file.
const EXCLUDE: &str = ".git/info/exclude";

/// Maximum size of an ignore file, in bytes: each pattern costs time for every file.
const MAX_BYTES: u64 = 256 << 10;

/// The ignore files from the top of the repository down to the current position of a walk.
pub(super) struct Ignored {
    /// Levels of the root and of each folder with ignore files.
    levels: RwLock<FxHashMap<PathBuf, Arc<Level>>>,
}

/// The patterns of one folder's files, and a link to the level above.
struct Level {
    own: Gitignore,
    above: Option<Arc<Level>>,
}

impl Ignored {
    /// For a walk from `root`. Includes the user's global file, and those between `root` and the top of its
    /// repository.
    pub(super) fn of(root: &RepoRoot) -> Self {
        let root = root.path();
        // Unreadable patterns of the global file are ignored.
        let (global, _) = GitignoreBuilder::new(root).build_global();
        let mut level = Arc::new(Level { own: global, above: None });
        let top = host::own::repository_around(root).unwrap_or(root);
        let mut folders: Vec<&Path> =
            root.ancestors().take_while(|folder| folder.starts_with(top)).collect();
        folders.reverse();
        for folder in folders {
            let files = [EXCLUDE].iter().chain(&FILES);
            level = level.below(folder, files).map_or(level, Arc::new);
        }
        Self { levels: RwLock::new(FxHashMap::from_iter([(root.to_owned(), level)])) }
    }

    /// Whether an entry of a visited folder is ignored. A visited folder counts as not ignored.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let Some(level) = self.above(path) else { return false };
        if level.leaves_out(path, is_folder) {
            return true;
        }
        if is_folder && let Some(level) = level.below(path, FILES.iter()) {
            let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
            levels.insert(path.to_owned(), Arc::new(level));
        }
        false
    }

    /// The innermost level for `path`.
    fn above(&self, path: &Path) -> Option<Arc<Level>> {
        let levels = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        path.ancestors().skip(1).find_map(|folder| levels.get(folder).cloned())
    }
}

impl Level {
    fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let mut level = Some(self);
        while let Some(Self { own, above }) = level {
            match own.matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => level = above.as_deref(),
            }
        }
        false
    }

    /// The level of a subfolder; `None` if the folder has no ignore file.
    fn below<'f>(
        self: &Arc<Self>,
        folder: &Path,
        files: impl Iterator<Item = &'f &'f str>,
    ) -> Option<Self> {
        let mut builder = GitignoreBuilder::new(folder);
        for file in files {
            for line in text(folder, file).unwrap_or_default().lines() {
                // An invalid pattern is ignored, as in git.
                let _ = builder.add_line(None, line);
            }
        }
        let own = builder.build().ok().filter(|own| !own.is_empty())?;
        Some(Self { own, above: Some(Arc::clone(self)) })
    }
}

/// The beginning of a regular file; `None` if there is none.
fn text(folder: &Path, file: &str) -> Option<String> {
    // Most folders have none: this check is one system call, opening it safely is four.
    let is_plain = folder.join(file).symlink_metadata().is_ok_and(|found| found.is_file());
    let opened = is_plain.then(|| Beneath::of(folder).open(file).ok()).flatten()?;
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
