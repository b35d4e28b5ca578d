//! Takes back what a turn changed on disk, commands of the shell included. Before the first effect of a turn the files of
//! the workspace are looked at and kept, after it they are compared. Works in a git repository and outside of one, and
//! never touches git's own files.
//!
//! Absent: files that ignore files name, what lies outside of the workspace, and what is too large.

mod old;
mod path_bytes;
mod restore;
mod state;
#[cfg(test)]
mod tests;
mod turns;

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use host::Beneath;
use llm::Cancel;

use self::restore::restore;
use self::state::{Keep, State, Store};
use self::turns::{Changes, Turns};
use crate::workspace::open::{below_top, top};
use crate::workspace::stop::Stop;
use crate::workspace::walk::{Depth, walk};

/// The folder of what is kept, below `~/.xcode`.
const FOLDER: &str = "checkpoints";

/// How many files a workspace may have.
const FILES_MAX: usize = 50_000;

/// How long looking at them may take.
const TIME_MAX: Duration = Duration::from_secs(20);

/// How far a file's time may be behind ours.
const LAG: Duration = Duration::from_millis(20);

/// What turns of a session changed.
pub(crate) struct Checkpoints {
    folders: Vec<PathBuf>,
    store: Store,
    turns: Turns,
    /// The folder of what is kept was taken, and what lies in it was read.
    is_open: bool,
    /// The workspace before the first effect of the turn that goes on.
    before: Option<Before>,
}

/// The workspace before a turn.
struct Before {
    /// The line of the turn's prompt.
    line: u64,
    states: BTreeMap<PathBuf, State>,
    began: SystemTime,
}

/// Which change is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoWay {
    /// That of the last turn that is not taken back.
    Turn,
    /// The last undo itself.
    Undo,
}

/// What an undo does, or did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// Files that get their content back, absolute.
    pub restored: Vec<PathBuf>,
    /// Files that go.
    pub removed: Vec<PathBuf>,
    /// Files that stay as they are, with why: changed since by someone else, too large, not permitted.
    pub left: Vec<(PathBuf, String)>,
}

/// Why a file that was changed since stays.
const CONFLICT: &str = "it was changed since";

impl Checkpoints {
    /// Of a session with this id, in these folders. Nothing is read yet.
    pub(crate) fn new(home: Beneath, id: &str, folders: Vec<PathBuf>) -> Self {
        let store = Store::new(home, Path::new(FOLDER).join(id));
        Self { folders, store, turns: Turns::default(), is_open: false, before: None }
    }

    /// Takes the folder of what is kept, with the turns of an earlier program of this session.
    fn open(&mut self) -> io::Result<()> {
        if self.is_open {
            return Ok(());
        }
        self.store.take()?;
        self.is_open = true;
        self.turns = turns::read(&mut self.store, &self.folders);
        self.store.clear_old();
        Ok(())
    }

    /// What was done and taken back lasts.
    fn write(&mut self) -> io::Result<()> {
        turns::write(&mut self.store, &self.folders, &mut self.turns)
    }

    /// Keeps what the workspace holds, before the first effect of the turn whose prompt has this line.
    ///
    /// # Errors
    /// There is too much of it, or it cannot be kept: then the turn cannot be taken back.
    pub(crate) fn begin(&mut self, line: u64, cancel: &Cancel) -> io::Result<()> {
        if self.before.is_some() {
            return Ok(());
        }
        self.open()?;
        let began = SystemTime::now();
        let mut states = BTreeMap::new();
        for path in self.paths(cancel)? {
            if let Some(state) = self.store.look(&path, Keep::Yes)? {
                states.insert(path, state);
            }
        }
        self.before = Some(Before { line, states, began });
        Ok(())
    }

