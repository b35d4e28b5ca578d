//! Stores the repository's vocabulary with its index: the words of its paths and definitions, and in how many
//! source files each occurs. The file's format and its readers are in [`intent::vocabulary`].
//! Not here: how much a word counts.

use intent::Vocabulary;
use intent::vocabulary::{Counts, Fit};

use crate::index::store::Store;
use crate::paths;
use crate::view::{File, View};

/// The vocabulary is rebuilt when more than one in so many of the index's files was added or removed.
const FILES_PART: u32 = 32;
/// Where examples outnumber other sources by this factor, the whole tree looks like one
/// (`org/springframework/samples/…`), and they count.
const EXAMPLES_MANY: usize = 10;

/// Rebuilds the file where it does not match the index any more. A failure to write it is ignored:
/// the answer does not depend on it.
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
