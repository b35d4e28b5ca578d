//! The hook put into Claude Code's settings, or taken out: text in, text out, nothing else touched. One
//! entry that the client does not take makes it drop every hook of a file (Claude Code 2.1.197), so a
//! file that is not as expected is refused with all its faults.

use std::fmt;
use std::path::Path;

use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Value, json};

/// The event that the hook is for.
const EVENT: &str = "UserPromptSubmit";
/// How long the client waits for the hook, in seconds: its own default, said outright (2.1.197).
const TIMEOUT_S: u64 = 30;
/// The kinds of hooks that the client knows (2.1.197).
const KINDS: [&str; 5] = ["command", "http", "prompt", "agent", "mcp_tool"];

/// Whether the hook is to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is to be there.
    Add,
    /// It is to be gone.
    Remove,
}

/// What is to become of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// It is right as it is.
    Keep,
    /// This text takes its place.
    Write(String),
    /// Nothing is left in it.
    Delete,
}

/// The hook's programs, and how a command may name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook<'p> {
    /// The one that is registered.
    pub(super) program: &'p Path,
    /// The same under its old name.
    pub(super) old_name: &'p Path,
    /// What `~` and `$HOME` mean.
    pub(super) home: &'p Path,
}

/// Why a settings file is not touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SettingsFault {
    /// It is no JSON.
    #[error("{problem}; mend it, because Claude Code drops the whole file")]
    Syntax {
        /// What the parser says, with line and column.
        problem: String,
    },
    /// Values that the client does not take there.
    #[error("{0}; mend it, because Claude Code drops every hook of the file")]
    Shape(Faults),
}

/// A JSON Pointer and what was expected, each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Faults(Vec<(String, &'static str)>);

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.0.iter().map(|(at, expected)| format!("expected {expected} at {at:?}"));
        formatter.write_str(&texts.collect::<Vec<_>>().join("; "))
    }
}

impl Hook<'_> {
    /// Whether a command of the settings starts this hook, however it is written.
    fn is_named_by(&self, command: &str) -> bool {
        let home = self.home.to_string_lossy();
        let plain: String = command.chars().filter(|letter| !"\"'".contains(*letter)).collect();
        let plain = plain.replace("${HOME}", &home).replace("$HOME", &home);
        let plain = plain.replace("~/", &format!("{home}/"));
        let names = [self.program, self.old_name].map(|path| path.to_string_lossy().into_owned());
        // A path with blanks in it is not found word by word.
        plain.split_whitespace().any(|word| names.iter().any(|name| name == word))
            || names.contains(&plain)
    }
}

/// The settings with the hook, or without it. An absent file is an empty one.
///
/// # Errors
/// [`SettingsFault`]; all faults of shape at once.
pub(super) fn edit(
    before: Option<&str>,
    hook: &Hook<'_>,
    change: Change,
) -> Result<Edit, SettingsFault> {
    let text = before.unwrap_or_default();
    let mut settings = read(text)?;
    match (change, is_registered(&settings, hook)) {
        (Change::Add, true) | (Change::Remove, false) => return Ok(Edit::Keep),
        (Change::Add, false) => add(&mut settings, hook),
        (Change::Remove, true) => remove(&mut settings, hook),
    }
    let is_empty = settings.as_object().is_some_and(Map::is_empty);
    Ok(if is_empty { Edit::Delete } else { Edit::Write(print(&settings, text)) })
}

/// Whether the settings have the hook, and what keeps it from running.
///
/// # Errors
/// As [`edit`].
pub(super) fn look(text: &str, hook: &Hook<'_>) -> Result<Registered, SettingsFault> {
    let settings = read(text)?;
    Ok(match (is_registered(&settings, hook), &settings["disableAllHooks"]) {
        (false, _) => Registered::No,
        (true, Value::Bool(true)) => Registered::Disabled,
        (true, _) => Registered::Yes,
    })
}

/// What [`look`] sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registered {
    /// The hook is there.
    Yes,
    /// It is there, and all hooks are switched off.
    Disabled,
    /// It is not there.
    No,
}