    /// Compares, at the end of a turn.
    ///
    /// # Errors
    /// As [`Checkpoints::begin`].
    pub(crate) fn end(&mut self) -> io::Result<()> {
        let Some(Before { line, states: mut before, began }) = self.before.take() else {
            return Ok(());
        };
        let since = began.checked_sub(LAG).unwrap_or(UNIX_EPOCH);
        let since = since.duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = (since.as_secs().cast_signed(), i64::from(since.subsec_nanos()));
        let mut changes = Changes::new();
        for path in self.paths(&Cancel::new())? {
            let old = before.remove(&path);
            // A file that was there and was ignored is not one that the turn made.
            let is_new = || {
                let found = top().metadata(below_top(&path));
                found.is_ok_and(|found| (found.ctime(), found.ctime_nsec()) >= since)
            };
            if old.is_none() && !is_new() {
                continue;
            }
            let new = self.store.look(&path, Keep::Yes)?;
            if old != new {
                changes.insert(path, (old, new));
            }
        }
        // What the walk does not name any more is gone, or is ignored now.
        for (path, old) in before {
            let new = self.store.look(&path, Keep::Yes)?;
            if Some(&old) != new.as_ref() {
                changes.insert(path, (Some(old), new));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        self.turns.all.truncate(self.turns.done);
        self.turns.all.push((line, changes));
        self.turns.done = self.turns.all.len();
        self.write()
    }

    /// What an undo would do now; none where there is nothing to take back.
    ///
    /// # Errors
    /// A file cannot be looked at.
    pub(crate) fn preview(&mut self, way: UndoWay) -> io::Result<Option<Undone>> {
        self.open()?;
        let Some((_, changes)) = self.changes(way) else { return Ok(None) };
        let mut undone = Undone::default();
        for (path, (from, to)) in changes {
            self.sort(&path, from.as_ref(), to.as_ref(), &mut undone)?;
        }
        Ok(Some(undone))
    }

    /// Takes it back, and says of which turn that was, by the line of its prompt.
    ///
    /// # Errors
    /// A file cannot be looked at. What cannot be restored is in [`Undone::left`].
    pub(crate) fn undo(&mut self, way: UndoWay) -> io::Result<Option<(u64, Undone)>> {
        self.open()?;
        let Some((line, changes)) = self.changes(way) else { return Ok(None) };
        let mut undone = Undone::default();
        // What goes goes from below; what comes needs its folders first.
        let goes = |(_, (_, to)): &(&PathBuf, &(Option<State>, Option<State>))| to.is_none();
        let (mut goes, comes): (Vec<_>, Vec<_>) = changes.iter().partition(goes);
        goes.reverse();
        for (path, (from, to)) in goes.into_iter().chain(comes) {
            let mut plan = Undone::default();
            self.sort(path, from.as_ref(), to.as_ref(), &mut plan)?;
            let is_planned = plan.left.is_empty();
            if is_planned && let Err(error) = restore(&self.store, path, to.as_ref()) {
                plan =
                    Undone { left: vec![(path.clone(), error.to_string())], ..Undone::default() };
            }
            undone.restored.append(&mut plan.restored);
            undone.removed.append(&mut plan.removed);
            undone.left.append(&mut plan.left);
        }
        match way {
            UndoWay::Turn => self.turns.done -= 1,
            UndoWay::Undo => self.turns.done += 1,
        }
        if let Err(error) = self.write() {
            undone
                .left
                .push((self.store.home(), format!("after a restart this is not known: {error}")));
        }
        [&mut undone.restored, &mut undone.removed].into_iter().for_each(|paths| paths.sort());
        undone.left.sort();
        Ok(Some((line, undone)))
    }

    /// The changes to be made: each path as it should be now, and as it is to be.
    fn changes(&self, way: UndoWay) -> Option<(u64, Changes)> {
        match way {
            UndoWay::Turn => {
                let Turns { all, done } = &self.turns;
                let (line, turn) = all.get(done.checked_sub(1)?)?;
                let back = turn
                    .iter()
                    .map(|(path, (old, new))| (path.clone(), (new.clone(), old.clone())));
                Some((*line, back.collect()))
            }
            UndoWay::Undo => self.turns.all.get(self.turns.done).cloned(),
        }
    }

    /// Says what becomes of one path, in the list where it belongs. Folders are in none.
    fn sort(
        &mut self,
        path: &Path,
        from: Option<&State>,
        to: Option<&State>,
        undone: &mut Undone,
    ) -> io::Result<()> {
        let now = self.store.look(path, Keep::No)?;
        if now.as_ref() == to {
            return Ok(());
        }
        let is_folder = |state: Option<&State>| state.is_none_or(|state| *state == State::Folder);
        let path = path.to_owned();
        if now.as_ref() != from {
            undone.left.push((path, CONFLICT.to_owned()));
        } else if matches!(to, Some(State::Large(_))) {
            undone.left.push((path, "it was too large to be kept".to_owned()));
        } else if is_folder(from) && is_folder(to) {
        } else if to.is_none() {
            undone.removed.push(path);
        } else {
            undone.restored.push(path);
        }
        Ok(())
    }

    /// All files, links and folders of the workspace that are not ignored, but for what is this program's own.
    fn paths(&self, cancel: &Cancel) -> io::Result<Vec<PathBuf>> {
        let stop = Stop::new(cancel.clone(), TIME_MAX);
        let own = self.store.home();
        let mut paths = Vec::new();
        for folder in &self.folders {
            let left_out = walk(folder, folder, Depth::All, &stop, |entry| {
                if !entry.path.starts_with(&own) && paths.len() <= FILES_MAX {
                    paths.push(entry.path.to_owned());
                }
            })?;
            if left_out.is_stopped || paths.len() > FILES_MAX {
                return Err(io::Error::other("the workspace has too many files"));
            }
        }
        Ok(paths)
    }
}
