//! Keeps the repository's own words with its index: what its paths and definitions are called, and in how many of its
//! sources. What the file looks like, and who reads it, is in [`intent::vocabulary`].
//!
//! Absent: which words count how much.

use intent::Vocabulary;
use intent::vocabulary::{Counts, Fit};

use crate::index::store::Store;
use crate::paths;
use crate::view::View;

/// When more files of the index came or went than one in so many, the words are counted anew.
const FILES_PART: u32 = 32;

/// Makes the file anew where it does not fit the index any more. That it cannot be written is no
/// reason to have no answer.
pub(crate) fn keep_up(view: &View, store: &Store) {
    let manifest = view.manifest();
    let fit = Fit { generation: manifest.generation, files: view.files().count() as u32 };
    let fits = |known: &Vocabulary| {
        let drift = known.fit().files.abs_diff(fit.files);
        known.fit().generation == fit.generation
            || (!known.is_small() && drift <= fit.files / FILES_PART && manifest.pending == 0)
    };
    let folder = store.index_folder();
    if !Vocabulary::of(folder).as_ref().is_some_and(fits) {
        let _ = folder.write_words(counted(view).finish(fit).as_bytes());
    }
}

fn counted(view: &View) -> Counts {
    let is_source = |file: &crate::view::File<'_>| {
        let own = !paths::is_example(file.path) && !paths::is_foreign(file.path);
        file.language.is_some() && !file.is_test && own
    };
    let mut counts = Counts::default();
    for file in view.files().filter(is_source) {
        counts.next_source();
        counts.add(file.path.rsplit_once('.').map_or(file.path, |(stem, _)| stem));
        let (segment, record) = view.record(file.id);
        for unit in record.first_unit + 1..record.first_unit + record.unit_count {
            counts.add(segment.name(segment.unit(unit).name));
        }
    }
    counts
}
