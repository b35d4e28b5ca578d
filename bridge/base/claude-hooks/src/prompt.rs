//! Whether a prompt is a person's words. The client submits its own through the same event.

/// Who a prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A person, or a program that speaks for one.
    Typed,
    /// `/command arguments`, before it is expanded.
    SlashCommand,
    /// Nothing but white space.
    Empty,
    /// The client's own, such as the news that work in the background has ended.
    Client,
}

/// How the client's own prompts begin (2.1.197).
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

/// Tells where a prompt comes from by how it begins.
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

/// `/name`, also `/plugin:name`, at the end or before white space. A path such as `/etc/hosts` has
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
