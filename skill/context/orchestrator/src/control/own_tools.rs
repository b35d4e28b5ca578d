//! A server's tool that is not one of ours: it has its own name, and words that select it in a
//! prompt. An invalid entry is reported and only that entry is ignored.

use intent::window;
use serde_json::{Map, Value};

use super::servers::Mapped;

/// Prefix of the names on the allow-list.
const RESERVED: &str = "ci_";
/// The longest name, in bytes.
const NAME_MAX: usize = 40;
/// Maximum number of words that select a tool, and maximum length of a word, in bytes.
const WORDS_MAX: usize = 20;
const WORD_MAX: usize = 60;
/// Default timeout, in milliseconds: that of a search.
const TIMEOUT_MS: u64 = 2_000;
/// Maximum timeout, in milliseconds: that of our slowest tool.
const TIMEOUT_MAX_MS: u64 = 3_500;
/// The keys of an entry.
const KEYS: &[&str] = &["tool", "arguments", "when", "tier", "timeout_ms"];

/// A tool of a server's own.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnTool {
    /// The server's name for it, and its arguments.
    pub mapped: Mapped,
    /// Which prompts select it.
    pub when: When,
    /// 1, or 2 if it needs tier 2.
    pub tier: u8,
    /// Its timeout, in milliseconds.
    pub timeout_ms: u64,
}

/// Which prompts about code select a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Every prompt about code.
    Code,
    /// Those with one of these words, which are in lower case.
    Words(Vec<String>),
}

impl When {
    /// The part of the prompt that selects the tool; `None` if it is not selected.
    #[must_use]
    pub fn asked(&self, prompt: &str) -> Option<String> {
        match self {
            Self::Code => Some("it is about code".to_owned()),
            Self::Words(words) => {
                let window = window(prompt).to_lowercase();
                let word = words.iter().find(|word| stands_in(&window, word))?;
                Some(format!("it says {word:?}"))
            }
        }
    }
}

/// Whether a word occurs in a text as a whole word. Chinese has no spaces between words.
fn stands_in(text: &str, word: &str) -> bool {
    let joins = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word).any(|(at, _)| {
        let before = joins(first) && joins(text[..at].chars().next_back());
        let after = joins(last) && joins(text[at + word.len()..].chars().next());
        !before && !after
    })
}

/// Parses an entry whose name is not that of one of our tools.
///
/// # Errors
/// Why it is invalid.
pub(super) fn read(name: &str, entry: &Value) -> Result<OwnTool, String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if name.starts_with(RESERVED) {
        return Err("it is not on the allow-list".to_owned());
    }
    if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_letter) {
        return Err(format!("expected a name of at most {NAME_MAX} letters, digits, `_` and `-`"));
    }
    let Some(entry) = entry.as_object().filter(|entry| entry.contains_key("when")) else {
        return Err(
            "it is not on the allow-list, and has no `when` as a tool of its own".to_owned()
        );
    };
    if let Some(key) = entry.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("{key:.40} is unknown; known are {}", KEYS.join(", ")));
    }
    let number = |key: &str, usual: u64, most: u64| match entry.get(key) {
        None => Ok(usual),
        Some(value) => value
            .as_u64()
            .filter(|number| (1..=most).contains(number))
            .ok_or_else(|| format!("{key}: expected a number from 1 to {most}")),
    };
    let tier = number("tier", 1, 2)?;
    Ok(OwnTool {
        mapped: mapped(name, entry)?,
        when: when(entry.get("when"))?,
        tier: if tier == 2 { 2 } else { 1 },
        timeout_ms: number("timeout_ms", TIMEOUT_MS, TIMEOUT_MAX_MS)?,
    })
}

fn mapped(name: &str, entry: &Map<String, Value>) -> Result<Mapped, String> {
    let tool = match entry.get("tool") {
        None => name.to_owned(),
        Some(tool) => tool.as_str().ok_or("tool: expected the server's name for it")?.to_owned(),
    };
    let arguments = match entry.get("arguments") {
        None => None,
        Some(Value::Object(arguments)) => Some(arguments.clone()),
        Some(_) => return Err("arguments: expected `{ theirs: \"{query}\" }`".to_owned()),
    };
    Ok(Mapped { tool, arguments })
}

fn when(value: Option<&Value>) -> Result<When, String> {
    let expected = || format!("when: expected `code`, or a list of at most {WORDS_MAX} words");
    match value {
        Some(Value::String(word)) if word == "code" => Ok(When::Code),
        Some(Value::Array(words)) if (1..=WORDS_MAX).contains(&words.len()) => {
            let word = |word: &Value| {
                let word = word.as_str()?.trim().to_lowercase();
                (1..=WORD_MAX).contains(&word.len()).then_some(word)
            };
            words.iter().map(word).collect::<Option<_>>().map(When::Words).ok_or_else(expected)
        }
        _ => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_is_read_with_what_it_leaves_out() {
        let docs = read("docs", &json!({ "when": ["API docs", "文档"] })).unwrap();
        assert_eq!(
            (docs.mapped.tool.as_str(), docs.tier, docs.timeout_ms),
            ("docs", 1, TIMEOUT_MS)
        );
        assert_eq!(docs.mapped.arguments, None);
        let whole = json!({
            "tool": "find", "arguments": { "q": "{query}" }, "when": "code", "tier": 2, "timeout_ms": 900,
        });
        let whole = read("docs", &whole).unwrap();
        assert_eq!((whole.when, whole.tier, whole.timeout_ms), (When::Code, 2, 900));
        assert_eq!(whole.mapped.tool, "find");
    }

    #[test]
    fn a_word_asks_only_where_it_stands_by_itself() {
        let when = When::Words(vec!["api".to_owned(), "文档".to_owned(), "c++".to_owned()]);
        for (prompt, expected) in [
            ("read the API first", Some("it says \"api\"")),
            ("api", Some("it says \"api\"")),
            ("rapid fix", None),
            ("the api_key leaks", None),
            ("请看文档再改", Some("it says \"文档\"")),
            ("port it to C++11", Some("it says \"c++\"")),
            ("", None),
        ] {
            assert_eq!(when.asked(prompt).as_deref(), expected, "{prompt}");
        }
        assert!(When::Code.asked("anything").is_some());
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        for (name, entry, why) in [
            ("ci_write", json!({ "when": "code" }), "not on the allow-list"),
            ("docs", json!("find"), "has no `when`"),
            ("docs", json!({ "tool": "find" }), "has no `when`"),
            ("a b", json!({ "when": "code" }), "expected a name"),
            ("", json!({ "when": "code" }), "expected a name"),
            ("docs", json!({ "when": "always" }), "expected `code`"),
            ("docs", json!({ "when": [] }), "expected `code`"),
            ("docs", json!({ "when": [" "] }), "expected `code`"),
            ("docs", json!({ "when": ["x", 7] }), "expected `code`"),
            ("docs", json!({ "when": "code", "tier": 3 }), "tier: expected a number from 1 to 2"),
            ("docs", json!({ "when": "code", "timeout_ms": 60_000 }), "from 1 to 3500"),
            ("docs", json!({ "when": "code", "shell": true }), "shell is unknown"),
            ("docs", json!({ "when": "code", "arguments": [] }), "arguments: expected"),
            ("docs", json!({ "when": "code", "tool": 7 }), "tool: expected"),
        ] {
            let said = read(name, &entry).unwrap_err();
            assert!(said.contains(why), "{name} {entry}: {said}");
        }
    }
}
