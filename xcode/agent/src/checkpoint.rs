//! Undoes the file changes of a turn, also those of shell commands. The files of the workspace are recorded before the first
//! effect of a turn, and compared after it. This works inside and outside of git repositories, and
//! never touches git's own files.
//!
//! Not covered: ignored files, files outside of the workspace, and files that are too large.

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

/// The folder of checkpoints, below `~/.xcode`.
const FOLDER: &str = "checkpoints";

/// The most files that a workspace may have.
const FILES_MAX: usize = 50_000;

/// How long recording them may take.
const TIME_MAX: Duration = Duration::from_secs(20);

/// How far a file system's timestamps may be behind our clock.
const LAG: Duration = Duration::from_millis(20);

/// The checkpoints of a session.
pub(crate) struct Checkpoints {
    folders: Vec<PathBuf>,
    store: Store,
    turns: Turns,
    /// Whether the folder is locked and its content was read.
    is_open: bool,
    /// The workspace before the first effect of the current turn.
    before: Option<Before>,
}

/// The workspace before a turn.
struct Before {
    /// The journal line of the turn's prompt.
    line: u64,
    states: BTreeMap<PathBuf, State>,
    began: SystemTime,
}

/// Which change to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoWay {
    /// That of the last turn that is not undone.
    Turn,
    /// The last undo itself.
    Undo,
}

/// The effect of an undo, planned or done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// Files whose content is restored, absolute.
    pub restored: Vec<PathBuf>,
    /// Files that are removed.
    pub removed: Vec<PathBuf>,
    /// Files that are left unchanged, with the reason: changed by another program since, too large, no permission.
    pub left: Vec<(PathBuf, String)>,
}

/// The reason for a file that was changed since.
const CONFLICT: &str = "it was changed since";

impl Checkpoints {
    /// For the session with this id, in these folders. Nothing is read yet.
    pub(crate) fn new(home: Beneath, id: &str, folders: Vec<PathBuf>) -> Self {
        let store = Store::new(home, Path::new(FOLDER).join(id));
        Self { folders, store, turns: Turns::default(), is_open: false, before: None }
    }

    /// Locks the checkpoint folder, and reads the turns that an earlier process of this session recorded.
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

    /// Writes the turns to disk.
    fn write(&mut self) -> io::Result<()> {
        turns::write(&mut self.store, &self.folders, &mut self.turns)
    }

    /// Records the workspace before the first effect of the turn whose prompt has this journal line.
    ///
    /// # Errors
    /// There are too many files, or they cannot be stored: the turn cannot be undone then.
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

    /// Compares the workspace at the end of a turn.
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
            // A file that existed and was ignored was not created by the turn.
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
        // A path that is not found any more was removed, or is ignored now.
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

    /// What an undo would change now; none if there is nothing to undo.
    ///
    /// # Errors
    /// A file cannot be examined.
    pub(crate) fn preview(&mut self, way: UndoWay) -> io::Result<Option<Undone>> {
        self.open()?;
        let Some((_, changes)) = self.changes(way) else { return Ok(None) };
        let mut undone = Undone::default();
        for (path, (from, to)) in changes {
            self.sort(&path, from.as_ref(), to.as_ref(), &mut undone)?;
        }
        Ok(Some(undone))
    }

    /// Undoes the change, and returns the journal line of the turn's prompt.
    ///
    /// # Errors
    /// A file cannot be examined. Files that cannot be restored are in [`Undone::left`].
    pub(crate) fn undo(&mut self, way: UndoWay) -> io::Result<Option<(u64, Undone)>> {
        self.open()?;
        let Some((line, changes)) = self.changes(way) else { return Ok(None) };
        let mut undone = Undone::default();
        // Removals go from the deepest path up; restored files need their folders first.
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

    /// The changes to make: for each path, its expected present state and its target state.
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

    /// Adds a path to the list that it belongs to. Folders are in none.
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

    /// All files, links and folders of the workspace that are not ignored, without this program's own.
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
