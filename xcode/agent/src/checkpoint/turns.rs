//! The recorded turns on disk, for a later process of the same session. What is read is validated: it may only concern
//! this workspace, even if the record was edited by hand.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::state::{Content, KEPT_MAX, State, Store, is_content};

/// The file's name in the session's folder.
const FILE: &str = "turns.json";

/// The largest file that is read, in bytes: enough for 50 turns with 1,000 files each.
const FILE_MAX: u64 = 32 << 20;

/// How many turns are kept; the oldest are removed.
const TURNS_MAX: usize = 50;

/// Git's own folder, which is never recorded.
const GIT: &str = ".git";

/// The changes of the turns.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The oldest first, each with the line of its prompt.
    pub(super) all: Vec<(u64, Changes)>,
    /// How many of them are not undone.
    pub(super) done: usize,
}

/// The changes of one turn: the state of each path before and after.
pub(super) type Changes = BTreeMap<PathBuf, (Option<State>, Option<State>)>;

impl Turns {
    /// Drops so many of the oldest.
    fn forget(&mut self, count: usize) {
        self.all.drain(..count);
        self.done = self.done.saturating_sub(count);
    }
}

#[derive(Serialize, Deserialize)]
struct Written {
    folders: Vec<Named>,
    done: usize,
    turns: Vec<WrittenTurn>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Named {
    #[serde(with = "super::path_bytes")]
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct WrittenTurn {
    line: u64,
    changes: Vec<Changed>,
}

#[derive(Serialize, Deserialize)]
struct Changed {
    #[serde(with = "super::path_bytes")]
    path: PathBuf,
    before: Option<State>,
    after: Option<State>,
}

/// Writes the turns of a session in these folders; the contents they refer to are kept.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(store: &mut Store, folders: &[PathBuf], turns: &mut Turns) -> io::Result<()> {
    turns.forget(turns.all.len().saturating_sub(TURNS_MAX));
    let written = Written {
        folders: folders.iter().map(|path| Named { path: path.clone() }).collect(),
        done: turns.done,
        turns: turns.all.iter().map(written).collect(),
    };
    let lasting = lasting(turns);
    store.write(FILE, &serde_json::to_vec(&written)?, lasting)
}

/// The turns that an earlier process of the session wrote. Empty if there are none, if they are of other folders, or
/// if the file is not as this program writes it.
pub(super) fn read(store: &mut Store, folders: &[PathBuf]) -> Turns {
    let found = store.read(FILE, FILE_MAX).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(Written { folders: of, done, turns }) = found else { return Turns::default() };
    let is_here = of.iter().map(|named| &named.path).eq(folders);
    let own = store.home();
    let is_ours = |changed: &Changed| {
        is_within(&changed.path, folders, &own)
            && [&changed.before, &changed.after].into_iter().flatten().all(is_plain)
    };
    let is_sound = turns.len() <= TURNS_MAX
        && done <= turns.len()
        && turns.iter().all(|turn| turn.changes.iter().all(is_ours));
    if !is_here || !is_sound {
        return Turns::default();
    }
    let changes = |turn: WrittenTurn| -> (u64, Changes) {
        let changes = turn.changes.into_iter();
        (turn.line, changes.map(|one| (one.path, (one.before, one.after))).collect())
    };
    let mut turns = Turns { all: turns.into_iter().map(changes).collect(), done };
    // Half of the space is reserved for later turns.
    if store.kept_bytes() > KEPT_MAX / 2 && write(store, folders, &mut turns).is_ok() {
        store.prune();
        while store.kept_bytes() > KEPT_MAX / 2 && !turns.all.is_empty() {
            turns.forget(1);
            if write(store, folders, &mut turns).is_err() {
                break;
            }
            store.prune();
        }
    }
    turns
}

fn written((line, changes): &(u64, Changes)) -> WrittenTurn {
    let changed = |(path, (before, after)): (&PathBuf, &(Option<State>, Option<State>))| Changed {
        path: path.clone(),
        before: before.clone(),
        after: after.clone(),
    };
    WrittenTurn { line: *line, changes: changes.iter().map(changed).collect() }
}

/// The contents that the turns refer to.
fn lasting(turns: &Turns) -> HashSet<Content> {
    let changes = turns.all.iter().flat_map(|(_, changes)| changes.values());
    let states = changes.flat_map(|(before, after)| [before, after]).flatten();
    let contents = states.filter_map(|state| match state {
        State::File { content, .. } => Some(content.clone()),
        State::Folder | State::Link(_) | State::Large(_) => None,
    });
    contents.collect()
}

/// Whether a path is in one of the folders, without `..`, and neither in this program's folder nor in git's.
fn is_within(path: &Path, folders: &[PathBuf], own: &Path) -> bool {
    let is_straight =
        path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
            && !path.iter().any(|part| part == GIT);
    let below = |folder: &PathBuf| path.starts_with(folder) && path != folder;
    is_straight && folders.iter().any(below) && !path.starts_with(own)
}

fn is_plain(state: &State) -> bool {
    match state {
        State::File { content, mode } => is_content(content) && *mode <= 0o7777,
        State::Folder | State::Link(_) | State::Large(_) => true,
    }
}
