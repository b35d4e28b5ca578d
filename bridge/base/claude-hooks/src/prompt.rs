//! Distinguishes a user's prompts from the client's own, which trigger the same event.

/// The origin of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A user, or a program that acts for one.
    Typed,
    /// `/command arguments`, before it is expanded.
    SlashCommand,
    /// Only white space.
    Empty,
    /// The client, such as the notice that a background task has ended.
    Client,
}

/// The beginnings of the client's own prompts (2.1.197).
const CLIENT: [&str; 8] = [
    "<task-notification>",
    "<system-reminder>",
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<command-name>",
    "<command-message>",
    "<bash-input>",
    "<bash-stdout>",
];

/// Determines the origin of a prompt by its beginning.
pub fn origin(prompt: &str) -> Origin {
    let text = prompt.trim_start();
    if text.is_empty() {
        Origin::Empty
    } else if CLIENT.iter().any(|start| text.starts_with(start)) {
        Origin::Client
    } else if is_slash_command(text) {
        Origin::SlashCommand
    } else {
        Origin::Typed
    }
}

/// Whether a text is `/name`, also `/plugin:name`, at its end or before white space. A path such as `/etc/hosts` has
/// a second slash or a dot, and is not a command.
fn is_slash_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    let name = rest.split_whitespace().next().unwrap_or_default();
    let begins = rest.starts_with(|first: char| first.is_ascii_alphabetic());
    begins && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::{Origin, origin};

    #[test]
    fn the_clients_own_prompts_are_told_from_typed_ones() {
        for (prompt, expected) in [
            ("fix the login", Origin::Typed),
            ("  \n", Origin::Empty),
            ("", Origin::Empty),
            ("/compact keep numbers", Origin::SlashCommand),
            ("/codex-bridge:consult", Origin::SlashCommand),
            ("/etc/hosts is wrong", Origin::Typed),
            ("/src/main.rs: why?", Origin::Typed),
            ("/ is full", Origin::Typed),
            ("a /command in the middle", Origin::Typed),
            ("<task-notification>\n<task-id>b1</task-id>", Origin::Client),
            ("what is a <task-notification>?", Origin::Typed),
            ("<div> is not closed", Origin::Typed),
            ("修复登录错误", Origin::Typed),
        ] {
            assert_eq!(origin(prompt), expected, "{prompt:?}");
        }
    }
}
