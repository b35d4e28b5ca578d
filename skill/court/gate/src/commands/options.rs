//! Reading options and operands out of a command's words.

use crate::shell::Field;

/// The operands: what is neither an option nor the value of one that takes the next word. `words`
/// begins with the command's name.
pub(super) fn operands<'a>(words: &'a [Field], valued: &[&str]) -> Vec<&'a Field> {
    let mut operands = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let word = &words[at];
        at += 1;
        if word.text == "--" {
            operands.extend(&words[at..]);
            break;
        }
        if word.is_option() {
            at += usize::from(takes_next(&word.text, valued));
        } else {
            operands.push(word);
        }
    }
    operands
}

/// Where the first operand is.
pub(super) fn first_operand(words: &[Field], valued: &[&str]) -> usize {
    let mut at = 1;
    while at < words.len() {
        let word = &words[at];
        if word.text == "--" {
            return at + 1;
        }
        if !word.is_option() {
            return at;
        }
        at += 1 + usize::from(takes_next(&word.text, valued));
    }
    words.len()
}

/// Whether an option takes the next word: by its name, or as the last of several letters (`-iu root`).
fn takes_next(option: &str, valued: &[&str]) -> bool {
    if valued.contains(&option) {
        return true;
    }
    let Some(letters) = option.strip_prefix('-').filter(|letters| {
        (2..=5).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    }) else {
        return false;
    };
    let takes = |letter: char| {
        valued.iter().any(|name| {
            name.strip_prefix('-')
                .is_some_and(|rest| rest.len() == letter.len_utf8() && rest.starts_with(letter))
        })
    };
    // The first letter that takes a value takes what is left of the word, if something is.
    letters
        .char_indices()
        .find(|(_, letter)| takes(*letter))
        .is_some_and(|(at, letter)| at + letter.len_utf8() == letters.len())
}

/// Whether a short option (`f` in `-rf`) or a long one (`--force`) is given.
pub(super) fn has(words: &[Field], short: char, long: &str) -> bool {
    words.iter().skip(1).take_while(|word| word.text != "--").any(|word| {
        let text = word.text.as_str();
        if let Some(name) = text.strip_prefix("--") {
            let name = name.split('=').next().unwrap_or_default();
            // GNU takes any unambiguous beginning.
            return !long.is_empty() && !name.is_empty() && long.starts_with(name);
        }
        short != ' ' && text.starts_with('-') && text[1..].contains(short)
    })
}

/// Whether one of the words is there as it stands.
pub(super) fn has_word(words: &[Field], wanted: &[&str]) -> bool {
    words.iter().skip(1).any(|word| wanted.contains(&word.text.as_str()))
}

/// The value of an option: `-o value`, `-ovalue`, `--long value`, `--long=value`.
pub(super) fn value<'a>(words: &'a [Field], names: &[&str]) -> Option<&'a str> {
    values(words, names).next()
}

/// The values of an option, each time that it is given.
pub(super) fn values<'a>(words: &'a [Field], names: &[&str]) -> impl Iterator<Item = &'a str> {
    words.iter().enumerate().skip(1).filter_map(move |(index, word)| {
        names.iter().find_map(|name| match word.text.strip_prefix(name)? {
            "" => words.get(index + 1).map(|value| value.text.as_str()),
            rest if name.starts_with("--") => rest.strip_prefix('='),
            rest => Some(rest),
        })
    })
}

/// The words from `from` on, as the one text that a shell would be given.
pub(super) fn joined(words: &[Field]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}
