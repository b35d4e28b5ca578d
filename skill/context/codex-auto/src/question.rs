//! What the orchestrator is asked: a prompt, or of a long one the parts that matter, and who asks from
//! where.

use std::borrow::Cow;
use std::path::PathBuf;

use orchestration::report::Client;
use orchestration::request::Request;

/// The longest prompt that the orchestrator gets whole, in bytes: it looks for words, paths and errors, and
/// a paste of megabytes has no more of them that count than its first and last pages.
pub const PROMPT_MAX: usize = 8 * 1024;
/// How much of the end is kept of a longer one, in bytes. A question often follows what is pasted.
const TAIL: usize = 2 * 1024;
/// What stands for the middle.
const GAP: &str = "\n[...]\n";

/// One question to the orchestrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What was typed.
    pub prompt: String,
    /// Which client asks.
    pub client: Client,
    /// Where: the folder that the prompt is about.
    pub cwd: PathBuf,
    /// The most that the client takes, in UTF-16 code units, where it has a limit of its own.
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
    /// What the orchestrator gets of the prompt.
    #[must_use]
    pub fn asked(&self) -> Cow<'_, str> {
        bounded(&self.prompt)
    }
}

/// The prompt, or its beginning and its end.
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
