//! Writes the prompt hook into Claude Code's settings, or takes it out. How settings are changed is
//! [`claude_hooks::settings`]'s.

use std::path::Path;

use claude_hooks::settings::{Change, Edit, Part, Settings, SettingsFault};
use serde_json::json;

/// The event that the hook is for.
const EVENT: &str = "UserPromptSubmit";
/// How long the client waits for the hook, in seconds: its own default, said outright (2.1.197).
const TIMEOUT_S: u64 = 30;

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
        // With `args` the client starts the program itself, without a shell to quote for.
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

/// Whether the settings have the hook, and what keeps it from running.
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
    let read = |text| Settings::parse(Some(text), Part::Hooks);
    matches!((read(one), read(other)), (Ok(one), Ok(other)) if one.is_same(&other))
}

#[cfg(test)]
mod tests;
