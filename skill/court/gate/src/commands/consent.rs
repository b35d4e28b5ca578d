//! What stands for a person's yes: approvals at services, answers that are piped into a question, keys that are typed
//! into another window. Not here: the court's own program (see `court`), and agents without their guards (see `agents`).

use super::options::operands;
use super::when::lists;
use super::words::words;
use crate::path::{absolute, name};
use crate::rules::execution;
use crate::shell::{Field, Io, Walker};

/// Verbs with which a person says yes at a service.
const APPROVES: &[&str] = words!(
    "approve approved put-approval-result approve-run signoff set-vote unblock \
     sys/control-group/authorize"
);
/// Say the same in an option or in a field of a request.
const SAYS_SO: &[&str] = &[
    "--approve",
    "--admin",
    "event=approve",
    "state=approved",
    "\"event\":\"approve\"",
    "approval_rules",
];
/// Type into a window, and the words with which other programs do.
const TYPES: &[&str] = &["xdotool", "ydotool", "wtype", "dotool", "cliclick", "kdotool", "xte"];
const SENDS_KEYS: &[&str] =
    &["send-text", "send-key", "keystroke", "do script", "TIOCSTI", "write text"];

/// Whether a multiplexer is told to type: `zellij action write-chars x`, `dtach -p socket`.
fn types_into(program: &str, verbs: &[&Field], words: &[Field]) -> bool {
    match program {
        "dtach" => words[1..].iter().any(|word| word.text == "-p"),
        _ => verbs.windows(2).any(|pair| {
            matches!(pair[0].text.as_str(), "action" | "ac")
                && matches!(pair[1].text.as_str(), "write" | "write-chars" | "paste")
        }),
    }
}

impl Walker<'_> {
    /// Notes what a command says or types in a person's stead.
    pub(super) fn consents(&mut self, program: &str, words: &[Field], io: &Io<'_>) {
        if super::tables::PATTERN_FIRST.contains(&program)
            || super::tables::READ_ONLY.contains(&program)
            || matches!(program, "echo" | "printf" | "git" | "cat")
        {
            return;
        }
        let verbs = operands(words, &[]);
        let approves = verbs.iter().take(4).any(|word| APPROVES.contains(&word.text.as_str()))
            && program != "court"
            || matches!(program, "gh" | "glab" | "curl" | "az" | "tea" | "http" | "tsh" | "tctl")
                && words[1..].iter().any(|word| {
                    let text = word.text.to_ascii_lowercase().replace(' ', "");
                    SAYS_SO
                        .iter()
                        .any(|part| text == *part || part.contains('=') && text.ends_with(part))
                });
        if approves {
            self.found(&execution::APPROVES, program);
        }
        let types = TYPES.contains(&program)
            && words[1..]
                .iter()
                .any(|word| matches!(word.text.as_str(), "type" | "key" | "str" | "kp"))
            || TYPES.contains(&program) && matches!(program, "wtype" | "dotool" | "xte")
            || lists("zellij dtach", program) && types_into(program, &verbs, words)
            || words[1..].iter().any(|word| SENDS_KEYS.iter().any(|part| word.text.contains(part)));
        if types {
            self.found(&execution::TYPES, program);
        }
        // A password that is piped, or an endless yes for what destroys.
        let piped = !io.stdin.text.is_empty();
        let asks =
            matches!(program, "sudo" | "doas") && piped && super::options::has(words, 'S', "stdin");
        let yes = piped && io.stdin.text.lines().take(2).all(|line| matches!(line, "y" | "yes"));
        let destroys = name(&words[0].text).split(['-', '_', '.']).any(|part| {
            matches!(part, "drop" | "delete" | "destroy" | "wipe" | "purge" | "nuke" | "prod")
        });
        if asks || yes && destroys {
            self.found(&execution::APPROVES, program);
        }
    }

    /// Notes what is written to a terminal that is not the command's own.
    pub(crate) fn writes_terminal(&mut self, field: &Field) {
        let path = absolute(&field.text, &self.state.cwd);
        let other = path.strip_prefix("/dev/").is_some_and(|device| {
            device.starts_with("pts/")
                || device
                    .strip_prefix("tty")
                    .is_some_and(|rest| rest.starts_with(|each: char| each.is_ascii_digit()))
        });
        if other {
            self.found(&execution::TYPES, &path);
        }
    }
}
