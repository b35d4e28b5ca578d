//! Brings the history of an index up to date with HEAD: adds the commits that are new, or reads all of
//! them anew where HEAD is not on top of what is known.

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

/// So many commits are read, the newest ones; and as many merges of the main line.
pub(crate) const COMMITS_MAX: usize = 60_000;
/// With so many commits more than are read at once, the oldest are dropped by reading all anew.
const COMMITS_SPARE: usize = COMMITS_MAX / 4;
/// The largest file that is kept, in bytes: a question reads it whole. 60,000 commits of SymPy are an
/// eighth of it.
const BYTES_MAX: usize = 8 << 20;
/// Where the file would be larger, such a part of the commits is kept.
const PARTS: [usize; 3] = [1, 4, 16];
/// Held by the one process that reads history.
const LOCK: &str = "past.lock";

/// What became of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// It goes up to HEAD, and did so before.
    Current,
    /// The new commits were added.
    Added,
    /// All commits were read.
    Read,
    /// There is nothing to be known: no repository, no commit, no git.
    Nothing,
    /// Another process is at it, or there is no index that it could belong to.
    Left,
}

/// Why the history is as it was.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// Git had no answer; the next time it may.
    #[error(transparent)]
    Git(GitError),
    /// The cache folder cannot be written.
    #[error("cannot keep the history in the cache")]
    Cache(#[from] io::Error),
}

/// Brings the history up to date. `path` is the `PATH` on which git is looked for.
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
    // Before git is asked: what moves meanwhile is seen the next time.
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
        // Noted, so that it is not asked again before HEAD moves.
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

/// The history of an index, where there is one of this root that is whole.
pub(crate) fn read(folder: &Path, root: &Path) -> Option<Past> {
    let past = Past::open(std::fs::read(folder.join(FOLDER).join(FILE)).ok()?)?;
    (past.origin().root == root.to_string_lossy()).then_some(past)
}

/// Whether commits can be added to what is known.
fn is_base(known: &Past, now: &Origin) -> bool {
    let known = known.origin();
    !known.head.is_empty() && known.cut_off == now.cut_off
}

/// What is known with the new commits; `None` where that is too much.
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

/// The files that history is kept of: what questions are about.
fn sources(view: &View) -> FxHashSet<&str> {
    let sources = view.files().filter(|file| file.language.is_some() && !file.is_test);
    sources.map(|file| file.path).collect()
}

/// Replaces the file, unless the index was dropped meanwhile.
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
