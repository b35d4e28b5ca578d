//! Parses a question: concepts with their weights, and what it mentions explicitly: paths, symbols,
//! lines of stack traces.

use intent::bilingual;
use intent::terms::{is_stop_word, variants};
use intent::words::{is_cjk, words};
use rustc_hash::FxHashMap;

use super::compound::Compounds;
use super::noise;

/// How much of a question is read, in bytes; more would add little and cost time.
pub(crate) const MAX_QUERY_BYTES: usize = 24 * 1024;
/// How many concepts count: those of the highest weight.
const MAX_CONCEPTS: usize = 160;

/// Factor for another form of a word, compared with the word itself.
const VARIANT: f32 = 0.4;
/// Factor for a concept that is written like code.
const CODE: f32 = 1.5;
/// Factor for a whole identifier, compared with a word: it is rarely there by chance.
const WHOLE: f32 = 1.3;
/// Factor for a part of an identifier.
const PART: f32 = 0.7;
/// Factor for the words of the first line, the title.
const TITLE: f32 = 5.0;
/// Factor for the translation of a term: the terms of the table were chosen, most words of a question were not.
const TRANSLATED: f32 = 3.0;
/// Factor for words joined by hyphens as one identifier, mostly an option's name.
const HYPHENS: f32 = 0.7;
/// Factor for two consecutive words as the name that they may form.
const PAIR: f32 = 0.3;

/// A parsed question.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pub(crate) concepts: Vec<Concept>,
    /// Paths and module names, in the order of the text.
    pub(crate) paths: Vec<String>,
    /// Names written like code, each once, in the order of the text.
    pub(crate) symbols: Vec<String>,
}

/// Words of the same meaning: any of them counts, once.
#[derive(Debug)]
pub(crate) struct Concept {
    /// Each word with its weight.
    pub(crate) words: Vec<(String, f32)>,
    pub(crate) weight: f32,
}

impl Query {
    /// Parses a question.
    pub(crate) fn new(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
        let mut weights: FxHashMap<String, Weight> = FxHashMap::default();
        let clean = noise::without(text);
        let text = clean.as_str();
        let title = title_end(text);
        let mut query = Self::default();
        let mut compounds = Compounds::default();
        for token in tokens(text) {
            let place = if token.at < title { TITLE } else { 1.0 };
            query.take(text, &token, place, &mut weights);
            token.names().for_each(|name| compounds.identifier(name));
            if let Some(name) = compounds.hyphens(token.text) {
                let entry = weights.entry(name).or_default();
                entry.times += 1;
                entry.best = entry.best.max(HYPHENS * place);
            }
            compounds.next(text, token.text, token.at, place);
        }
        let mut concepts: Vec<Concept> = weights
            .into_iter()
            .map(|(word, weight)| {
                // The tenth time a word appears says less than the first.
                let weight = weight.best * (1.0 + (weight.times as f32).ln() * 0.5);
                let mut words: Vec<(String, f32)> =
                    variants(&word).into_iter().map(|form| (form, VARIANT)).collect();
                let other = compounds.other_style(&word).map(|other| (other.to_owned(), 1.0));
                words.extend(other);
                words.insert(0, (word, 1.0));
                Concept { words, weight }
            })
            .collect();
        for (translations, weight) in bilingual::concepts(text) {
            let mut words: Vec<(String, f32)> =
                translations.iter().map(|word| ((*word).to_owned(), 1.0)).collect();
            for word in translations {
                words.extend(variants(word).into_iter().map(|form| (form, VARIANT)));
            }
            concepts.push(Concept { words, weight: weight * TRANSLATED });
        }
        concepts.sort_by(|one, other| {
            other.weight.total_cmp(&one.weight).then_with(|| one.words.cmp_words(&other.words))
        });
        concepts.truncate(MAX_CONCEPTS);
        concepts.extend(compounds.names().map(|(names, place)| Concept {
            words: names.into_iter().map(|name| (name, 1.0)).collect(),
            weight: place * PAIR,
        }));
        query.concepts = concepts;
        query
    }

    /// Removes the concepts of these names, which are in lower case.
    pub(crate) fn forget(&mut self, names: &[String]) {
        let is_one = |word: &str| names.iter().any(|name| name.eq_ignore_ascii_case(word));
        self.concepts.retain(|concept| concept.words.first().is_none_or(|(word, _)| !is_one(word)));
        self.symbols.retain(|symbol| !is_one(symbol));
    }

