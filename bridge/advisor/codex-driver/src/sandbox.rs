//! Checks whether Codex's sandbox works on this machine. Needed only if the shell is enabled: a
//! sandbox that cannot start fails closed, but reports this only to the model (codex 0.169).

use std::path::Path;
use std::time::Duration;

use supervise::{Exit, Guard, SpawnError};

use crate::attempt::Installation;
use crate::home::Home;
use crate::probe::{self, Surroundings};

/// Timeout of the preflight. It takes 0.2 s (codex 0.169).
const TIMEOUT: Duration = Duration::from_secs(10);

/// Result of the preflight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// A command ran inside it.
    Usable,
    /// No command would run: user namespaces are disabled, `bwrap` is missing, or the home lies
    /// below the temp dir.
    Unusable {
        /// Codex's message.
        text: String,
    },
}

/// Runs `codex sandbox -- /bin/true` with the home and the temp dir of later attempts; the temp dir
/// is created if it is missing, because Codex panics without one (codex 0.169).
///
/// # Errors
/// Those of [`supervise::capture`].
///
/// # Cancel safety
/// Dropping the future kills the process.
pub async fn preflight(
    guard: &Guard,
    installation: &Installation,
    home: &Home,
    temp_dir: &Path,
) -> Result<Sandbox, SpawnError> {
    if let Err(error) = std::fs::create_dir_all(temp_dir) {
        return Ok(Sandbox::Unusable { text: format!("{}: {error}", temp_dir.display()) });
    }
    let surroundings = Surroundings { home: home.path(), temp_dir: Some(temp_dir) };
    let arguments = ["sandbox", "--", "/bin/true"];
    let captured =
        probe::ask(guard, &installation.binary, &arguments, TIMEOUT, Some(surroundings)).await?;
    // Without the aliases `codex sandbox` succeeds, but the shell of `codex exec` fails.
    let aliases = !captured.stderr.contains("could not create PATH aliases");
    Ok(match captured.exit {
        Exit::Code(0) if aliases => Sandbox::Usable,
        Exit::Code(_) | Exit::Signal(_) => {
            Sandbox::Unusable { text: captured.stderr.trim().chars().take(500).collect() }
        }
    })
}
