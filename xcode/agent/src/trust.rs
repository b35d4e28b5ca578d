//! Folder trust: what a folder contains for xc, and whether its user has agreed to that. Content that was not agreed to is not
//! loaded. Not here: asking the user, and loading.
//!
//! The answers are stored in `~/.xcode/trust.json`, never in the folder. A yes applies to the folder and what is below it.
//! For content that can start programs, a yes applies to its digest: when the content changes, the user is asked again.

mod brought;
mod kept;

use std::io;
use std::path::PathBuf;

use crate::places::Places;

pub use brought::{Brought, Part, Standing};
use kept::{Kept, Word};

/// What a folder contains for xc, and what was agreed to.
#[derive(Debug, Clone)]
pub struct Trust {
    places: Places,
    folder: PathBuf,
    brought: Vec<Brought>,
    is_foreign: bool,
}

impl Trust {
    /// Examines the workspace and the stored answers. Answers that cannot be read count as none.
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

    /// The folder in question, with links resolved.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// The parts of the folder.
    #[must_use]
    pub fn brought(&self) -> &[Brought] {
        &self.brought
    }

    /// The parts that are not loaded: no answer was given yet, or the user declined.
    pub fn waiting(&self) -> impl Iterator<Item = &Brought> {
        self.brought.iter().filter(|one| one.standing != Standing::Agreed)
    }

    /// The parts that the user has not decided on.
    pub fn unanswered(&self) -> impl Iterator<Item = &Brought> {
        self.waiting().filter(|one| one.standing != Standing::Refused)
    }

    /// Whether a part may be loaded, if it exists.
    #[must_use]
    pub fn allows(&self, part: Part) -> bool {
        let mut waiting = self.waiting();
        waiting.all(|one| one.part != part)
    }

    /// Whether nothing was ever agreed to here: then the folder's files must not affect anything outside of it.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Agrees to all pending parts, for this run only.
    pub fn assume(&mut self) {
        self.is_foreign = false;
        for one in &mut self.brought {
            one.standing = Standing::Agreed;
        }
    }

    /// Agrees to all parts of the folder, permanently.
    ///
    /// # Errors
    /// The answer cannot be stored. It applies to this run then.
    pub fn agree(&mut self) -> io::Result<()> {
        let agreed = self.brought.iter().map(|one| (one.part, one.digest.clone())).collect();
        self.assume();
        kept::keep(&self.places, &self.folder, agreed, Word::Yes)
    }

    /// Declines all pending parts: the user is not asked again until they change.
    ///
    /// # Errors
    /// The answer cannot be stored: the user will be asked again.
    pub fn refuse(&self) -> io::Result<()> {
        let refused = self.unanswered().map(|one| (one.part, one.digest.clone())).collect();
        kept::keep(&self.places, &self.folder, refused, Word::No)
    }
}

/// Records that the user created this part here: it needs no agreement.
///
/// # Errors
/// That cannot be stored.
pub(crate) fn made_here(places: &Places, part: Part) -> io::Result<()> {
    kept::keep(places, &places.real_root(), vec![(part, String::new())], Word::Made)
}

#[cfg(test)]
mod tests;
