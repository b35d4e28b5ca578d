//! "Did you mean": the known word most similar to an unknown one.

/// Words over this many bytes are not typing mistakes, and comparing them is slow.
const WORD_MAX_BYTES: usize = 64;

/// Minimum Jaro-Winkler similarity of a misspelling. Found by trying: `finale`
/// (0.97 to `final`) and `problme` (0.97) are above, unrelated field names below 0.7.
const SIMILAR: f64 = 0.84;

/// Minimum length of a part of a word that suggests the whole word: `plans` suggests
/// `candidate_plans`.
const PART_MIN_BYTES: usize = 4;

/// The most similar of `known`, if it is similar enough for a suggestion.
///
/// Case and separators are ignored: `candidatePlans` matches `candidate_plans`.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > WORD_MAX_BYTES {
        return None;
    }
    let word = letters(word);
    known
        .into_iter()
        .map(|candidate| (candidate, similarity(&word, &letters(candidate))))
        .filter(|(_, similarity)| *similarity >= SIMILAR)
        .max_by(|(_, left), (_, right)| left.total_cmp(right))
        .map(|(candidate, _)| candidate)
}

/// From 0 (nothing in common) to 1 (the same letters).
fn similarity(word: &str, known: &str) -> f64 {
    let is_part = word.len() >= PART_MIN_BYTES && known.contains(word)
        || known.len() >= PART_MIN_BYTES && word.contains(known);
    let floor = if is_part { 0.9 } else { 0.0 };
    strsim::jaro_winkler(word, known).max(floor)
}

fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [&str; 6] =
        ["problem", "context", "candidate_plans", "questions_for_codex", "non_goals", "phase"];

    #[test]
    fn a_misspelling_finds_its_field() {
        for (word, field) in [
            ("problme", Some("problem")),
            ("Context", Some("context")),
            ("candidatePlans", Some("candidate_plans")),
            ("candidate-plan", Some("candidate_plans")),
            ("plans", Some("candidate_plans")),
            ("questions", Some("questions_for_codex")),
            ("nonGoals", Some("non_goals")),
            ("phase ", Some("phase")),
            ("priority", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, FIELDS), field, "{word:?}");
        }
        assert_eq!(nearest(&"problem".repeat(1000), FIELDS), None);
    }
}
