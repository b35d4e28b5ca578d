//! Writes the prompt hook into Claude Code's settings, or removes it. [`claude_hooks::settings`] edits the
//! file.

use std::path::Path;

use claude_hooks::settings::{Change, Edit, Part, Settings, SettingsFault};
use serde_json::json;

/// The event of the hook.
const EVENT: &str = "UserPromptSubmit";
/// The hook's timeout, in seconds: the client's own default, set explicitly (2.1.197).
const TIMEOUT_S: u64 = 30;

/// The hook's programs, and how a command may refer to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook<'p> {
    /// The one that is registered.
    pub(super) program: &'p Path,
    /// The same under its former name.
    pub(super) old_name: &'p Path,
    /// The value of `~` and `$HOME`.
    pub(super) home: &'p Path,
}

impl Hook<'_> {
    /// Whether a command in the settings starts this hook, in any notation.
    fn is_named_by(&self, command: &str) -> bool {
        let home = self.home.to_string_lossy();
        let plain: String = command.chars().filter(|letter| !"\"'".contains(*letter)).collect();
        let plain = plain.replace("${HOME}", &home).replace("$HOME", &home);
        let plain = plain.replace("~/", &format!("{home}/"));
        let names = [self.program, self.old_name].map(|path| path.to_string_lossy().into_owned());
        // A path with blanks is not found word by word.
        plain.split_whitespace().any(|word| names.iter().any(|name| name == word))
            || names.contains(&plain)
    }
}

/// The settings with or without the hook. An absent file counts as empty.
///
/// # Errors
/// Those of [`Settings::parse`].
pub(super) fn edit(
    before: Option<&str>,
    hook: &Hook<'_>,
    change: Change,
) -> Result<Edit, SettingsFault> {
    let mut settings = Settings::parse(before, Part::Hooks)?;
    let is_ours = |command: &str| hook.is_named_by(command);
    match (change, settings.has_hook(EVENT, is_ours)) {
        (Change::Add, true) | (Change::Remove, false) => {}
        // With `args` the client starts the program directly, without shell quoting.
        (Change::Add, false) => settings.add_hook(
            EVENT,
            &json!({
                "type": "command",
                "command": hook.program.to_string_lossy(),
                "args": [],
                "timeout": TIMEOUT_S,
            }),
        ),
        (Change::Remove, true) => settings.remove_hooks(EVENT, is_ours),
    }
    Ok(settings.edit())
}

/// Whether the settings register the hook, and what prevents it from running.
///
/// # Errors
/// As [`edit`].
pub(super) fn look(text: &str, hook: &Hook<'_>) -> Result<Registered, SettingsFault> {
    let settings = Settings::parse(Some(text), Part::Hooks)?;
    let is_there = settings.has_hook(EVENT, |command| hook.is_named_by(command));
    Ok(match (is_there, settings.disables_hooks()) {
        (false, _) => Registered::No,
        (true, true) => Registered::Disabled,
        (true, false) => Registered::Yes,
    })
}

/// Result of [`look`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registered {
    /// The hook is there.
    Yes,
    /// It is registered, but all hooks are disabled.
    Disabled,
    /// It is not registered.
    No,
}

/// Whether two texts hold the same settings.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let read = |text| Settings::parse(Some(text), Part::Hooks);
    matches!((read(one), read(other)), (Ok(one), Ok(other)) if one.is_same(&other))
}

#[cfg(test)]
mod tests;
