//! Updates the history of an index to HEAD: adds the new commits, or reads all of them again when HEAD is not a
//! descendant of the commit that is known.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::io;
use std::path::Path;

use rustc_hash::FxHashSet;

use super::file::{Origin, Past, encode};
use super::ledger::Ledger;
use super::{FILE, FOLDER, stamp};
use crate::deadline::Deadline;
use crate::git::{Git, GitError, Messages};
use crate::index::draft::content_hash;
use crate::index::store::{MANIFEST, Store};
use crate::root::RepoRoot;
use crate::view::View;

/// How many commits are read at most, newest first; and how many merges of the main line.
pub(crate) const COMMITS_MAX: usize = 60_000;
/// When this many commits were added beyond `COMMITS_MAX`, the history is rebuilt without the oldest.
const COMMITS_SPARE: usize = COMMITS_MAX / 4;
/// The largest history file, in bytes: each question reads it whole. 60,000 commits of SymPy take an
/// eighth of it.
const BYTES_MAX: usize = 8 << 20;
/// When the file would be too large, the number of commits is divided by the next of these.
const PARTS: [usize; 3] = [1, 4, 16];
/// The lock file of the one process that reads history.
const LOCK: &str = "past.lock";

/// The outcome of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The history already went up to HEAD.
    Current,
    /// The new commits were added.
    Added,
    /// All commits were read again.
    Read,
    /// There is no history to read: no repository, no commit, or no git.
    Nothing,
    /// Another process is updating it, or there is no index that it could belong to.
    Left,
}

/// Why an update failed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// Git failed; a later attempt may succeed.
    #[error(transparent)]
    Git(GitError),
    /// The cache folder cannot be written.
    #[error("cannot keep the history in the cache")]
    Cache(#[from] io::Error),
}

/// Updates the history. `path` is the `PATH` on which git is looked up.
pub(crate) fn follow(
    root: &RepoRoot,
    store: &Store,
    path: &OsStr,
    deadline: &Deadline,
) -> Result<Followed, FollowError> {
    let Some(snapshot) = store.read() else { return Ok(Followed::Left) };
    let lock = store.beneath().lock_file(Path::new(FOLDER).join(LOCK))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(Followed::Left),
        tried => tried.map_err(io::Error::from)?,
    }
    // Before git runs: what changes meanwhile is noticed at the next update.
    let Some(stamp) = stamp::of_head(root.path()) else { return Ok(Followed::Nothing) };
    let view = View::new(root.clone(), store.folder().to_owned(), snapshot, Vec::new());
    let known = read(store.folder(), root.path());
    let origin =
        Origin { root: root.path().to_string_lossy().into_owned(), stamp, ..Origin::default() };
    let git = match Git::open(root, store.folder(), path, deadline) {
        Ok(git) => git,
        Err(
            error @ (GitError::Late
            | GitError::Failed { .. }
            | GitError::Start(_)
            | GitError::Cache { .. }),
        ) => {
            return Err(FollowError::Git(error));
        }
        // Stored, so that git is not run again before HEAD moves.
        Err(
            GitError::NotInstalled
            | GitError::NotARepository
            | GitError::Foreign { .. }
            | GitError::NoCommit,
        ) => {
            write(store, &encode(&Ledger::default(), &origin), deadline)?;
            return Ok(Followed::Nothing);
        }
    };
    let cut_off = content_hash(&git.cut_off_at());
    let origin = Origin { head: git.head().to_owned(), cut_off, ..origin };
    let (bytes, followed) = match known.filter(|known| is_base(known, &origin)) {
        Some(known) if known.origin().head == origin.head => {
            let Origin { commits, is_cut, .. } = *known.origin();
            let origin = Origin { commits, is_cut, ..origin };
            (encode(&known.ledger(|_| true), &origin), Followed::Current)
        }
        Some(known)
            if git.is_on_top_of(&known.origin().head, deadline).map_err(FollowError::Git)? =>
        {
            match added(&known, &git, &view, &origin, deadline)? {
                Some(bytes) => (bytes, Followed::Added),
                None => (read_all(&git, &view, &origin, deadline)?, Followed::Read),
            }
        }
        Some(_) | None => (read_all(&git, &view, &origin, deadline)?, Followed::Read),
    };
    write(store, &bytes, deadline)?;
    Ok(followed)
}

