//! What the model kept and forgot in a session, so that its user can take the last of it back. Absent: facts of other
//! sessions, which are forgotten by their keys (`remembered`).

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::fact::Fact;
use super::language::Language;
use super::store::Store;

/// How many changes can be taken back, the last ones.
const MOST: usize = 50;

/// The changes of a session. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct SavedFacts {
    changes: Arc<Mutex<Vec<Saved>>>,
}

/// A change of one file.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    pub(crate) store: Store,
    /// What was kept; none where something was forgotten.
    pub(crate) kept: Option<Fact>,
    /// What stood in its place, or was forgotten.
    pub(crate) before: Vec<Fact>,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBack {
    /// The key.
    pub key: String,
    /// The file, as it is shown.
    pub path: &'static str,
    /// How it stands now.
    pub now: Now,
}

/// How a fact stands after its change was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// It is gone.
    Gone,
    /// It says this again.
    Again(String),
    /// It was changed since; it stays.
    Left,
}

impl SavedFacts {
    pub(crate) fn note(&self, saved: Saved) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.push(saved);
        let over = changes.len().saturating_sub(MOST);
        changes.drain(..over);
    }

    /// Takes the last change back that is left; none where none is.
    ///
    /// # Errors
    /// The file cannot be changed; the change can be taken back later.
    pub fn take_back(&self) -> io::Result<Option<TakenBack>> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(saved) = changes.last().cloned() else { return Ok(None) };
        let taken_back = saved.take_back()?;
        changes.pop();
        Ok(taken_back)
    }
}

impl Saved {
    fn take_back(self) -> io::Result<Option<TakenBack>> {
        let Self { store, kept, before } = self;
        let path = store.shown();
        let Some(one) = kept.as_ref().or(before.first()) else { return Ok(None) };
        let key = one.key.clone();
        let again = before.last().map_or(Now::Gone, |fact| Now::Again(fact.fact.clone()));
        let now = store.change(|memory| {
            let stands = |fact: &Fact| {
                let same = |other: &&Fact| other.key == fact.key && other.category == fact.category;
                memory.facts().find(same).cloned()
            };
            let is_as_left = match &kept {
                Some(kept) => stands(kept).as_ref() == Some(kept),
                None => before.iter().all(|fact| stands(fact).is_none()),
            };
            if !is_as_left {
                return Now::Left;
            }
            if let Some(kept) = &kept {
                memory.delete(&kept.key, Some(kept.category));
            }
            // The file has its heading: only a file that is made gets the language.
            before.into_iter().for_each(|fact| memory.add(fact, &[], Language::En));
            again
        })?;
        Ok(Some(TakenBack { key, path, now }))
    }
}
