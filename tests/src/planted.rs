//! Text with control sequences or hidden characters, and a check whether any of it
//! was let through. It shares no code with what is tested.

use serde_json::Value;

/// A title, a colour, a link to the clipboard, C1, a change of direction, an invisible character, a tag.
pub const HOSTILE: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[31m\u{1b}]52;c;eA==\u{7}\u{9b}1m\u{202e}\u{200b}\u{feff}\u{e0041}\u{7f}\r";

/// The same as far as git accepts it in a branch's name.
pub const HOSTILE_NAME: &str = "x\u{9b}1m\u{202e}\u{200b}\u{feff}\u{e0041}";

/// The first character that no reader may receive.
#[must_use]
pub fn hidden(text: &str) -> Option<char> {
    text.chars().find(|char| {
        char.is_control() && !matches!(char, '\n' | '\t')
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    })
}

/// The same in every string and every key of a JSON value.
#[must_use]
pub fn hidden_within(value: &Value) -> Option<char> {
    match value {
        Value::String(text) => hidden(text),
        Value::Array(items) => items.iter().find_map(hidden_within),
        Value::Object(members) => {
            members.iter().find_map(|(key, member)| hidden(key).or_else(|| hidden_within(member)))
        }
        _ => None,
    }
}
