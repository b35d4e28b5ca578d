//! Splits texts and identifiers into words, for the peers that rank by words.

/// Every word in lower case: whole identifiers and their parts.
pub(super) fn words(text: &str, mut each: impl FnMut(String)) {
    for identifier in identifiers(text) {
        let parts = parts(identifier);
        if parts.len() > 1 {
            each(identifier.to_lowercase());
        }
        for part in parts {
            each(part.to_lowercase());
        }
    }
}

/// Runs of letters, digits and `_`.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
}

/// The parts of `HTTPServer_name2`: `HTTP`, `Server`, `name2`.
fn parts(identifier: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in identifier.split('_').filter(|piece| !piece.is_empty()) {
        let letters: Vec<(usize, char)> = piece.char_indices().collect();
        let mut begin = 0;
        for index in 1..letters.len() {
            let (before, (at, here)) = (letters[index - 1].1, letters[index]);
            let next_is_small = letters.get(index + 1).is_some_and(|(_, next)| next.is_lowercase());
            let starts = here.is_uppercase() && (!before.is_uppercase() || next_is_small)
                || here.is_ascii() != before.is_ascii();
            if starts {
                parts.push(&piece[begin..at]);
                begin = at;
            }
        }
        parts.push(&piece[begin..]);
    }
    parts
}

/// Whether a word looks like code rather than prose: `snake_case`, `camelCase`, `Type2`.
pub(super) fn is_code_like(word: &str) -> bool {
    let inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let inner_underscore = word.trim_matches('_').contains('_') || word.starts_with("__");
    inner_capital || inner_underscore
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_fall_into_their_parts() {
        assert_eq!(parts("HTTPServer_name2"), ["HTTP", "Server", "name2"]);
        assert_eq!(parts("__init__"), ["init"]);
        assert_eq!(parts("修复parser"), ["修复", "parser"]);
        let mut found = Vec::new();
        words("let a = fooBar;", |word| found.push(word));
        assert_eq!(found, ["let", "a", "foobar", "foo", "bar"]);
    }

    #[test]
    fn prose_is_not_code() {
        assert!(["fooBar", "foo_bar", "__init__", "MyType"].iter().all(|word| is_code_like(word)));
        assert!(!["Foo", "foo", "JSON", "_"].iter().any(|word| is_code_like(word)));
    }
}
