//! The environment of a command: the user's, without keys, without variables that make a shell or git execute more than
//! the command, and with pagers, prompts and editors disabled.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// Marks processes as started by this agent (`host::agent::MARKS`): set for each command and its guard.
pub(super) const MARK: (&str, &str) = ("XC_AGENT", "1");

/// Variables set for every command. They keep programs from waiting for input or drawing on the terminal.
const SET: &[(&str, &str)] = &[
    ("AWS_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("CLICOLOR", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("EDITOR", "true"),
    ("GCM_INTERACTIVE", "never"),
    ("GH_PAGER", "cat"),
    ("GH_PROMPT_DISABLED", "1"),
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("MANPAGER", "cat"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("PIP_NO_INPUT", "1"),
    ("PSQL_PAGER", "cat"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("SYSTEMD_PAGER", "cat"),
    ("TERM", "dumb"),
    ("VISUAL", "true"),
    MARK,
];

/// Variables that would make a shell run code before the command, or read the command differently from the gate.
const START_UP: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "BASH_XTRACEFD",
    "ENV",
    "FORCE_COLOR",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
];

/// The prefix of exported bash functions.
const FUNCTION: &[u8] = b"BASH_FUNC_";

/// Git settings for every command: a repository's own settings start no program for read-only commands,
/// and no background process is started.
const GIT_SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("log.showSignature", "false"),
    ("gc.autoDetach", "false"),
    ("maintenance.autoDetach", "false"),
];

/// The number of git settings in the environment.
const GIT_COUNT: &str = "GIT_CONFIG_COUNT";

/// The environment of a command. `secret` are the variables that hold keys, and those that the user excludes; `keys`
/// are the keys themselves: any variable whose value contains one is left out.
#[must_use]
pub fn command_environment<'e>(
    inherited: impl IntoIterator<Item = (&'e OsStr, &'e OsStr)>,
    secret: &[String],
    keys: &[String],
) -> Vec<(OsString, OsString)> {
    let keys: Vec<&[u8]> =
        keys.iter().map(|key| key.as_bytes()).filter(|key| key.len() >= KEY_MIN).collect();
    let is_kept = |name: &OsStr, value: &OsStr| {
        let is = |listed: &str| name == listed;
        !secret.iter().any(|name| is(name))
            && !START_UP.iter().any(|name| is(name))
            && !SET.iter().any(|(name, _)| is(name))
            && !name.as_bytes().starts_with(FUNCTION)
            && !keys.iter().any(|key| holds(value.as_bytes(), key))
    };
    let own = inherited.into_iter().filter(|(name, value)| is_kept(name, value));
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut env: Vec<(OsString, OsString)> =
        own.chain(SET.iter().map(|(name, value)| (name.into(), value.into()))).collect();
    for (name, value) in &mut env {
        if name == "PATH" {
            *value = absolute_only(value);
        }
    }
    add_git_settings(&mut env, GIT_SETTINGS);
    env
}

/// Git settings for a folder whose content the user has not agreed to: hooks do not run, not even when git only
/// refreshes its index, and nested repositories are not entered.
const FOREIGN_GIT_SETTINGS: &[(&str, &str)] =
    &[("core.hooksPath", "/dev/null"), ("diff.ignoreSubmodules", "dirty")];

/// The environment of a command in a folder whose content the user has not agreed to: git starts no program that the
/// folder contains. Programs named by its settings are refused by the permissions.
#[must_use]
pub fn foreign_environment(mut env: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    add_git_settings(&mut env, FOREIGN_GIT_SETTINGS);
    env.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
    env
}

/// `PATH` without its relative folders, where a program of the repository could be found for `ls`.
fn absolute_only(path: &OsStr) -> OsString {
    let folders = path.as_bytes().split(|each| *each == b':');
    let absolute: Vec<&[u8]> = folders.filter(|folder| folder.starts_with(b"/")).collect();
    OsString::from_vec(absolute.join(&b':'))
}

/// Adds them behind those that the user's environment has.
fn add_git_settings(env: &mut Vec<(OsString, OsString)>, settings: &[(&str, &str)]) {
    let given = env.iter().position(|(name, _)| name == GIT_COUNT);
    let given = given.and_then(|at| env.swap_remove(at).1.to_str()?.parse::<usize>().ok());
    let first = given.unwrap_or(0);
    for (number, (key, value)) in (first..).zip(settings) {
        env.push((format!("GIT_CONFIG_KEY_{number}").into(), key.into()));
        env.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
    }
    env.push((GIT_COUNT.into(), (first + settings.len()).to_string().into()));
}

/// A shorter key is recognised only by its variable's name: its value would occur in ordinary words.
const KEY_MIN: usize = 6;

fn holds(value: &[u8], key: &[u8]) -> bool {
    value.windows(key.len()).any(|part| part == key)
}
