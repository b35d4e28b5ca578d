//! What the kernel is asked: a prompt, or of a long one the parts that matter, and who asks from where.

use std::path::PathBuf;

use serde_json::{Value, json};

/// The longest prompt that the kernel gets whole, in bytes: it looks for words, paths and errors, and a
/// paste of megabytes has no more of them that count than its first and last pages.
pub const PROMPT_MAX: usize = 8 * 1024;
/// How much of the end is kept of a longer one, in bytes. A question often follows what is pasted.
const TAIL: usize = 2 * 1024;
/// What stands for the middle.
const GAP: &str = "\n[...]\n";

/// The event of Claude Code's hook before a prompt.
const HOOK_EVENT: &str = "UserPromptSubmit";

/// One question to the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What was typed.
    pub prompt: String,
    /// Which client asks.
    pub client: Client,
    /// Where: the folder that the prompt is about.
    pub cwd: PathBuf,
    /// The most that the client takes, in UTF-16 code units, where it has a limit of its own.
    pub context_max: Option<usize>,
}

/// Which client asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// `claude-code` or `codex-cli`.
    pub name: String,
    /// `UserPromptSubmit` or `cli`.
    pub event: String,
    /// The client's session, where it has one.
    pub session_id: Option<String>,
}

impl Client {
    /// Claude Code's hook.
    #[must_use]
    pub fn claude_code(session_id: Option<String>) -> Self {
        Self { name: "claude-code".to_owned(), event: HOOK_EVENT.to_owned(), session_id }
    }

    /// A command line, or a wrapper around Codex.
    #[must_use]
    pub fn codex_cli(session_id: Option<String>) -> Self {
        Self { name: "codex-cli".to_owned(), event: "cli".to_owned(), session_id }
    }

    /// Whether it is a hook, which is waited for with little patience.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        self.event == HOOK_EVENT
    }

    /// As a report has it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut client = json!({ "name": self.name, "event": self.event });
        if let Some(session_id) = &self.session_id {
            client["session_id"] = json!(session_id);
        }
        client
    }
}

impl Question {
    /// The request as the kernel reads it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut request = json!({
            "prompt": bounded(&self.prompt),
            "client": self.client.to_value(),
            "cwd": self.cwd.to_string_lossy(),
        });
        if let Some(most) = self.context_max {
            request["max_injected_chars"] = json!(most);
        }
        request.to_string().into_bytes()
    }
}

/// The prompt, or its beginning and its end.
fn bounded(prompt: &str) -> String {
    if prompt.len() <= PROMPT_MAX {
        return prompt.to_owned();
    }
    let head = prompt.floor_char_boundary(PROMPT_MAX - TAIL - GAP.len());
    let tail = prompt.ceil_char_boundary(prompt.len() - TAIL);
    format!("{}{GAP}{}", &prompt[..head], &prompt[tail..])
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

    #[test]
    fn the_request_says_who_asks_from_where() {
        let question = Question {
            prompt: "fix it".to_owned(),
            client: Client::claude_code(Some("s1".to_owned())),
            cwd: "/src/shop".into(),
            context_max: Some(9_400),
        };
        let request: Value = serde_json::from_slice(&question.to_bytes()).unwrap();
        let client =
            json!({ "name": "claude-code", "event": "UserPromptSubmit", "session_id": "s1" });
        let expected = json!({ "prompt": "fix it", "client": client, "cwd": "/src/shop", "max_injected_chars": 9_400 });
        assert_eq!(request, expected);
    }
}
