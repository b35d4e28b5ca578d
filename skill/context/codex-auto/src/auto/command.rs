//! What a line of the conversation is: a prompt, or one of the commands that begin with a slash.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// Nothing was typed.
    Blank,
    /// For Codex.
    Prompt(&'l str),
    /// For this program.
    Command(Command<'l>),
    /// For this program, but it knows no such command.
    Unknown(&'l str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command<'l> {
    Help,
    /// `/new`: the next turn begins a new thread.
    New,
    /// `/retry`: the last prompt once more.
    Retry,
    /// `/model`: which model is asked, or from now on this one.
    Model(Option<&'l str>),
    /// `/session`: where the conversation is.
    Session,
    /// `/context`: what was found for the last prompt.
    Context,
    /// `/usage`: what the conversation has cost.
    Usage,
    Exit,
}

/// The command that takes a word.
const MODEL: &str = "/model";

/// Each command with what it does.
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
    /// Reads a line. A path such as `/etc/hosts` is no command.
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
