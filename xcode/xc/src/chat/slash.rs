//! Slash commands: the list of them, and their parsing. None of this is sent to the model. Not here: what they
//! do.

use super::memory::{self, Memory};
use super::undo::Undo;
use crate::config::nearest;
use crate::words::{self, Language, Text};

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slash {
    Help,
    Model(Option<String>),
    Plan,
    Compact(Option<String>),
    Usage,
    Clear,
    SaveSession,
    Sessions,
    Context,
    Diff,
    Undo(Undo),
    Memory(Memory),
    Copy(Part),
    Permissions,
    Init,
    Trust(Consent),
    Steer(String),
    Tasks(Wish),
    Exit,
}

/// A `/tasks` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// List them.
    List,
    /// Show the last output of this one.
    Show(u64),
    End(u64),
}

/// Whether `/trust` agrees or only lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// It only lists.
    Look,
    /// It agrees.
    Yes,
}

/// Which part of an answer to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// Its last block of code.
    Code,
}

/// Each command with its arguments and its description. `/help` and the completion list them in this order.
const COMMANDS: [(&str, &str, Text); 19] = [
    ("help", "", words::HELP_HELP),
    ("model", "[NAME]", words::HELP_MODEL),
    ("plan", "", words::HELP_PLAN),
    ("compact", "[WHAT]", words::HELP_COMPACT),
    ("usage", "", words::HELP_USAGE),
    ("context", "", words::HELP_CONTEXT),
    ("clear", "", words::HELP_CLEAR),
    ("sessions", "", words::HELP_SESSIONS),
    ("session save", "", words::HELP_SESSION),
    ("diff", "", words::HELP_DIFF),
    ("undo", "[yes]", words::HELP_UNDO),
    ("tasks", "[NUMBER]", words::HELP_TASKS),
    ("copy", "[code]", words::HELP_COPY),
    ("permissions", "", words::HELP_PERMISSIONS),
    ("init", "", words::HELP_INIT),
    ("memory", "[forget N]", words::HELP_MEMORY),
    ("trust", "[yes]", words::HELP_TRUST),
    ("steer", "WORDS", words::HELP_STEER),
    ("exit", "", words::HELP_EXIT),
];

/// The keys, for `/help`.
const KEYS: [(&str, Text); 13] = [
    ("Enter", words::KEY_ENTER),
    ("Alt+Enter, Shift+Enter, Ctrl+J", words::KEY_NEWLINE),
    ("Ctrl+Enter, /steer", words::KEY_STEER),
    ("Esc", words::KEY_ESC),
    ("Ctrl+C", words::KEY_CTRL_C),
    ("Ctrl+D", words::KEY_CTRL_D),
    ("Shift+Tab", words::KEY_SHIFT_TAB),
    ("Ctrl+Z", words::KEY_CTRL_Z),
    ("↑ ↓", words::KEY_UP),
    ("Ctrl+R", words::KEY_CTRL_R),
    ("Tab", words::KEY_TAB),
    ("!", words::KEY_BANG),
    ("@", words::KEY_AT),
];

/// Parses a line that begins with `/`.
///
/// # Errors
/// The message for the user, when the line is no command.
pub(crate) fn parse(line: &str, words: Language) -> Result<Slash, String> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let some = || (!rest.is_empty()).then(|| rest.to_owned());
    match (name, rest) {
        ("/help" | "/?", _) => Ok(Slash::Help),
        ("/model", _) => Ok(Slash::Model(some())),
        ("/plan", _) => Ok(Slash::Plan),
        ("/compact", _) => Ok(Slash::Compact(some())),
        ("/usage", _) => Ok(Slash::Usage),
        ("/clear", _) => Ok(Slash::Clear),
        ("/session", "save") => Ok(Slash::SaveSession),
        ("/sessions", _) => Ok(Slash::Sessions),
        ("/context", _) => Ok(Slash::Context),
        ("/diff", _) => Ok(Slash::Diff),
        ("/undo", "") => Ok(Slash::Undo(Undo::Look)),
        ("/undo", "yes") => Ok(Slash::Undo(Undo::Turn)),
        ("/undo", "back") => Ok(Slash::Undo(Undo::Back)),
        ("/copy", "code") => Ok(Slash::Copy(Part::Code)),
        ("/copy", "") => Ok(Slash::Copy(Part::Whole)),
        ("/permissions", _) => Ok(Slash::Permissions),
        ("/init", _) => Ok(Slash::Init),
        ("/memory", _) => memory::parse(rest, words).map(Slash::Memory),
        ("/trust", "yes") => Ok(Slash::Trust(Consent::Yes)),
        ("/trust", _) => Ok(Slash::Trust(Consent::Look)),
        ("/steer", "") => Err(words.say(&words::NOTHING_TO_STEER).to_owned()),
        ("/steer", _) => Ok(Slash::Steer(rest.to_owned())),
        ("/tasks", _) => tasks(rest, words).map(Slash::Tasks),
        ("/exit" | "/quit", _) => Ok(Slash::Exit),
        _ => Err(unknown(line, name, words)),
    }
}