/// Whether two texts hold the same settings.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    matches!((read(one), read(other)), (Ok(one), Ok(other)) if one == other)
}

fn read(text: &str) -> Result<Value, SettingsFault> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let settings: Value = serde_json::from_str(text)
        .map_err(|error| SettingsFault::Syntax { problem: error.to_string() })?;
    let faults = faults(&settings);
    if faults.is_empty() { Ok(settings) } else { Err(SettingsFault::Shape(Faults(faults))) }
}

/// Every value on the way to each hook is of its kind.
fn faults(settings: &Value) -> Vec<(String, &'static str)> {
    let mut faults = Vec::new();
    let mut expect = |is_right: bool, at: String, expected: &'static str| {
        if !is_right {
            faults.push((at, expected));
        }
    };
    expect(settings.is_object(), String::new(), "an object");
    let hooks = settings.get("hooks");
    expect(hooks.is_none_or(Value::is_object), "/hooks".to_owned(), "an object");
    for (event, groups) in hooks.and_then(Value::as_object).into_iter().flatten() {
        let at = format!("/hooks/{event}");
        expect(groups.is_array(), at.clone(), "a list");
        for (index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let at = format!("{at}/{index}/hooks");
            expect(group["hooks"].is_array(), at.clone(), "a list");
            for (index, hook) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                let at = format!("{at}/{index}");
                let kind = hook["type"].as_str();
                let is_known = kind.is_some_and(|kind| KINDS.contains(&kind));
                expect(is_known, format!("{at}/type"), "a kind of hook, such as \"command\"");
                let is_command = kind != Some("command") || hook["command"].is_string();
                expect(is_command, format!("{at}/command"), "a text");
                let timeout = hook.get("timeout");
                expect(timeout.is_none_or(Value::is_number), format!("{at}/timeout"), "a number");
            }
        }
    }
    faults
}

fn is_registered(settings: &Value, hook: &Hook<'_>) -> bool {
    let groups = settings["hooks"][EVENT].as_array().into_iter().flatten();
    let hooks = groups.filter_map(|group| group["hooks"].as_array()).flatten();
    let mut commands = hooks.filter_map(|each| each["command"].as_str());
    commands.any(|command| hook.is_named_by(command))
}

fn add(settings: &mut Value, hook: &Hook<'_>) {
    // With `args` the client starts the program itself, without a shell to quote for.
    let entry = json!({
        "type": "command",
        "command": hook.program.to_string_lossy(),
        "args": [],
        "timeout": TIMEOUT_S,
    });
    let hooks = &mut settings["hooks"];
    if hooks.is_null() {
        *hooks = json!({});
    }
    let groups = &mut hooks[EVENT];
    if groups.is_null() {
        *groups = json!([]);
    }
    if let Some(groups) = groups.as_array_mut() {
        groups.push(json!({ "hooks": [entry] }));
    }
}

/// Takes the hook out, and what is empty without it.
fn remove(settings: &mut Value, hook: &Hook<'_>) {
    let Some(settings) = settings.as_object_mut() else { return };
    let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) else { return };
    let Some(groups) = hooks.get_mut(EVENT).and_then(Value::as_array_mut) else { return };
    groups.retain_mut(|group| {
        let Some(list) = group["hooks"].as_array_mut() else { return true };
        let before = list.len();
        list.retain(|each| !each["command"].as_str().is_some_and(|text| hook.is_named_by(text)));
        list.len() == before || !list.is_empty()
    });
    if groups.is_empty() {
        hooks.shift_remove(EVENT);
    }
    if hooks.is_empty() {
        settings.shift_remove("hooks");
    }
}

/// The settings as text, indented as they were, with a line end where they had one.
fn print(settings: &Value, before: &str) -> String {
    let indented = before.lines().find(|line| line.starts_with([' ', '\t']));
    let indent = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    let mut text = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    settings.serialize(&mut serializer).expect("a JSON value is JSON");
    let mut text = String::from_utf8(text).expect("JSON is UTF-8");
    if before.is_empty() || before.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
