//! Short questions to Codex that no model takes part in.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use supervise::{Captured, Command, Guard, SpawnError};

use crate::environment::{self, Log};

/// Stands for a home or a temp dir that a question does not need: nothing lies there, so nothing
/// is read from the user's and nothing is written to them.
const NOWHERE: &str = "/nonexistent";

/// The private surroundings of a question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// CODEX_HOME.
    pub(crate) home: &'a Path,
    /// TMPDIR, where the question is about it.
    pub(crate) temp_dir: Option<&'a Path>,
}

/// Runs `binary arguments` to its end and returns what it printed.
///
/// # Errors
/// Those of [`supervise::capture`].
///
/// # Cancel safety
/// Dropping the future kills the process.
pub(crate) async fn ask(
    guard: &Guard,
    binary: &Path,
    arguments: &[&str],
    timeout: Duration,
    surroundings: Option<Surroundings<'_>>,
) -> Result<Captured, SpawnError> {
    supervise::capture(guard, command(binary, arguments, surroundings), timeout).await
}

/// The command behind a question.
pub(crate) fn command(
    binary: &Path,
    arguments: &[&str],
    surroundings: Option<Surroundings<'_>>,
) -> Command {
    let nowhere = Path::new(NOWHERE);
    let home = surroundings.map_or(nowhere, |surroundings| surroundings.home);
    let temp_dir = surroundings.and_then(|surroundings| surroundings.temp_dir).unwrap_or(nowhere);
    Command {
        program: binary.to_owned(),
        args: arguments.iter().map(OsString::from).collect(),
        env: environment::of_process(home, temp_dir, Log::Off, &[]),
        current_dir: "/".into(),
        stdin: Vec::new(),
    }
}
