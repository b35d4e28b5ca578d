//! Names of several words, which are written in several styles: `ArgRequired`, `arg_required`,
//! `--arg-required`, "arg required" in a sentence. The index has the first two, each as one word.

use intent::terms::is_stop_word;
use intent::words::words;
use rustc_hash::FxHashMap;

/// How many pairs of words of one question count: the first ones, which include the title's.
const MAX_PAIRS: usize = 200;

/// The parts of a question that may be names of several words.
#[derive(Default)]
pub(super) struct Compounds {
    /// Names as the index has them, with the same name in the other style.
    styles: FxHashMap<String, String>,
    /// Pairs of consecutive words, with the weight of their place.
    pairs: Vec<((String, String), f32)>,
    /// Where the last plain word ended, and the word.
    before: Option<(usize, String)>,
}

impl Compounds {
    /// Records an identifier.
    pub(super) fn identifier(&mut self, name: &str) {
        let mut parts: Vec<String> = Vec::new();
        words(name.as_bytes(), |word, _| parts.push(String::from_utf8_lossy(word).into_owned()));
        let Some(whole) = parts.pop().filter(|_| parts.len() > 1) else { return };
        let other = if whole.contains('_') { whole.replace('_', "") } else { parts.join("_") };
        self.styles.insert(whole, other);
    }

    /// Records words joined by hyphens; returns the identifier that they become in code.
    pub(super) fn hyphens(&mut self, token: &str) -> Option<String> {
        if !token.contains('-') || token.contains(['/', '.', ':', '_']) {
            return None;
        }
        let parts: Vec<String> =
            token.split('-').filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect();
        let name = parts.join("_");
        (parts.len() > 1).then(|| {
            self.styles.insert(name.clone(), parts.concat());
            name
        })
    }

    /// Records the next token of `text`, which begins at `at`; `place` is the weight of that place.
    pub(super) fn next(&mut self, text: &str, token: &str, at: usize, place: f32) {
        let before = self.before.take();
        if token.len() < 2 || !token.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return;
        }
        let word = token.to_ascii_lowercase();
        if let Some((end, first)) = before
            && &text[end..at] == " "
            && !is_stop_word(&first)
            && !is_stop_word(&word)
        {
            self.pair((first, word.clone()), place);
        }
        self.before = Some((at + token.len(), word));
    }

    fn pair(&mut self, pair: (String, String), place: f32) {
        let full = self.pairs.len() >= MAX_PAIRS;
        match self.pairs.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, known)) => *known = known.max(place),
            None if full => {}
            None => self.pairs.push((pair, place)),
        }
    }

    /// A recorded name in the other style.
    pub(super) fn other_style(&self, name: &str) -> Option<&str> {
        self.styles.get(name).map(String::as_str)
    }

    /// The names in code that each pair of words may stand for, and the weight of its place.
    pub(super) fn names(&self) -> impl Iterator<Item = (Vec<String>, f32)> {
        self.pairs.iter().map(|((first, second), place)| {
            let forms = |word: &str| {
                let singular = word.strip_suffix('s').map(str::to_owned);
                std::iter::once(word.to_owned()).chain(singular).collect::<Vec<_>>()
            };
            let mut names = Vec::new();
            for one in forms(first) {
                for other in forms(second) {
                    names.extend([format!("{one}_{other}"), format!("{one}{other}")]);
                }
            }
            (names, *place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_both_styles() {
        let mut compounds = Compounds::default();
        compounds.identifier("ArgRequiredElseHelp");
        compounds.identifier("word_count");
        compounds.identifier("plain");
        assert_eq!(compounds.other_style("argrequiredelsehelp"), Some("arg_required_else_help"));
        assert_eq!(compounds.other_style("word_count"), Some("wordcount"));
        assert_eq!(compounds.other_style("plain"), None);
    }

    #[test]
    fn an_option_with_hyphens_is_an_identifier() {
        let mut compounds = Compounds::default();
        assert_eq!(compounds.hyphens("word-regexp").as_deref(), Some("word_regexp"));
        assert_eq!(compounds.other_style("word_regexp"), Some("wordregexp"));
        assert_eq!(compounds.hyphens("a/b-c.rs"), None);
        assert_eq!(compounds.hyphens("word-"), None);
    }

    #[test]
    fn words_that_follow_one_another_may_be_a_name() {
        let text = "The default values, if parser state";
        let mut compounds = Compounds::default();
        for token in ["The", "default", "values", "if", "parser", "state"] {
            compounds.next(text, token, text.find(token).unwrap(), 1.0);
        }
        let names: Vec<String> = compounds.names().flat_map(|(names, _)| names).collect();
        for name in ["default_values", "defaultvalue", "parser_state"] {
            assert!(names.contains(&name.to_owned()), "{names:?}");
        }
        assert!(!names.iter().any(|name| name.starts_with("the") || name.starts_with("values")));
    }
}
