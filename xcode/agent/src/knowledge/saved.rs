//! Records which facts the model saved and deleted in a session, so that the user can undo the last change. Not here:
//! facts of other sessions, which are deleted by key (`remembered`).

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::fact::Fact;
use super::language::Language;
use super::store::Store;

/// How many changes can be undone, the last ones.
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
    /// The saved fact; none if a fact was deleted.
    pub(crate) kept: Option<Fact>,
    /// The facts that it replaced, or that were deleted.
    pub(crate) before: Vec<Fact>,
}

/// The result of undoing a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBack {
    /// The key.
    pub key: String,
    /// The file, for display.
    pub path: &'static str,
    /// The fact's state now.
    pub now: Now,
}

/// The state of a fact after its change was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// It was deleted.
    Gone,
    /// It has this text again.
    Again(String),
    /// It was changed since, and is kept.
    Left,
}

impl SavedFacts {
    pub(crate) fn note(&self, saved: Saved) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.push(saved);
        let over = changes.len().saturating_sub(MOST);
        changes.drain(..over);
    }

    /// Undoes the last recorded change; none if there is none.
    ///
    /// # Errors
    /// The file cannot be changed; the change can be undone later.
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
            // The file has its headings: the language is used only for a new file.
            before.into_iter().for_each(|fact| memory.add(fact, &[], Language::En));
            again
        })?;
        Ok(Some(TakenBack { key, path, now }))
    }
}
