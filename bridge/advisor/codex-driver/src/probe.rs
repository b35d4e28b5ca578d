//! Runs short Codex commands that call no model.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use supervise::{Captured, Command, Guard, SpawnError};

use crate::environment::{self, Log};

/// Replaces a home or a temp dir that a command does not need: the path does not exist, so nothing
/// is read from or written to the user's.
const NOWHERE: &str = "/nonexistent";

/// The private folders of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// CODEX_HOME.
    pub(crate) home: &'a Path,
    /// TMPDIR, if the command needs it.
    pub(crate) temp_dir: Option<&'a Path>,
}

/// Runs `binary arguments` to its end and returns its output.
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

/// Builds the command.
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
