//! Keeps the repository's own words with its index: what its paths and definitions are called, and in how many of its
//! sources. What the file looks like, and who reads it, is in [`intent::vocabulary`].
//!
//! Absent: which words count how much.

use intent::Vocabulary;
use intent::vocabulary::{Counts, Fit};

use crate::index::store::Store;
use crate::paths;
use crate::view::{File, View};

/// When more files of the index came or went than one in so many, the words are counted anew.
const FILES_PART: u32 = 32;
/// Where so many times more sources are examples than are not, the tree itself is one (`org/springframework/samples/…`), and they count.
const EXAMPLES_MANY: usize = 10;

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
    let is_source =
        |file: &File<'_>| file.language.is_some() && !file.is_test && !paths::is_foreign(file.path);
    let examples = view.files().filter(|file| is_source(file) && paths::is_example(file.path));
    let (sources, examples) = (view.files().filter(is_source).count(), examples.count());
    let is_all_example = sources - examples < examples / EXAMPLES_MANY;
    let mut counts = Counts::default();
    let is_own = |file: &File<'_>| is_all_example || !paths::is_example(file.path);
    for file in view.files().filter(is_source).filter(is_own) {
        counts.next_source();
        counts.add(file.path.rsplit_once('.').map_or(file.path, |(stem, _)| stem));
        let (segment, record) = view.record(file.id);
        for unit in record.first_unit + 1..record.first_unit + record.unit_count {
            counts.add(segment.name(segment.unit(unit).name));
        }
    }
    counts
}
