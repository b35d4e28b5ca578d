//! Searches for a text in the values of stored JSON, ignoring the case of ASCII letters and parsing as little as
//! possible: ten thousand runs are 70 MB. Keys are not searched.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, BuildError};
use memchr::{memchr, memchr2};
use serde_json::Value;

/// A text to search for.
#[derive(Debug)]
pub(super) struct TextSearch {
    /// The text itself.
    plain: AhoCorasick,
    /// The text as `serde_json` escapes it.
    written: AhoCorasick,
}

impl TextSearch {
    /// Creates a search for a text that is not empty.
    ///
    /// # Errors
    /// The text is too long.
    pub(super) fn new(text: &str) -> Result<Self, BuildError> {
        let json = Value::from(text).to_string();
        let written = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let find = |text: &str| AhoCorasick::builder().ascii_case_insensitive(true).build([text]);
        Ok(Self { plain: find(text)?, written: find(written.unwrap_or(&json))? })
    }

    /// Whether a value of the JSON contains the text.
    pub(super) fn is_in(&self, json: &str) -> bool {
        if !self.written.is_match(json) {
            return false;
        }
        let mut rest = json;
        while let Some(begin) = memchr(b'"', rest.as_bytes()) {
            let inside = &rest[begin + 1..];
            let Some(end) = end_of_string(inside) else { return false };
            let (string, behind) = (&inside[..end], &inside[end + 1..]);
            let is_key = behind.trim_ascii_start().starts_with(':');
            if !is_key && self.is_in_string(string) {
                return true;
            }
            rest = behind;
        }
        false
    }

    /// Whether a string contains it; `string` is the escaped text between the quotes.
    fn is_in_string(&self, string: &str) -> bool {
        if !self.written.is_match(string) {
            return false;
        }
        // The match may be a part of an escape sequence, such as the `n` of `\n`.
        let said = match string.contains('\\') {
            false => Cow::Borrowed(string),
            true => Cow::Owned(serde_json::from_str(&format!("\"{string}\"")).unwrap_or_default()),
        };
        self.plain.is_match(&*said)
    }
}

/// Position of the quote that ends a string.
fn end_of_string(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let found = at + memchr2(b'"', b'\\', text.as_bytes().get(at..)?)?;
        if text.as_bytes()[found] == b'"' {
            return Some(found);
        }
        at = found + 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::TextSearch;

    /// The same by parsing all of it.
    fn holds(value: &Value, sought: &str) -> bool {
        match value {
            Value::String(text) => text.to_ascii_lowercase().contains(sought),
            Value::Array(items) => items.iter().any(|item| holds(item, sought)),
            Value::Object(members) => members.values().any(|member| holds(member, sought)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    #[test]
    fn values_count_and_keys_and_escapes_do_not() {
        let json = json!({
            "problem": "say \"When\" \\ now\nnext\u{1b}[2J", "list": [{"name": "缓存"}], "n": 17,
        });
        let text = serde_json::to_string_pretty(&json).unwrap();
        for (sought, is_there) in [
            ("when", true),
            ("\"when\" \\", true),
            ("now\nnext", true),
            ("缓存", true),
            ("\u{1b}[2j", true),
            ("nnext", false),
            ("problem", false),
            ("name", false),
            ("001b", false),
            ("\\n", false),
            ("17", false),
            ("\": \"", false),
        ] {
            assert_eq!(TextSearch::new(sought).unwrap().is_in(&text), is_there, "{sought:?}");
        }
        for broken in ["", "\"", "\"when", "\"when\\", "{\"when\"", "when"] {
            // For invalid JSON any result is acceptable, but it must return.
            let _ = TextSearch::new("when").unwrap().is_in(broken);
        }
    }

    proptest! {
        #[test]
        fn it_finds_what_a_reader_of_the_whole_finds(
            values in prop::collection::vec("[aAnNu01\\\\\"\n\t:缓, ]{0,6}", 1..5),
            keys in prop::collection::vec("[anu\"\\\\:]{0,4}", 1..5),
            sought in "[aAnNu01\\\\\"\n:缓, ]{1,3}",
        ) {
            let members: serde_json::Map<String, Value> =
                keys.into_iter().zip(values.into_iter().map(Value::from)).collect();
            let value = json!([members, {"in": [members.clone()]}]);
            let expected = holds(&value, &sought.to_ascii_lowercase());
            let found = TextSearch::new(&sought).unwrap().is_in(&value.to_string());
            prop_assert_eq!(found, expected, "{} in {}", sought, value);
        }
    }
}
