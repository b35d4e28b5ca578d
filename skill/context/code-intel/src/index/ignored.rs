//! What the ignore files of a repository leave out. They are as foreign as the rest of it: read through no link,
//! without waiting for a pipe of that name, and only so far. Absent: the walk.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use host::Beneath;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;

use crate::root::RepoRoot;

/// Ignore files of every folder, the stronger last.
const FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The ignore file of a repository that no commit holds.
const EXCLUDE: &str = ".git/info/exclude";

/// How much of an ignore file is read, in bytes: each pattern takes time for every file.
const MAX_BYTES: u64 = 256 << 10;

/// The ignore files from the top of the repository down, as far as a walk has come.
pub(super) struct Ignored {
    /// Of each folder that has ignore files of its own, and of the root.
    levels: RwLock<FxHashMap<PathBuf, Arc<Level>>>,
}

/// What one folder's files say, and those above it.
struct Level {
    own: Gitignore,
    above: Option<Arc<Level>>,
}

impl Ignored {
    /// For a walk from `root`. The user's own file counts too, and so do those between `root` and the top of its
    /// repository.
    pub(super) fn of(root: &RepoRoot) -> Self {
        let root = root.path();
        // What cannot be read of the user's own file ignores nothing.
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

    /// Whether an entry of a folder that was entered is left out. A folder that is not counts as entered.
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

    /// The innermost level that speaks of `path`.
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

    /// The level of a folder below it; none where the folder has no ignore file.
    fn below<'f>(
        self: &Arc<Self>,
        folder: &Path,
        files: impl Iterator<Item = &'f &'f str>,
    ) -> Option<Self> {
        let mut builder = GitignoreBuilder::new(folder);
        for file in files {
            for line in text(folder, file).unwrap_or_default().lines() {
                // A pattern that cannot be read ignores nothing, as with git.
                let _ = builder.add_line(None, line);
            }
        }
        let own = builder.build().ok().filter(|own| !own.is_empty())?;
        Some(Self { own, above: Some(Arc::clone(self)) })
    }
}

/// The beginning of a plain file; none where there is no such file.
fn text(folder: &Path, file: &str) -> Option<String> {
    // Most folders have none: this is one call, and opening it beneath the folder is four.
    let is_plain = folder.join(file).symlink_metadata().is_ok_and(|found| found.is_file());
    let opened = is_plain.then(|| Beneath::of(folder).open(file).ok()).flatten()?;
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
