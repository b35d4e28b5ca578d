//! A call as shown to a person before approval: in full, with every invisible character
//! escaped. Not here: the text for models, which is masked and truncated.

use std::fmt::Write as _;

use serde_json::Value;

use crate::records::Request;

/// Maximum length of a call that can be approved, in characters: a person does not read more.
pub const SHOWN_MAX: usize = 32_768;

/// The whole call: its command, else its input as JSON; then its other arguments.
pub fn whole(tool: &str, input: &Value) -> String {
    let Some(command) = input.get("command").and_then(Value::as_str) else {
        return visible(&format!("{tool} {}", pretty(input)));
    };
    let mut text = visible(command);
    for (name, value) in input.as_object().into_iter().flatten() {
        if super::digest::counts(tool, name) && name != "command" {
            let _ = write!(text, "\n({}: {})", visible(name), visible(&pretty(value)));
        }
    }
    text
}

/// Everything that an approval of this request covers.
pub fn sheet(request: &Request) -> String {
    let line = |text: &str| visible(text).replace('\n', "‹U+000A›");
    let mut text = format!(
        "{}  {}  {}\n  level   {} ({})\n  folder  {}\n  session {}\n",
        line(&request.id),
        crate::clock::text(request.at_ms),
        line(&request.tool),
        line(&request.level),
        line(&request.rules.join(", ")),
        line(&request.cwd),
        line(&request.session_id),
    );
    for file in &request.files {
        let _ = writeln!(text, "  file    {}  {}", line(&file.path), line(&file.digest));
    }
    for part in whole(&request.tool, &request.input).split('\n') {
        let _ = writeln!(text, "  | {part}");
    }
    text.pop();
    text
}

/// The text with invisible characters replaced by their code points.
pub fn visible(text: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut buffer = [0; 4];
    for char in text.chars() {
        let alone: &str = char.encode_utf8(&mut buffer);
        if redact::clean(alone) == alone {
            shown.push(char);
        } else {
            let _ = write!(shown, "‹U+{:04X}›", u32::from(char));
        }
    }
    shown
}

fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{visible, whole};

    #[test]
    fn nothing_is_hidden() {
        for (text, shown) in [
            ("plain\n\ttext ~", "plain\n\ttext ~"),
            ("a\u{1b}[2Kb\rc", "a‹U+001B›[2Kb‹U+000D›c"),
            ("x\u{202e}y\u{200b}z\u{7}", "x‹U+202E›y‹U+200B›z‹U+0007›"),
            ("é 漢字", "é 漢字"),
        ] {
            assert_eq!(visible(text), shown);
        }
        let input = json!({"description": "look", "command": "ls\u{8}", "run_in_background": true});
        assert_eq!(whole("Bash", &input), "ls‹U+0008›\n(run_in_background: true)");
        let input =
            json!({"file_path": "a", "content": "ghp_16C7e42F292c6912E7710c838347Ae178B4a"});
        assert!(whole("Write", &input).contains("ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
    }
}
