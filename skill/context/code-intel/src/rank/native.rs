//! Ranking rules for repositories of C and C++. There the words of a question occur in the header, in the body and
//! in every caller of a flat namespace, so their frequency tells little. How many of the question's concepts a file
//! has, its own name and its commits' messages tell more; and what a header declares is usually fixed in the body.
//!
//! The weights were tuned on commits of ten repositories (docs/BENCHMARKS.md).

use std::path::Path;

use super::prior;
use super::score::{Found, Ranking};
use crate::language::Language;
use crate::view::{File, View};

/// Weight of having as many of the question's concepts as any file has.
const CONCEPTS: f32 = 0.1;
/// Weight of the file's own name.
const NAME: f32 = 0.1;
/// Weight of the messages of the commits that changed a file, in addition to the weight they have for every language.
const MESSAGES: f32 = 0.2;
/// Factor for a header, compared with a body.
const HEADER: f32 = 0.95;
/// How many of the best files by words are reweighted; the order of the others stays.
const WEIGHED: usize = 500;
/// File name endings of headers.
const HEADERS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Reweights a ranking where most source files are C or C++; it must be sorted again afterwards.
pub(super) fn weigh(view: &View, ranking: &mut Ranking) {
    if !is_native(view) {
        return;
    }
    let found =
        |file: &File<'_>| ranking.found.get(file.id.0 as usize).copied().unwrap_or_default();
    let mut most = Found::default();
    for entry in ranking.files.iter().take(WEIGHED) {
        let file = view.file(entry.file);
        if is_source(&file) {
            let own = found(&file);
            most.concepts = most.concepts.max(own.concepts);
            most.name = most.name.max(own.name);
        }
    }
    let top = ranking.files.iter().map(|entry| entry.score).fold(0.0, f32::max);
    let part = |own: f32, most: f32| if most > 0.0 { (own / most).min(1.0) } else { 0.0 };
    for entry in ranking.files.iter_mut().take(WEIGHED) {
        let file = view.file(entry.file);
        let own = found(&file);
        let more = CONCEPTS * part(own.concepts.into(), most.concepts.into())
            + NAME * part(own.name, most.name)
            + MESSAGES * own.said;
        entry.score += top * more * prior::kind(&file);
        if is_header(file.path) {
            entry.score *= HEADER;
        }
    }
}

fn is_source(file: &File<'_>) -> bool {
    file.language.is_some() && !file.is_test
}

/// Whether most source files are C or C++.
fn is_native(view: &View) -> bool {
    let (mut native, mut all) = (0_usize, 0_usize);
    for file in view.files().filter(is_source) {
        all += 1;
        native += usize::from(matches!(file.language, Some(Language::C | Language::Cpp)));
    }
    native * 2 > all
}

fn is_header(path: &str) -> bool {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| HEADERS.contains(&ending))
}