fn tasks(rest: &str, words: Language) -> Result<Wish, String> {
    let number =
        |word: &str| word.parse().map_err(|_| words.fill(&words::TASK_UNKNOWN, &[("task", word)]));
    match rest.split_once(char::is_whitespace) {
        None if rest.is_empty() => Ok(Wish::List),
        Some(("end", task)) => number(task.trim()).map(Wish::End),
        Some(_) | None => number(rest).map(Wish::Show),
    }
}

/// Completions of a partly typed command.
pub(crate) fn candidates(typed: &str) -> Vec<String> {
    let names = COMMANDS.iter().map(|(name, ..)| *name);
    names.filter(|name| name.starts_with(typed)).map(str::to_owned).collect()
}

/// All commands and keys, one per line.
pub(crate) fn help(words: Language) -> Vec<String> {
    let width =
        COMMANDS.iter().map(|(name, more, _)| name.len() + more.len() + 2).max().unwrap_or(0);
    let command = |(name, more, text): &(&str, &str, Text)| {
        let shown = format!("/{name} {more}");
        format!("  {shown:width$}  {}", words.say(text))
    };
    let keys = KEYS.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    let key = |(key, text): &(&str, Text)| format!("  {key:keys$}  {}", words.say(text));
    let mut lines = vec![words.say(&words::HELP_COMMANDS).to_owned()];
    lines.extend(COMMANDS.iter().map(command));
    lines.push(words.say(&words::HELP_KEYS).to_owned());
    lines.extend(KEYS.iter().map(key));
    lines
}

fn unknown(line: &str, name: &str, words: Language) -> String {
    let typed = name.trim_start_matches('/');
    let command = line.chars().take(40).collect::<String>();
    match nearest(typed, COMMANDS.iter().map(|(name, ..)| *name)) {
        Some(nearest) => {
            let nearest = format!("/{nearest}");
            words.fill(&words::UNKNOWN_COMMAND, &[("command", &command), ("nearest", &nearest)])
        }
        None => words.fill(&words::UNKNOWN_COMMAND_ALONE, &[("command", &command)]),
    }
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, Slash, Wish, candidates, help, parse};
    use crate::words::Language;

    #[test]
    fn each_command_that_is_listed_is_known() {
        for (name, more, _) in COMMANDS {
            let more = more.trim_matches(['[', ']']).replace("NUMBER", "1");
            assert!(parse(&format!("/{name} {more}"), Language::En).is_ok(), "{name}");
        }
        assert_eq!(parse("/model  qwen ", Language::En), Ok(Slash::Model(Some("qwen".into()))));
        assert_eq!(parse("/compact", Language::En), Ok(Slash::Compact(None)));
        assert_eq!(parse("/steer a b", Language::En), Ok(Slash::Steer("a b".into())));
    }

    #[test]
    fn tasks_are_listed_shown_and_ended_by_their_numbers() {
        let tasks = |line| parse(line, Language::En);
        assert_eq!(tasks("/tasks"), Ok(Slash::Tasks(Wish::List)));
        assert_eq!(tasks("/tasks 12"), Ok(Slash::Tasks(Wish::Show(12))));
        assert_eq!(tasks("/tasks end  3 "), Ok(Slash::Tasks(Wish::End(3))));
        assert_eq!(tasks("/tasks end all"), Err("There is no task all.".to_owned()));
        assert!(tasks("/tasks -1").is_err() && tasks("/tasks end").is_err());
    }

    /// XC-134.
    #[test]
    fn an_unknown_command_names_the_nearest() {
        let told = parse("/modle x", Language::En).unwrap_err();
        assert_eq!(told, "There is no command /modle x; the nearest is /model.");
        let told = parse("/xyzzy", Language::Zh).unwrap_err();
        assert_eq!(told, "没有命令 /xyzzy；/help 列出全部命令。");
        assert!(parse("/session", Language::En).is_err());
    }

    #[test]
    fn completion_and_help_know_them_all() {
        assert_eq!(candidates("se"), ["sessions", "session save"]);
        assert_eq!(candidates("").len(), COMMANDS.len());
        let text = help(Language::Zh).join("\n");
        assert!(COMMANDS.iter().all(|(name, ..)| text.contains(&format!("/{name}"))));
    }
}
