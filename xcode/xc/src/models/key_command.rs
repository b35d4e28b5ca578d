//! Reads a key from the output of the user's command, such as a password manager. The command runs once,
//! for at most 10 s, in the user's own environment.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use host::Environment;
use supervise::{HelperCommand, HelperEnd, HelperError, run_helper};

/// How long the command may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest output that is read, in bytes; keys have some hundred.
const OUTPUT_MAX: usize = 16 << 10;

/// Where and in which environment the command runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shell<'s> {
    /// The user's environment.
    pub(crate) environment: &'s Environment,
    /// Where it runs.
    pub(crate) home: &'s Path,
}

/// Why the command returned no key. Its output is not repeated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyCommandError {
    /// It could not be started, or its end is not known.
    #[error("apiKeyCommand could not be run: {0}")]
    NotRun(#[source] HelperError),
    /// It took too long.
    #[error("apiKeyCommand took longer than 10 s")]
    Timeout,
    /// It failed, or printed no key.
    #[error("apiKeyCommand printed no key, or failed")]
    Failed,
}

/// The first line that `command` prints.
pub(super) fn run(command: &str, shell: Shell<'_>) -> Result<String, KeyCommandError> {
    let pair =
        |(name, value): (&std::ffi::OsStr, &std::ffi::OsStr)| (name.to_owned(), value.to_owned());
    let helper = HelperCommand {
        program: "/bin/sh".into(),
        args: [OsString::from("-c"), command.into()].into(),
        env: shell.environment.variables().map(pair).collect(),
        current_dir: shell.home.to_owned(),
        deadline: Instant::now() + TIMEOUT,
        stdout_max: OUTPUT_MAX,
    };
    let output = run_helper(&helper).map_err(KeyCommandError::NotRun)?;
    if output.end == HelperEnd::Deadline {
        return Err(KeyCommandError::Timeout);
    }
    let text = String::from_utf8(output.stdout.clone()).unwrap_or_default();
    let key = text.lines().next().map(str::trim).filter(|key| !key.is_empty());
    match key {
        Some(key) if output.is_success() => Ok(key.to_owned()),
        _ => Err(KeyCommandError::Failed),
    }
}
