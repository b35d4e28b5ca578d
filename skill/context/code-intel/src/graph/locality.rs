//! The properties of a file that determine the distance of its definitions to other files. They are small, because they
//! are compared often.

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::view::View;

/// A file's folder and language family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Locality {
    /// Code can use code of the same family.
    pub(super) family: Option<Language>,
    /// The number of its folder.
    pub(super) folder: u32,
}

/// The locality of each file, by the file's index.
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

/// A representative of all languages that can use one another's code.
fn family(language: Option<Language>) -> Option<Language> {
    match language {
        Some(Language::TypeScript | Language::Tsx) => Some(Language::JavaScript),
        Some(Language::C) => Some(Language::Cpp),
        Some(Language::Kotlin) => Some(Language::Java),
        other => other,
    }
}
