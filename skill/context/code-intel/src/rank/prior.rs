//! Weights of a file that do not depend on how often it has a question's words: its kind, its name, its length.

use intent::words::words;
use rustc_hash::FxHashMap;

use crate::paths;
use crate::view::File;

/// Factor for a test, compared with a source: it shows how the code is used, and is not the code.
pub(super) const TEST: f32 = 0.4;
/// Factor for an example, a benchmark or a script of the documentation.
const EXAMPLE: f32 = 0.25;
/// Factor for third-party or generated code: its defects are fixed elsewhere.
const FOREIGN: f32 = 0.6;
/// Factor for a text without definitions.
const PROSE: f32 = 0.4;
/// Weight of a file name whose words are all in the question, times the lowest weight among them.
const NAME: f32 = 0.3;
/// Weight of a file's length, compared with the mean: more code can have more defects.
const LENGTH: f32 = 0.03;

/// The factor for the kind of a file.
pub(super) fn kind(file: &File<'_>) -> f32 {
    let test = if file.is_test { TEST } else { 1.0 };
    let prose = if file.language.is_none() { PROSE } else { 1.0 };
    let example = if paths::is_example(file.path) { EXAMPLE } else { 1.0 };
    let foreign = if paths::is_foreign(file.path) { FOREIGN } else { 1.0 };
    test * prose * example * foreign
}

/// The factor for the length of a file, compared with the mean.
pub(super) fn length(part_of_mean: f32) -> f32 {
    1.0 + LENGTH * (1.0 + part_of_mean).ln()
}

/// The score added for the file's name; `worth` has the weights of the question's words.
pub(super) fn name(path: &str, worth: &FxHashMap<&str, f32>) -> f32 {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let stem = file_name.split('.').next().unwrap_or(file_name);
    let mut found: Vec<f32> = Vec::new();
    words(stem.as_bytes(), |word, _| {
        let word = std::str::from_utf8(word).unwrap_or_default();
        found.push(worth.get(word).copied().unwrap_or(0.0));
    });
    // The whole name comes last, after its parts.
    if found.len() > 1 {
        found.pop();
    }
    NAME * found.into_iter().reduce(f32::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_when_all_of_its_words_are_asked_for() {
        let worth = FxHashMap::from_iter([("text", 2.0), ("wrap", 4.0)]);
        assert_eq!(name("src/text_wrap.rs", &worth), NAME * 2.0);
        assert_eq!(name("src/wrap.rs", &worth), NAME * 4.0);
        assert_eq!(name("src/text_flow.rs", &worth), 0.0);
        assert_eq!(name("wrap/_.rs", &worth), 0.0);
    }
}
