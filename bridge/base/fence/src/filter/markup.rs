//! Breaks tags that a client or a model could take for its own, so that they are text. All other
//! markup is kept; code is full of it.

/// The name of the block's own tag, as [`crate::OPEN`] has it.
const OWN: &str = "repository-context";
/// Names of tags that mean something to clients and models, in lower case.
const NAMES: &[&str] = &[
    "system-reminder",
    "system_reminder",
    "system",
    "user",
    "human",
    "assistant",
    "tool_result",
    "tool_use",
    "tool_call",
    "tool_response",
    "function_calls",
    "function_call",
    "function_results",
    "invoke",
    "instructions",
    "instruction",
    "important",
    "admin",
    "developer",
    "task-notification",
    "command-name",
    "command-message",
    "local-command-stdout",
    "persisted-output",
    "antml",
    "thinking",
    "context",
    "prompt",
    "additional_context",
    "user-prompt-submit-hook",
    "policy",
];
/// Special tokens of chat templates.
const MARKS: &[&str] =
    &["<|", "|>", "[inst]", "[/inst]", "<<sys>>", "<</sys>>", "[system]", "<s>", "</s>"];
/// How many characters (spaces and a slash) may be between the bracket and a tag's name.
const LEAD_MAX: usize = 8;

/// The line with its tags broken, and their number.
pub(super) fn break_tags(line: &str) -> (String, usize) {
    let mut output = String::with_capacity(line.len());
    let mut broken = 0;
    for (index, char) in line.char_indices() {
        let rest = &line[index..];
        let mark = matches!(char, '<' | '[' | '|') && MARKS.iter().any(|mark| begins(rest, mark));
        if mark || (is_bracket(char) && is_tag(&rest[char.len_utf8()..])) {
            broken += 1;
            output.push(if char == '|' { '¦' } else { '‹' });
        } else {
            output.push(char);
        }
    }
    (output, broken)
}

fn is_bracket(char: char) -> bool {
    matches!(char, '<' | '＜' | '﹤' | '〈' | '⟨')
}

fn begins(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// Whether a bracket is followed by one of the names: exactly, and as a tag rather than a type.
fn is_tag(rest: &str) -> bool {
    let lead = |char: char| char.is_whitespace() || matches!(char, '/' | '／' | '!' | '?');
    let name = rest.trim_start_matches(lead);
    let closes = rest[..rest.len() - name.len()].contains(['/', '／']);
    if rest.chars().count() - name.chars().count() > LEAD_MAX {
        return false;
    }
    // No variant of the block's own tag is let through: a reader may be lenient.
    if begins(name, OWN) {
        return true;
    }
    let end = name.find(|char: char| !(char.is_alphanumeric() || matches!(char, '-' | '_')));
    let (name, after) = name.split_at(end.unwrap_or(name.len()));
    let known = NAMES.contains(&name.to_lowercase().as_str());
    // `Vec<Instruction>` is a type: such names begin with a capital and close nothing.
    let is_type = !closes
        && name.starts_with(char::is_uppercase)
        && name.chars().any(char::is_lowercase)
        && !name.contains(['-', '_']);
    // `a < user` is a comparison: an opening tag does not begin with a space, or it is closed at once.
    let gap = rest.len() != name.len() + after.len();
    let closed = after.trim_start().starts_with(['>', '＞']);
    let ends =
        after.is_empty() || after.starts_with([':', '/']) || after.starts_with(char::is_whitespace);
    known && !is_type && (closed || (ends && (closes || !gap)))
}
