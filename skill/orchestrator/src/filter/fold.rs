//! A line as it would be heard: without case, width, look-alike letters, decoration and spacing
//! tricks. Only for judging; what is shown stays as it is.

/// A line, folded.
pub(super) struct Folded {
    /// Lower case, with punctuation.
    pub(super) text: String,
    /// The words; identifiers stay whole.
    pub(super) words: Vec<String>,
    /// Letters, digits and Chinese only, without spaces.
    pub(super) compact: String,
    /// Whether letters stand alone, one by one.
    pub(super) is_spaced: bool,
}

/// The most characters that are judged; a longer line is judged by its beginning.
const CHARACTERS_MAX: usize = 2_000;

pub(super) fn fold(line: &str) -> Folded {
    let text: String = line.chars().take(CHARACTERS_MAX).flat_map(letter).collect();
    let split = |char: char| !(char.is_alphanumeric() || matches!(char, '_' | '.'));
    let words: Vec<String> = text
        .split(split)
        .map(|word| unleet(word.trim_matches(['_', '.'])))
        .filter(|word| !word.is_empty())
        .collect();
    let single = words.iter().filter(|word| word.chars().count() == 1).count();
    let compact = words.concat().chars().filter(|char| char.is_alphanumeric()).collect();
    Folded { is_spaced: single > 7 && single * 4 > words.len() * 3, text, words, compact }
}

/// One character in its plain form.
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

/// `1gn0re` as `ignore`: digits that stand for letters within a word of letters.
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
