//! Checks whether Codex is signed in. Done before work is accepted: an attempt without a sign-in fails
//! late and, offline, without a reason (codex 0.169).

use std::path::Path;
use std::time::Duration;

use supervise::{Exit, Guard, SpawnError};

use crate::attempt::Installation;
use crate::home::user::UserHome;
use crate::home::{Credentials, Home};
use crate::probe::{self, Surroundings};

/// Timeout of `codex login status`. It takes 20 to 100 ms, offline (codex 0.169).
const TIMEOUT: Duration = Duration::from_secs(10);

/// State of the sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignIn {
    /// There is one; whether the provider still accepts it is known only after an attempt.
    SignedIn {
        /// Codex's message, such as "Logged in using ChatGPT".
        text: String,
    },
    /// There is none, or it cannot be read.
    NotSignedIn {
        /// Codex's message, such as "Not logged in".
        text: String,
    },
    /// The home uses a key from the environment, or no credentials: `codex login status` knows
    /// neither.
    NotNeeded,
}

/// Runs `codex login status`, if the home relies on a sign-in.
///
/// # Errors
/// Those of [`supervise::capture`].
///
/// # Cancel safety
/// Dropping the future kills the process.
pub async fn status(
    guard: &Guard,
    installation: &Installation,
    home: &Home,
) -> Result<SignIn, SpawnError> {
    ask(guard, installation, home.path(), home.credentials()).await
}

/// Runs `codex login status` in the user's own home, if that relies on a sign-in.
///
/// # Errors
/// Those of [`supervise::capture`].
///
/// # Cancel safety
/// Dropping the future kills the process.
pub async fn status_of_user(
    guard: &Guard,
    installation: &Installation,
    home: &UserHome,
) -> Result<SignIn, SpawnError> {
    ask(guard, installation, home.path(), home.credentials()).await
}

async fn ask(
    guard: &Guard,
    installation: &Installation,
    home: &Path,
    credentials: Credentials,
) -> Result<SignIn, SpawnError> {
    match credentials {
        Credentials::SignIn => {}
        Credentials::ApiKey | Credentials::None => return Ok(SignIn::NotNeeded),
    }
    let surroundings = Surroundings { home, temp_dir: None };
    let arguments = ["login", "status"];
    let captured =
        probe::ask(guard, &installation.binary, &arguments, TIMEOUT, Some(surroundings)).await?;
    let text = format!("{}\n{}", captured.stdout, captured.stderr);
    let text = text.trim().chars().take(500).collect();
    Ok(match captured.exit {
        Exit::Code(0) => SignIn::SignedIn { text },
        Exit::Code(_) | Exit::Signal(_) => SignIn::NotSignedIn { text },
    })
}
