//! Tracks which key of an object is being written: an incremental JSON reader that accepts pieces split anywhere.
//!
//! It returns only known keys, so no other text gets out. It stores no text but the current
//! key, up to the length of the longest known one. Text that is not JSON has no keys.

/// The state between two pieces.
#[derive(Debug)]
pub(crate) struct Keys {
    known: &'static [&'static str],
    /// Nesting depth within objects and lists.
    depth: u32,
    /// Position at the top level of the object.
    position: Position,
    /// The key being read, as long as it can be a known one.
    key: Option<String>,
    /// The known key whose value is being written.
    current: Option<&'static str>,
}

/// A position within the outermost object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Before the object, or between its members.
    Between,
    Key,
    /// After a key, in its value.
    Value,
    /// In a string of a value.
    Text,
    /// In a string of a value, after a backslash.
    Escaped,
    /// After the object, or the text is not an object.
    Over,
}

impl Keys {
    pub(crate) fn new(known: &'static [&'static str]) -> Self {
        Self { known, depth: 0, position: Position::Between, key: None, current: None }
    }

    /// Resets the state.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.known);
    }

    /// The known key whose value is being written.
    pub(crate) fn current(&self) -> Option<&'static str> {
        self.current
    }

    /// Processes the next piece.
    pub(crate) fn read(&mut self, piece: &str) {
        for character in piece.chars() {
            self.take(character);
        }
    }

    fn take(&mut self, character: char) {
        self.position = match (self.position, character) {
            (Position::Over, _) => Position::Over,
            (Position::Text, '\\') => Position::Escaped,
            (Position::Text, '"') => Position::Value,
            (Position::Text | Position::Escaped, _) => Position::Text,
            (Position::Key, '"') => {
                let key = self.key.take();
                self.current =
                    self.known.iter().find(|known| key.as_deref() == Some(**known)).copied();
                Position::Value
            }
            (Position::Key, _) => {
                self.spell(character);
                Position::Key
            }
            (Position::Between, '{') if self.depth == 0 => {
                self.depth = 1;
                Position::Between
            }
            (Position::Between, '"') if self.depth == 1 => {
                self.key = Some(String::new());
                Position::Key
            }
            (Position::Between, ' ' | '\n' | '\r' | '\t') => Position::Between,
            (Position::Between, _) => self.over(),
            (Position::Value, '"') => Position::Text,
            (Position::Value, ',') if self.depth == 1 => {
                self.current = None;
                Position::Between
            }
            (Position::Value, '{' | '[') => {
                self.depth = self.depth.saturating_add(1);
                Position::Value
            }
            (Position::Value, '}' | ']') => {
                self.depth -= 1;
                if self.depth == 0 { self.over() } else { Position::Value }
            }
            (Position::Value, _) => Position::Value,
        };
    }

    /// Adds a character to the key; a key with an escape cannot be a known one.
    fn spell(&mut self, character: char) {
        let longest = self.known.iter().map(|known| known.len()).max().unwrap_or_default();
        match &mut self.key {
            Some(key) if character != '\\' && key.len() < longest => key.push(character),
            key => *key = None,
        }
    }

    fn over(&mut self) -> Position {
        self.current = None;
        Position::Over
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KNOWN: &[&str] = &["alternatives", "raw_text", "é"];

    /// The current key after each piece of a text.
    fn seen(pieces: &[&str]) -> Vec<Option<&'static str>> {
        let mut keys = Keys::new(KNOWN);
        let mut seen = vec![None];
        for piece in pieces {
            for character in piece.chars() {
                keys.read(character.encode_utf8(&mut [0; 4]));
                if seen.last() != Some(&keys.current()) {
                    seen.push(keys.current());
                }
            }
        }
        seen
    }

    #[test]
    fn the_keys_of_the_outermost_object_are_found() {
        let text = r#" {"alternatives": [{"raw_text": "} \" ,\\", "x": [1]}], "other": {"é": 1}, "é":1e9,
            "raw_text": "{\"alternatives\": 1"}  "#;
        let expected = [None, Some("alternatives"), None, Some("é"), None, Some("raw_text"), None];
        assert_eq!(seen(&[text]), expected);
    }

    #[test]
    fn what_is_no_object_has_no_key() {
        for text in
            ["", "raw_text", "[{\"raw_text\": 1}]", "\"raw_text\"", "x{\"raw_text\":1}", "{1", "}}"]
        {
            assert_eq!(seen(&[text]), [None], "{text}");
        }
        // Spelled differently, or longer than any known key.
        for text in [r#"{"raw\u005ftext": 1"#, r#"{"raw_textraw_text": 1"#, r#"{"Raw_text": 1"#] {
            assert_eq!(seen(&[text]), [None], "{text}");
        }
    }

    proptest! {
        /// The result does not depend on where pieces are split, and no text makes it panic.
        #[test]
        fn any_text_in_any_pieces_has_the_same_keys(text in r#"[{}\[\]":, a-b\\]{0,60}"#, cut in 0usize..60) {
            let text = format!("{{\"raw_text\": {text}");
            let cut = text.floor_char_boundary(cut.min(text.len()));
            let (mut whole, mut pieces) = (Keys::new(KNOWN), Keys::new(KNOWN));
            whole.read(&text);
            pieces.read(&text[..cut]);
            pieces.read(&text[cut..]);
            prop_assert_eq!(whole.current(), pieces.current());
            prop_assert_eq!(whole.depth, pieces.depth);
        }
    }
}
