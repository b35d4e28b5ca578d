//! Normalises a line for the filter: without case, width, look-alike letters, decoration and spacing
//! tricks. The displayed text is not changed.

use std::ops::Range;

/// One line, or consecutive lines, normalised.
pub(super) struct Folded<'f> {
    /// Lower case, with punctuation.
    pub(super) text: &'f str,
    /// The words; identifiers stay whole.
    pub(super) words: &'f [String],
    /// Letters, digits and Chinese only, without spaces.
    pub(super) compact: &'f str,
    /// Whether the letters are written one by one.
    pub(super) is_spaced: bool,
}

/// The lines of a text, each normalised once.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    words: Vec<String>,
    compact: String,
    ends: Vec<End>,
}

/// Where a line ends.
#[derive(Clone, Copy, Default)]
struct End {
    text: usize,
    words: usize,
    compact: usize,
}

/// The most characters that are checked; of a longer line, the beginning.
const CHARACTERS_MAX: usize = 2_000;

impl Lines {
    /// Normalises each of these lines.
    pub(super) fn new(lines: &[&str]) -> Self {
        let mut folded = Self { ends: vec![End::default()], ..Self::default() };
        for line in lines {
            folded.push(line);
        }
        folded
    }

    fn push(&mut self, line: &str) {
        let begin = self.text.len();
        self.text.extend(line.chars().take(CHARACTERS_MAX).flat_map(letter));
        let split = |char: char| !(char.is_alphanumeric() || matches!(char, '_' | '.'));
        for word in self.text[begin..].split(split) {
            let word = unleet(word.trim_matches(['_', '.']));
            if !word.is_empty() {
                self.compact.extend(word.chars().filter(|char| char.is_alphanumeric()));
                self.words.push(word);
            }
        }
        // For a reader, a line end is a space.
        self.text.push(' ');
        let (text, words, compact) = (self.text.len(), self.words.len(), self.compact.len());
        self.ends.push(End { text, words, compact });
    }

    /// These lines as one.
    pub(super) fn of(&self, lines: Range<usize>) -> Folded<'_> {
        let (begin, end) = (self.ends[lines.start], self.ends[lines.end]);
        let words = &self.words[begin.words..end.words];
        let single = words.iter().filter(|word| word.chars().nth(1).is_none()).count();
        Folded {
            is_spaced: single > 7 && single * 4 > words.len() * 3,
            text: self.text[begin.text..end.text].trim_end(),
            words,
            compact: &self.compact[begin.compact..end.compact],
        }
    }
}

/// The normal form of a character.
fn letter(char: char) -> impl Iterator<Item = char> {
    let plain = match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(char as u32 - 0xfee0).unwrap_or(char),
        '\u{3000}' | '\u{a0}' => ' ',
        'а' | 'А' | 'α' | 'Α' => 'a',
        'е' | 'Е' | 'ε' | 'Ε' => 'e',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'с' | 'С' => 'c',
        'х' | 'Х' => 'x',
        'у' | 'У' => 'y',
        'і' | 'І' | 'ι' | 'Ι' => 'i',
        'ѕ' | 'Ѕ' => 's',
        'ո' => 'n',
        '\u{1d400}'..='\u{1d6a3}' => mathematical(char),
        char => char,
    };
    plain.to_lowercase()
}

/// A letter of the mathematical alphabets.
fn mathematical(char: char) -> char {
    let index = (char as u32 - 0x1d400) % 52 % 26;
    u8::try_from(index).map_or(char, |index| char::from(b'a' + index))
}

/// `1gn0re` as `ignore`: replaces digits that stand for letters within a word.
fn unleet(word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_lowercase).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    if digits == 0 || letters < 2 * digits || !word.is_ascii() {
        return word.to_owned();
    }
    let plain = |char| match char {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        char => char,
    };
    word.chars().map(plain).collect()
}
