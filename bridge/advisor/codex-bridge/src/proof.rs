//! Tests an unknown Codex version before it is used (the self-test): plays two rounds with a scripted model on
//! loopback, in the private home that a question would use, and checks what Codex did.
//!
//! Runs once for each executable; `ledger` stores the result in the state folder. The checks are the table
//! in `checks`. No provider's model is called, nothing leaves this machine, and the
//! user's sign-in is not used.

mod checks;
mod ledger;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codex_driver::home::{Home, HomeSettings, ShellAccess};
use codex_driver::models::{self, Models};
use codex_driver::{
    Attempt, AttemptEnd, Conversation, Driver, Installation, SandboxMode, environment,
};
use contract::id::RunId;
use contract::schema::ADVICE_WIRE;
use host::{Access, Durability};
use mock_model::{MockModel, Reply};
use supervise::Guard;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::state_dir;
use host::ErrorChain;
pub use ledger::{Executable, Ledger, assume};

/// The versions that pass and that CI runs both rounds with, oldest first:
/// [`codex_driver::version::Version::LEAST_PROVEN`], and the one that `deploy/package.json` pins. CI also runs 0.145,
/// which accepts our settings but fails: it has tools that no setting disables.
pub const TESTED: [&str; 2] = ["0.155.0", "0.169.0"];

/// Turn timeout. A turn takes 150 ms (codex 0.169); the rest allows for a busy machine.
const TURN_LIMIT: Duration = Duration::from_secs(20);

/// Free space that both rounds need below the state folder, in bytes. They write some 200 kB (codex 0.169).
const ROOM_LEAST: u64 = 1 << 20;

/// The prompts to the scripted model.
const PROMPTS: [&str; 2] = ["Self-test, round one.", "Self-test, round two."];

/// Self-test result of one executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The SHA-256 of the executable, in hexadecimal.
    pub digest: String,
    /// The version that it reports.
    pub version: String,
    /// The failed checks; empty if it passed.
    pub failed: Vec<Failed>,
    /// Whether its log shows the provider's liveness; see [`codex_driver::pulse`].
    pub has_log: bool,
}

/// A check that an executable failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Name of the check, such as `tools`.
    pub check: String,
    /// What was observed.
    pub reason: String,
}

/// How far an executable is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It passed the self-test here, and CI tests its version as well.
    Tested,
    /// It passed the self-test here.
    Proven,
    /// It failed the self-test.
    Refused,
}

impl Standing {
    /// The value used in `readyz`, `doctor` and `/metrics`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tested => "tested",
            Self::Proven => "proven",
            Self::Refused => "refused",
        }
    }
}

impl Proof {
    /// How far the executable is trusted.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match (self.failed.is_empty(), TESTED.contains(&self.version.as_str())) {
            (false, _) => Standing::Refused,
            (true, true) => Standing::Tested,
            (true, false) => Standing::Proven,
        }
    }

    /// The reasons of the failed checks, in one line.
    #[must_use]
    pub fn reasons(&self) -> String {
        let reasons = self.failed.iter().map(|it| format!("{}: {}", it.check, it.reason));
        reasons.collect::<Vec<_>>().join("; ")
    }
}

/// Version, standing and the beginning of the digest.
impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = self.digest.get(..12).unwrap_or(&self.digest);
        write!(formatter, "{}, {}, sha256 {digest}", self.version, self.standing().as_str())
    }
}

/// Observations of the two rounds.
pub(crate) struct Seen {
    version: String,
    models: Models,
    /// How the rounds ended; the second is missing if the first failed.
    ends: Vec<AttemptEnd>,
    requests: Vec<mock_model::Recorded>,
    /// Codex's record of the rounds: the lines of the thread's file.
    record: String,
}

/// Why an executable could not be tested; says nothing about the executable.
#[derive(Debug, thiserror::Error)]
#[error("codex could not be tested: {0}")]
pub struct NotLooked(String);

/// Tests an unknown Codex version before it is used: plays both rounds with it in a temporary folder below
/// `state_dir`, and checks the result.
///
/// # Errors
/// [`NotLooked`] if a folder, a port or a process could not be obtained.
///
/// # Cancel safety
/// Dropping the future ends the processes and removes the folder.
pub async fn prove(
    guard: &Guard,
    installation: &Installation,
    settings: &HomeSettings,
    state_dir: &Path,
    digest: String,
) -> Result<Proof, NotLooked> {
    let failed = |error: &dyn fmt::Display| NotLooked(error.to_string());
    let chained =
        |error: &(dyn std::error::Error + 'static)| NotLooked(ErrorChain(error).to_string());
    let folder = Folder::create(state_dir).map_err(|error| chained(&error))?;
    let mock = MockModel::local(Reply::Advice).await.map_err(|error| chained(&error))?;
    let settings = HomeSettings {
        auth_home: None,
        api_key_env: None,
        provider: None,
        base_url: Some(mock.base_url()),
        shell: ShellAccess::Off,
        ..settings.clone()
    };
    let home = Home::prepare(&folder.0.join("home"), &settings).map_err(|error| chained(&error))?;
    let models = models::trim(guard, installation, &home).await.map_err(|error| chained(&error))?;
    let extras = environment::extras(|_| None, None);
    let driver =
        Driver::new(guard.clone(), installation.clone(), home.clone(), extras).with_strict_config();
    let schema = folder.0.join("schema.json");
    host::replace(&schema, ADVICE_WIRE.text.as_bytes(), Access::PRIVATE, Durability::Cached)
        .map_err(|error| failed(&error))?;

    let mut ends: Vec<AttemptEnd> = Vec::new();
    for prompt in PROMPTS {
        let conversation = match ends.last() {
            None => Conversation::Fresh,
            Some(AttemptEnd { outcome: Ok(_), thread_id: Some(thread), .. }) => {
                Conversation::Resume(*thread)
            }
            Some(_) => break,
        };
        let attempt = Attempt {
            conversation,
            prompt: prompt.to_owned(),
            model: None,
            reasoning_effort: None,
            output_schema: Some(schema.clone()),
            sandbox: SandboxMode::ReadOnly,
            workdir: folder.0.join("work"),
            temp_dir: folder.0.join("tmp"),
            run_id: RunId::generate(),
            deadline: Instant::now() + TURN_LIMIT,
            stall: TURN_LIMIT,
        };
        ends.push(driver.attempt(attempt, &CancellationToken::new(), |_| {}).await);
    }
    let is_full = state_dir::free_space(state_dir).is_some_and(|free| free < ROOM_LEAST);
    if is_full && ends.iter().any(|end| end.outcome.is_err() || !end.transcript_saved) {
        // Without space to write its thread, Codex would wrongly fail the check that it can resume.
        let place = state_dir.display();
        return Err(NotLooked(format!(
            "the disk of {place} is full; free some space, and ask again"
        )));
    }
    let thread = ends.first().and_then(|end| end.thread_id);
    let record = thread.and_then(|thread| home.record_of(thread)).unwrap_or_default();
    let version = installation.version.to_string();
    let has_log = ends.iter().any(|end| end.log_records > 0);
    let seen = Seen { version, models, ends, requests: mock.requests(), record };
    Ok(Proof { digest, failed: checks::judge(&seen), version: seen.version, has_log })
}

/// The temporary folder of one self-test; removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn create(state_dir: &Path) -> std::io::Result<Self> {
        let folder = Self(state_dir.join(format!("self-test-{}", RunId::generate())));
        for inner in ["work", "tmp"] {
            fs::create_dir_all(folder.0.join(inner))?;
        }
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests;
