//! Tests an unknown Codex version before it is used (the self-test): two rounds with a scripted model on
//! loopback, in the private home as a question would get it, and a look at what Codex did there.
//!
//! Done once for each executable; `ledger` keeps what came of it in the state folder. What is looked
//! at is the table in `checks`. No model of a provider is asked, nothing leaves this machine, and the
//! user's sign-in is not part of it.

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
/// [`codex_driver::version::Version::LEAST_PROVEN`], and the one that `deploy/package.json` pins. CI runs 0.145 as
/// well, which takes our settings and fails: it has tools that none of them switches off.
pub const TESTED: [&str; 2] = ["0.155.0", "0.169.0"];

/// Longest turn. It takes 150 ms (codex 0.169); the rest is a busy machine.
const TURN_LIMIT: Duration = Duration::from_secs(20);

/// Room that both rounds need below the state folder, in bytes. They write some 200 kB (codex 0.169).
const ROOM_LEAST: u64 = 1 << 20;

/// What the scripted model is asked.
const PROMPTS: [&str; 2] = ["Self-test, round one.", "Self-test, round two."];

/// What is known of one executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The SHA-256 of the executable, in hexadecimal.
    pub digest: String,
    /// The version that it says it is.
    pub version: String,
    /// What it failed; nothing where it may be trusted.
    pub failed: Vec<Failed>,
    /// Whether its log tells of the provider's liveness; see [`codex_driver::pulse`].
    pub has_log: bool,
}

/// A check that an executable failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Such as `tools`.
    pub check: String,
    /// What was seen.
    pub reason: String,
}

/// What an executable is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It passed here, and in our CI as well.
    Tested,
    /// It passed here.
    Proven,
    /// It failed.
    Refused,
}

impl Standing {
    /// The word for it, in `readyz`, `doctor` and `/metrics`.
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
    /// What the executable is to us.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match (self.failed.is_empty(), TESTED.contains(&self.version.as_str())) {
            (false, _) => Standing::Refused,
            (true, true) => Standing::Tested,
            (true, false) => Standing::Proven,
        }
    }

    /// What it failed, in one line.
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

/// What two rounds showed.
pub(crate) struct Seen {
    version: String,
    models: Models,
    /// The ends of the rounds; the second is missing where the first failed.
    ends: Vec<AttemptEnd>,
    requests: Vec<mock_model::Recorded>,
    /// What Codex noted of each round: the lines of the thread's record.
    record: String,
}

/// Why an executable could not be tested; it says nothing about the executable.
#[derive(Debug, thiserror::Error)]
#[error("codex could not be tested: {0}")]
pub struct NotLooked(String);

/// Tests a Codex executable: plays both rounds with it, in a folder of their own below `state_dir`, and judges.
///
/// # Errors
/// [`NotLooked`] where a folder, a port or a process could not be had.
///
/// # Cancel safety
/// Dropping the future ends what it started and removes the folder.
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
        // A Codex that cannot write its thread down is not to be called one that cannot resume.
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

/// The folder of one look; removed with it.
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
        // What cannot be removed lies there without harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests;
