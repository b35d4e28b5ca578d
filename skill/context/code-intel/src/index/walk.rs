//! Walks the repository to be indexed. Folders that git ignores, caches and dependencies are skipped, and so
//! are sensitive paths and anything behind a symbolic link.

use std::hash::Hasher;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::{WalkBuilder, WalkState};
use rustc_hash::FxHasher;

use super::ignored::Ignored;
use crate::deadline::Deadline;
use crate::paths;
use crate::root::RepoRoot;

/// Maximum number of files; more are left out, which the answer reports.
pub(crate) const MAX_FILES: usize = 300_000;

/// Folders with generated or downloaded files, skipped whether git ignores them or not.
const SKIPPED: [&str; 16] = [
    ".git",
    ".hg",
    ".jj",
    ".svn",
    ".bzr",
    ".cache",
    ".mypy_cache",
    ".next",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "node_modules",
];

/// Marks folders that can be regenerated, such as cargo's `target`.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// How often the clock is checked, in entries.
const CLOCK_EVERY: usize = 256;

/// Maximum age of a file at reading time, in nanoseconds, within which it may change without a new time stamp:
/// ten ticks of the coarsest clock by which Linux stamps files.
const UNSURE_NS: i128 = 100_000_000;

/// One file of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Path relative to the root, with `/` as the separator.
    pub(crate) path: String,
    pub(crate) size: u64,
    /// Changes whenever the file is written, replaced or touched.
    pub(crate) stamp: u64,
    /// Whether it is so new that it may change without a new stamp.
    pub(crate) young: bool,
}

/// Result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// Sorted by path.
    pub(crate) files: Vec<Seen>,
    /// Why files may be missing.
    pub(crate) limit: Option<String>,
}

/// Walks the tree until its end or the deadline.
pub(crate) fn walk(root: &RepoRoot, deadline: &Deadline) -> Walk {
    let found = Mutex::new(Vec::new());
    let (entries, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let late = std::sync::atomic::AtomicBool::new(false);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as i128);
    builder(root).build_parallel().run(|| {
        let mut batch = Batch { found: &found, files: Vec::new() };
        let (entries, kept, late) = (&entries, &kept, &late);
        Box::new(move |entry| {
            let clock = entries.fetch_add(1, Ordering::Relaxed).is_multiple_of(CLOCK_EVERY);
            if clock && deadline.passed() {
                late.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let Some(seen) = entry.ok().and_then(|entry| see(root.path(), &entry, now)) else {
                return WalkState::Continue;
            };
            if kept.fetch_add(1, Ordering::Relaxed) >= MAX_FILES {
                return WalkState::Quit;
            }
            batch.files.push(seen);
            WalkState::Continue
        })
    });
    let mut files = found.into_inner().unwrap_or_default();
    files.sort_unstable_by(|one: &Seen, other: &Seen| one.path.cmp(&other.path));
    let limit = if late.into_inner() {
        Some("time was over before all folders were seen".to_owned())
    } else if kept.into_inner() > MAX_FILES {
        Some(format!("more than {MAX_FILES} files: the others are left out"))
    } else {
        None
    };
    Walk { files, limit }
}

fn builder(root: &RepoRoot) -> WalkBuilder {
    let ignored = Ignored::of(root);
    let mut builder = WalkBuilder::new(root.path());
    builder
        // The standard filters would read any file with an ignore file's name, to its end.
        .standard_filters(false)
        .follow_links(false)
        .threads(std::thread::available_parallelism().map_or(2, usize::from).min(4))
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name().to_str().unwrap_or_default();
            let path = entry.path();
            let skipped = is_folder && (SKIPPED.contains(&name) || path.join(CACHE_TAG).exists());
            !skipped && !ignored.leaves_out(path, is_folder)
        });
    builder
}

/// The results of one thread; delivered when it ends.
struct Batch<'f> {
    found: &'f Mutex<Vec<Seen>>,
    files: Vec<Seen>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if let Ok(mut found) = self.found.lock() {
            found.append(&mut self.files);
        }
    }
}

fn see(root: &Path, entry: &ignore::DirEntry, now_ns: i128) -> Option<Seen> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?;
    if paths::is_sensitive(path) {
        return None;
    }
    let metadata = entry.metadata().ok()?;
    let path = path.to_str()?.to_owned();
    Some(seen(path, &metadata, now_ns))
}

/// The current metadata of a file.
pub(crate) fn seen(path: String, metadata: &std::fs::Metadata, now_ns: i128) -> Seen {
    let mut hasher = FxHasher::default();
    hasher.write_i64(metadata.mtime());
    hasher.write_i64(metadata.mtime_nsec());
    hasher.write_i64(metadata.ctime());
    hasher.write_i64(metadata.ctime_nsec());
    hasher.write_u64(metadata.ino());
    hasher.write_u64(metadata.size());
    let changed_ns =
        i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    let young = now_ns - changed_ns < UNSURE_NS;
    Seen { path, size: metadata.size(), stamp: hasher.finish(), young }
}
