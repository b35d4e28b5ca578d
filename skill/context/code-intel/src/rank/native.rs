//! Repositories of C and C++. There the words of a question stand in the header, in the body and in
//! every caller of a flat namespace, and how often says little: what a file has of the question at all,
//! its own name and what its commits said tell more, and what a header declares is mended in the body.
//!
//! The weights were found on commits of ten repositories (docs/BENCHMARKS.md).

use std::path::Path;

use super::prior;
use super::score::{Found, Ranking};
use crate::language::Language;
use crate::view::{File, View};

/// What counts that a file has every concept of the question that any has.
const CONCEPTS: f32 = 0.1;
/// What the file's own name counts.
const NAME: f32 = 0.1;
/// What the messages of the commits that touched a file count, beside what they count everywhere.
const MESSAGES: f32 = 0.2;
/// What a header counts, compared with a body.
const HEADER: f32 = 0.95;
/// So many of the best files by words are weighed: what is behind them stays there.
const WEIGHED: usize = 500;
/// Endings of headers.
const HEADERS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Weighs a ranking once more where most sources are C or C++; then it has to be sorted again.
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

/// Whether most sources are C or C++.
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