    fn take(
        &mut self,
        text: &str,
        token: &Token<'_>,
        place: f32,
        weights: &mut FxHashMap<String, Weight>,
    ) {
        if token.is_path() {
            self.paths.push(token.text.to_owned());
        }
        for name in token.names() {
            let code = token.is_code(text, name);
            if code && name.len() > 2 && !self.symbols.iter().any(|known| known == name) {
                self.symbols.push(name.to_owned());
            }
            let lower = name.trim_matches('_').to_ascii_lowercase();
            words(name.as_bytes(), |word, _| {
                let Ok(word) = std::str::from_utf8(word) else { return };
                let whole = word == lower;
                if is_stop_word(word) && !(code && whole && word.len() > 3) {
                    return;
                }
                let form = match (whole, code) {
                    (true, true) => CODE * if name_parts(name) > 1 { WHOLE } else { 1.0 },
                    (true, false) => 1.0,
                    (false, _) => PART,
                };
                let entry = weights.entry(word.to_owned()).or_default();
                entry.times += 1;
                entry.best = entry.best.max(form * place);
            });
        }
    }
}

/// Where the first line that is not blank ends.
fn title_end(text: &str) -> usize {
    let begin = text.len() - text.trim_start().len();
    text[begin..].find('\n').map_or(text.len(), |length| begin + length)
}

#[derive(Default)]
struct Weight {
    times: u32,
    best: f32,
}

trait CompareWords {
    fn cmp_words(&self, other: &Self) -> std::cmp::Ordering;
}

impl CompareWords for Vec<(String, f32)> {
    fn cmp_words(&self, other: &Self) -> std::cmp::Ordering {
        let names = |words: &Self| words.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();
        names(self).cmp(&names(other))
    }
}

/// A run of characters without blanks and quotes.
struct Token<'t> {
    text: &'t str,
    at: usize,
}

/// Endings of file names that a path in a question may have.
const ENDINGS: [&str; 38] = [
    "bash", "c", "cc", "cfg", "cpp", "cs", "css", "go", "h", "hpp", "html", "ini", "java", "js",
    "json", "jsx", "kt", "lock", "md", "mjs", "mod", "php", "py", "pyi", "rb", "rs", "rst", "sh",
    "sql", "swift", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
];

impl Token<'_> {
    /// The identifiers in it.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.text.split(['.', '/', '\\', ':', '-'])
    }

    /// Whether it is a path, or a module's dotted name.
    fn is_path(&self) -> bool {
        let text = self.text;
        let ending = text.rsplit_once('.').map(|(_, ending)| ending);
        let named = ending.is_some_and(|ending| ENDINGS.contains(&ending));
        let dotted = text.matches('.').count() >= 2;
        text.len() > 3 && (named || text.contains('/') || dotted) && !text.starts_with("http")
    }

    /// Whether one of its names is written like code.
    fn is_code(&self, text: &str, name: &str) -> bool {
        let end = self.at + self.text.len();
        let after = text.as_bytes().get(end);
        let before = self.at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let inner_capital = name.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
            && name.bytes().any(|byte| byte.is_ascii_lowercase());
        name.trim_matches('_').contains('_')
            || name.starts_with("__")
            || inner_capital
            || after == Some(&b'(')
            || before == Some(&b'`')
            || self.text.contains("::")
            || (self.text.contains('.')
                && self.text.len() > name.len() + 1
                && !self.text.ends_with('.'))
    }
}

fn name_parts(name: &str) -> usize {
    let mut parts = 0;
    words(name.as_bytes(), |_, _| parts += 1);
    parts
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let inside =
        |letter: char| (letter.is_alphanumeric() && !is_cjk(letter)) || "_./\\:-".contains(letter);
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = rest + text[rest..].find(|letter| inside(letter) || is_cjk(letter))?;
            let first = text[begin..].chars().next()?;
            let other = |letter: char| match is_cjk(first) {
                true => !is_cjk(letter),
                false => !inside(letter),
            };
            let end = text[begin..].find(other).map_or(text.len(), |length| begin + length);
            rest = end;
            let whole = &text[begin..end];
            let trimmed = whole.trim_end_matches(['.', ':', '-', '/']);
            let plain = trimmed.trim_start_matches(['-', ':']);
            let at = begin + (trimmed.len() - plain.len());
            if !plain.is_empty() {
                return Some(Token { text: plain, at });
            }
        }
    })
}
