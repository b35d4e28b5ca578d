//! The settings as documents: the default file, and the table in the reference. Both are generated from
//! the entries in [`Key`].

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::key::{Default, Form, Key};

/// Width of a comment in the default file, in characters.
const WIDTH: usize = 100;

const HEAD: &str = "\
# codex-bridge: every setting and its default.
#
# Copy this file to ~/.config/codex-bridge/config.toml and change what you need; delete the rest.
# A flag wins over an environment variable, which wins over your file, which wins over this one.
# `codex-bridge config` shows the value in force and where it comes from.
# A line that is commented out has no fixed default; the text above it says what is used instead.
";

/// Generated on first use.
static DEFAULT_FILE: LazyLock<String> = LazyLock::new(|| {
    let mut file = HEAD.to_owned();
    let mut open = None;
    for key in Key::ALL {
        let (section, name) = key.place();
        file.push('\n');
        if section != open {
            let _ = writeln!(file, "[{}]", section.unwrap_or_default());
            open = section;
        }
        let default = match key.default() {
            Default::Value(_) => String::new(),
            Default::Found { instead, .. } => format!(" Default: {instead}."),
        };
        comment(&mut file, &format!("{}{default}", about(*key)));
        let separated = if key.form() == Form::Folders { ", separated by colons" } else { "" };
        comment(&mut file, &format!("Environment: {}{separated}", key.variable()));
        let _ = match key.default() {
            Default::Value(value) => writeln!(file, "{name} = {value}"),
            Default::Found { example, .. } => writeln!(file, "# {name} = {example}"),
        };
    }
    file
});

/// The commented default file, the only place of the default values.
#[must_use]
pub fn default_file() -> &'static str {
    &DEFAULT_FILE
}

/// The settings as a Markdown table: name, environment variable, default, meaning.
#[must_use]
pub fn table() -> String {
    let mut table = "| setting | environment | default | what it is |\n".to_owned();
    table.push_str("| --- | --- | --- | --- |\n");
    for key in Key::ALL {
        let default = match key.default() {
            Default::Value(value) => format!("`{value}`"),
            Default::Found { instead, .. } => instead.to_owned(),
        };
        let (name, variable) = (key.name(), key.variable());
        let _ = writeln!(table, "| `{name}` | `{variable}` | {default} | {} |", about(*key));
    }
    table
}

/// Description of a setting: what it sets, accepted values and further notes.
fn about(key: Key) -> String {
    let mut what = key.what().chars();
    let first = what.next().map(|first| first.to_ascii_uppercase());
    let takes = match key.form() {
        Form::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            format!(": {}", words.join(" or "))
        }
        Form::Whole(least, most) => format!(": {least} to {most}"),
        Form::Milliseconds(least, most) => format!(", in milliseconds: {least} to {most}"),
        Form::Duration => ", such as \"90s\", \"24h\", \"30 days\" or \"2 weeks\"".to_owned(),
        _ => String::new(),
    };
    let more = key.more();
    let space = if more.is_empty() { "" } else { " " };
    format!("{}{takes}.{space}{more}", first.into_iter().chain(what).collect::<String>())
}

/// Adds a text as comment lines.
fn comment(file: &mut String, text: &str) {
    let mut line = "#".to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(file, "{line}");
            line = "#".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(file, "{line}");
}
