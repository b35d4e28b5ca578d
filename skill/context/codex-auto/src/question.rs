//! The input of the orchestrator: a prompt, or the relevant parts of a long one, and its client and
//! folder.

use std::borrow::Cow;
use std::path::PathBuf;

use orchestration::report::Client;
use orchestration::request::Request;

/// Maximum length of a prompt that is sent in full, in bytes: the orchestrator searches for words, paths and errors,
/// and the first and last pages of a long paste contain enough of them.
pub const PROMPT_MAX: usize = 8 * 1024;
/// Length of the tail of a longer one, in bytes. A question often follows the pasted text.
const TAIL: usize = 2 * 1024;
/// Replaces the middle.
const GAP: &str = "\n[...]\n";

/// One question to the orchestrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The user's text.
    pub prompt: String,
    /// The client.
    pub client: Client,
    /// The folder that the prompt is about.
    pub cwd: PathBuf,
    /// The client's own limit of the context, if any, in UTF-16 code units.
    pub context_max: Option<u64>,
}

impl Question {
    /// The request to the orchestrator.
    #[must_use]
    pub fn to_request(&self) -> Request {
        Request {
            prompt: self.asked().into_owned(),
            client: self.client.clone(),
            cwd: Some(self.cwd.clone()),
            max_injected_chars: self.context_max,
        }
    }
}

impl Question {
    /// The prompt as sent to the orchestrator.
    #[must_use]
    pub fn asked(&self) -> Cow<'_, str> {
        bounded(&self.prompt)
    }
}

/// The prompt, or its head and tail.
fn bounded(prompt: &str) -> Cow<'_, str> {
    if prompt.len() <= PROMPT_MAX {
        return Cow::Borrowed(prompt);
    }
    let head = prompt.floor_char_boundary(PROMPT_MAX - TAIL - GAP.len());
    let tail = prompt.ceil_char_boundary(prompt.len() - TAIL);
    Cow::Owned(format!("{}{GAP}{}", &prompt[..head], &prompt[tail..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_prompt_both_ends_are_asked() {
        assert_eq!(bounded("fix it"), "fix it");
        let long = format!("修复{}why?", "错误".repeat(40_000));
        let bounded = bounded(&long);
        assert!(bounded.len() <= PROMPT_MAX, "{}", bounded.len());
        assert!(bounded.starts_with("修复错误") && bounded.ends_with("错误why?"));
        assert!(bounded.contains(GAP));
    }
}
