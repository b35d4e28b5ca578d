//! Parses a line of the conversation: a prompt, or a command with a leading slash.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// An empty line.
    Blank,
    /// A prompt for Codex.
    Prompt(&'l str),
    /// A command for this program.
    Command(Command<'l>),
    /// An unknown command.
    Unknown(&'l str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command<'l> {
    Help,
    /// `/new`: starts a new thread with the next turn.
    New,
    /// `/retry`: sends the last prompt again.
    Retry,
    /// `/model`: shows the model, or sets it.
    Model(Option<&'l str>),
    /// `/session`: shows the session.
    Session,
    /// `/context`: shows the context of the last prompt.
    Context,
    /// `/usage`: shows the cost of the conversation.
    Usage,
    Exit,
}

/// The command that has an argument.
const MODEL: &str = "/model";

/// The commands with their descriptions.
pub(super) const COMMANDS: [(&str, Command<'static>, &str); 8] = [
    ("/help", Command::Help, "list the commands"),
    ("/new", Command::New, "begin a new conversation"),
    ("/retry", Command::Retry, "send the last prompt once more, in the thread as it is"),
    (MODEL, Command::Model(None), "show the model; /model NAME asks another, /model default yours"),
    ("/session", Command::Session, "show which thread goes on, and where that is noted"),
    ("/context", Command::Context, "show all that was found for the last prompt"),
    ("/usage", Command::Usage, "show the tokens of the last turn and of all since the start"),
    ("/exit", Command::Exit, "end (or Ctrl-D)"),
];

impl<'l> Line<'l> {
    /// Parses a line. A path such as `/etc/hosts` is not a command.
    pub(super) fn read(line: &'l str) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Blank;
        }
        if let Some((_, command, _)) = COMMANDS.iter().find(|(name, _, _)| *name == line) {
            return Self::Command(*command);
        }
        if let Some((MODEL, name)) = line.split_once(' ')
            && let name = name.trim()
            && !name.contains(char::is_whitespace)
        {
            return Self::Command(Command::Model(Some(name)));
        }
        let looks_like_one = line.strip_prefix('/').is_some_and(|word| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase())
        });
        if looks_like_one { Self::Unknown(line) } else { Self::Prompt(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slash_and_a_known_word_is_a_command() {
        for (line, expected) in [
            ("  ", Line::Blank),
            (" /new ", Line::Command(Command::New)),
            ("/exit", Line::Command(Command::Exit)),
            ("/nwe", Line::Unknown("/nwe")),
            ("/etc/hosts is odd", Line::Prompt("/etc/hosts is odd")),
            ("/new house", Line::Prompt("/new house")),
            ("/retry", Line::Command(Command::Retry)),
            ("/model", Line::Command(Command::Model(None))),
            ("/model  gpt-5.2", Line::Command(Command::Model(Some("gpt-5.2")))),
            ("/model of the shop is odd", Line::Prompt("/model of the shop is odd")),
            ("/", Line::Prompt("/")),
            ("修复登录\n再试", Line::Prompt("修复登录\n再试")),
        ] {
            assert_eq!(Line::read(line), expected, "{line}");
        }
    }
}