/// The history of an index, if there is a valid one for this root.
pub(crate) fn read(folder: &Path, root: &Path) -> Option<Past> {
    let past = Past::open(std::fs::read(folder.join(FOLDER).join(FILE)).ok()?)?;
    (past.origin().root == root.to_string_lossy()).then_some(past)
}

/// Whether commits can be added to the known history.
fn is_base(known: &Past, now: &Origin) -> bool {
    let known = known.origin();
    !known.head.is_empty() && known.cut_off == now.cut_off
}

/// The known history with the new commits added; `None` when it would be too large.
fn added(
    known: &Past,
    git: &Git,
    view: &View,
    origin: &Origin,
    deadline: &Deadline,
) -> Result<Option<Vec<u8>>, FollowError> {
    let room = (COMMITS_MAX + COMMITS_SPARE).saturating_sub(known.origin().commits as usize);
    let since = Some(known.origin().head.as_str());
    let messages = git.messages(since, room, deadline).map_err(FollowError::Git)?;
    if messages.is_cut {
        return Ok(None);
    }
    let sources = sources(view);
    let ledger = known.ledger(|path| sources.contains(path));
    let is_cut = known.origin().is_cut;
    let known = known.origin().commits as usize;
    let bytes = filled(
        ledger,
        &messages,
        usize::MAX,
        &sources,
        &Origin { is_cut, ..origin.clone() },
        known,
    );
    Ok((bytes.len() <= BYTES_MAX).then_some(bytes))
}

fn read_all(
    git: &Git,
    view: &View,
    origin: &Origin,
    deadline: &Deadline,
) -> Result<Vec<u8>, FollowError> {
    let messages = git.messages(None, COMMITS_MAX, deadline).map_err(FollowError::Git)?;
    let sources = sources(view);
    let count = messages.iter().count();
    for part in PARTS {
        let is_cut = messages.is_cut || part > 1;
        let origin = Origin { is_cut, ..origin.clone() };
        let bytes = filled(Ledger::default(), &messages, count / part, &sources, &origin, 0);
        if bytes.len() <= BYTES_MAX {
            return Ok(bytes);
        }
    }
    Ok(encode(&Ledger::default(), &Origin { is_cut: true, ..origin.clone() }))
}

fn filled(
    mut ledger: Ledger,
    messages: &Messages,
    max: usize,
    sources: &FxHashSet<&str>,
    origin: &Origin,
    known: usize,
) -> Vec<u8> {
    let mut commits = known;
    for message in messages.iter().take(max) {
        ledger.add(&message, |path| sources.contains(path));
        commits += 1;
    }
    encode(
        &ledger,
        &Origin { commits: u32::try_from(commits).unwrap_or(u32::MAX), ..origin.clone() },
    )
}

/// The files that the history covers: those that questions are about.
fn sources(view: &View) -> FxHashSet<&str> {
    let sources = view.files().filter(|file| file.language.is_some() && !file.is_test);
    sources.map(|file| file.path).collect()
}

/// Replaces the history file, unless the index was deleted meanwhile.
fn write(store: &Store, bytes: &[u8], deadline: &Deadline) -> io::Result<()> {
    if !store.folder().join(MANIFEST).is_file() {
        return Ok(());
    }
    let Some(_writing) = store.lock(deadline)? else { return Ok(()) };
    if store.folder().join(MANIFEST).is_file() {
        store.beneath().replace(Path::new(FOLDER).join(FILE), bytes)?;
    }
    Ok(())
}
