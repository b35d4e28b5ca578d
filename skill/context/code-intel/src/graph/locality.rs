//! What of a file decides how near its definitions are to another file, small enough to compare often.

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::view::View;

/// Where a file is, and what is spoken there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Locality {
    /// Code of one family can use code of the same.
    pub(super) family: Option<Language>,
    /// The number of its folder.
    pub(super) folder: u32,
}

/// The place of each file that is there, by the file's number.
pub(super) fn places(view: &View) -> Vec<Locality> {
    let mut folders: FxHashMap<&str, u32> = FxHashMap::default();
    let mut places = vec![Locality::default(); view.file_bound()];
    for file in view.files() {
        let next = folders.len() as u32;
        let path = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = *folders.entry(path).or_insert(next);
        if let Some(place) = places.get_mut(file.id.0 as usize) {
            *place = Locality { family: family(file.language), folder };
        }
    }
    places
}

/// The language that stands for all that can use one another's code.
fn family(language: Option<Language>) -> Option<Language> {
    match language {
        Some(Language::TypeScript | Language::Tsx) => Some(Language::JavaScript),
        Some(Language::C) => Some(Language::Cpp),
        Some(Language::Kotlin) => Some(Language::Java),
        other => other,
    }
}
