//! Folder trust: what a folder brings for xc, and whether its user has agreed to that. What was not agreed to is not
//! loaded. Absent: the question, and the loading.
//!
//! The answers lie in `~/.xcode/trust.json`, never in the folder. A yes holds for the folder and what lies below it.
//! What can start programs is agreed to by its content: when that changes, it is asked for again.

mod brought;
mod kept;

use std::io;
use std::path::PathBuf;

use crate::places::Places;

pub use brought::{Brought, Part, Standing};
use kept::{Kept, Word};

/// What a folder brings, and what was agreed to.
#[derive(Debug, Clone)]
pub struct Trust {
    places: Places,
    folder: PathBuf,
    brought: Vec<Brought>,
    is_foreign: bool,
}

impl Trust {
    /// Looks at the workspace and at what was agreed to. Answers that cannot be read count as none.
    #[must_use]
    pub fn look(places: &Places) -> Self {
        let folder = places.real_root();
        let kept = Kept::read(places).unwrap_or_default();
        let mut brought = brought::look(places);
        for one in &mut brought {
            one.standing = kept.standing(places, &folder, one.part, &one.digest);
        }
        let is_foreign = !kept.knows(places, &folder);
        Self { places: places.clone(), folder, brought, is_foreign }
    }

    /// The folder that is asked about, without links.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// What the folder brings.
    #[must_use]
    pub fn brought(&self) -> &[Brought] {
        &self.brought
    }

    /// What of it is not loaded: it waits for an answer, or was refused.
    pub fn waiting(&self) -> impl Iterator<Item = &Brought> {
        self.brought.iter().filter(|one| one.standing != Standing::Agreed)
    }

    /// What of it the user has not said a word to.
    pub fn unanswered(&self) -> impl Iterator<Item = &Brought> {
        self.waiting().filter(|one| one.standing != Standing::Refused)
    }

    /// Whether a part may be loaded, should it be there.
    #[must_use]
    pub fn allows(&self, part: Part) -> bool {
        let mut waiting = self.waiting();
        waiting.all(|one| one.part != part)
    }

    /// Whether nothing was ever agreed to here: then what the folder's files say is to move nothing outside of it.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// The user says yes to all that waits, for this run alone.
    pub fn assume(&mut self) {
        self.is_foreign = false;
        for one in &mut self.brought {
            one.standing = Standing::Agreed;
        }
    }

    /// The user says yes to all that the folder brings, from now on.
    ///
    /// # Errors
    /// Where the answer cannot be kept. It holds for this run then.
    pub fn agree(&mut self) -> io::Result<()> {
        let agreed = self.brought.iter().map(|one| (one.part, one.digest.clone())).collect();
        self.assume();
        kept::keep(&self.places, &self.folder, agreed, Word::Yes)
    }

    /// The user says no to all that waits: it is not asked about again until it changes.
    ///
    /// # Errors
    /// Where the answer cannot be kept: then it is asked about again.
    pub fn refuse(&self) -> io::Result<()> {
        let refused = self.unanswered().map(|one| (one.part, one.digest.clone())).collect();
        kept::keep(&self.places, &self.folder, refused, Word::No)
    }
}

/// The user made this part here: it needs no agreement.
///
/// # Errors
/// Where that cannot be kept.
pub(crate) fn made_here(places: &Places, part: Part) -> io::Result<()> {
    kept::keep(places, &places.real_root(), vec![(part, String::new())], Word::Made)
}

#[cfg(test)]
mod tests;
