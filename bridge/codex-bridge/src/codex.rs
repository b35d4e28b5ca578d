//! Codex as this daemon has it: found, probed and given its private home, once, and again when the
//! executable or the sign-in changes on disk.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codex_driver::home::{Home, HomeSettings};
use codex_driver::models::{self, Models};
use codex_driver::sandbox::{self, Sandbox};
use codex_driver::sign_in::{self, SignIn};
use codex_driver::version::{self, ProbeError, Version};
use codex_driver::{Driver, Installation, environment, locate};
use contract::failure::{Failure, FailureCode};
use supervise::Guard;
use tokio::sync::Mutex;

use crate::advisor::prompt::INSTRUCTIONS;
use crate::config::{CodexConfig, Secret};
use crate::error_chain::ErrorChain;

/// Name of the private CODEX_HOME below the state folder.
pub const HOME_DIR: &str = "codex-home";

/// Codex's `stream_idle_timeout_ms`: beyond our own longest deadline, so that the bridge's stall
/// watchdog is the one to fire (codex 0.169 would retry six times by itself).
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// Finds and keeps the driver. One for the daemon.
pub struct Codex {
    config: CodexConfig,
    guard: Guard,
    home: PathBuf,
    path_var: Option<OsString>,
    extras: Vec<(OsString, OsString)>,
    /// Written by [`Codex::ready`] only; one look at a time.
    found: Mutex<Option<Found>>,
}

struct Found {
    driver: Arc<Driver>,
    binary: Stamp,
    /// The sign-in that `codex login status` accepted; nothing where none was accepted yet.
    signed_in: Option<Stamp>,
}

/// A file as it was seen; another one means: look again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    path: PathBuf,
    inode: u64,
    size: u64,
    modified_ns: i128,
}

/// The driver to use, and which Codex it drives.
#[derive(Clone)]
pub struct Ready {
    /// The driver.
    pub driver: Arc<Driver>,
    /// Its Codex.
    pub version: Version,
}

impl Codex {
    /// Looks at nothing yet: the first request or readiness check does. `lookup` reads the
    /// daemon's environment.
    #[must_use]
    pub fn new(
        config: CodexConfig,
        guard: Guard,
        state_dir: &Path,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let key = config.api_key_env.as_deref().zip(config.api_key.as_ref().map(Secret::expose));
        let extras = environment::extras(&lookup, key);
        let home = state_dir.join(HOME_DIR);
        Self { config, guard, home, path_var: lookup("PATH"), extras, found: Mutex::new(None) }
    }

    /// The executable that the configuration names, where it names one.
    #[must_use]
    pub fn named(&self) -> Option<&Path> {
        self.config.bin.as_deref()
    }

    /// The driver, with a sign-in that Codex itself calls good.
    ///
    /// Costs three `stat` calls when nothing has changed since the last time.
    ///
    /// # Errors
    /// `codex_not_found`, `codex_incompatible`, `codex_home_unusable`, `codex_misconfigured`,
    /// `spawn_failed`, and `auth` where nobody is signed in.
    pub async fn ready(&self) -> Result<Ready, Failure> {
        let mut slot = self.found.lock().await;
        let binary = locate::locate(self.config.bin.as_deref(), self.path_var.as_deref())
            .map_err(|error| failed(FailureCode::CodexNotFound, &error))?;
        let stamp = Stamp::of(&binary);
        if slot.as_ref().is_none_or(|found| Some(&found.binary) != stamp.as_ref()) {
            *slot = None;
            *slot = Some(self.look(binary, stamp).await?);
        }
        let found = slot.as_mut().expect("it was just put there");
        self.check_sign_in(found).await?;
        let driver = Arc::clone(&found.driver);
        let version = driver.installation().version;
        Ok(Ready { driver, version })
    }

    /// Whether the read-only shell can work with this Codex on this machine.
    ///
    /// # Errors
    /// Those of [`Codex::ready`].
    pub async fn sandbox(&self) -> Result<Sandbox, Failure> {
        let ready = self.ready().await?;
        let (installation, home) = (ready.driver.installation(), ready.driver.home());
        sandbox::preflight(&self.guard, installation, home, &self.home.join("tmp"))
            .await
            .map_err(|error| failed(FailureCode::SpawnFailed, &error))
    }

    async fn look(&self, binary: PathBuf, stamp: Option<Stamp>) -> Result<Found, Failure> {
        let stamp = stamp.ok_or_else(|| {
            let message = format!("{} vanished while it was looked at", binary.display());
            Failure::new(FailureCode::CodexNotFound, message)
        })?;
        let version = version::probe(&self.guard, &binary).await.map_err(|error| {
            let code = match &error {
                ProbeError::Spawn(_) => FailureCode::SpawnFailed,
                ProbeError::Unreadable { .. } | ProbeError::TooOld { .. } => {
                    FailureCode::CodexIncompatible
                }
            };
            failed(code, &error)
        })?;
        let home = Home::prepare(&self.home, &self.home_settings())
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))?;
        let installation = Installation { binary, version };
        match models::trim(&self.guard, &installation, &home).await {
            Ok(Models::Trimmed { count }) => tracing::debug!(count, "model catalogue trimmed"),
            Ok(Models::Untrimmed { reason }) => tracing::warn!(
                reason,
                "codex keeps its own model catalogue: the model may be offered tools that the sandbox refuses",
            ),
            Err(error) => return Err(failed(FailureCode::CodexHomeUnusable, &error)),
        }
        tracing::info!(codex.version = %version, codex.bin = %stamp.path.display(), "codex {version} found");
        let driver = Driver::new(self.guard.clone(), installation, home, self.extras.clone());
        Ok(Found { driver: Arc::new(driver), binary: stamp, signed_in: None })
    }

    fn home_settings(&self) -> HomeSettings {
        HomeSettings {
            auth_home: self.config.auth_home.clone(),
            base_url: self.config.base_url.clone(),
            api_key_env: self.config.api_key_env.clone(),
            model: self.config.model.clone(),
            shell: self.config.shell,
            instructions: INSTRUCTIONS.to_owned(),
            idle_timeout: IDLE_TIMEOUT,
        }
    }

    /// A missing sign-in is found here, in 20 to 100 ms, and not by waiting for Codex to give up.
    async fn check_sign_in(&self, found: &mut Found) -> Result<(), Failure> {
        if let Some(name) = &self.config.api_key_env {
            return match self.config.api_key {
                Some(_) => Ok(()),
                None => Err(Failure::new(
                    FailureCode::Auth,
                    format!(
                        "the variable {name}, which `codex.api_key_env` names, is not set for the daemon"
                    ),
                )),
            };
        }
        // Linked at each attempt, so that a sign-in counts without a restart.
        found
            .driver
            .home()
            .link_sign_in()
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))?;
        let sign_in = Stamp::of(&self.home.join("auth.json"));
        if sign_in.is_some() && found.signed_in == sign_in {
            return Ok(());
        }
        let (installation, home) = (found.driver.installation(), found.driver.home());
        match sign_in::status(&self.guard, installation, home).await {
            Ok(SignIn::SignedIn { .. } | SignIn::NotNeeded) => {
                found.signed_in = sign_in;
                Ok(())
            }
            Ok(SignIn::NotSignedIn { text }) => Err(Failure::new(
                FailureCode::Auth,
                "codex is not signed in: run `codex login`, or name a key with `codex.api_key_env`",
            )
            .with_summary(text)),
            Err(error) => Err(failed(FailureCode::SpawnFailed, &error)),
        }
    }
}

fn failed(code: FailureCode, error: &(dyn std::error::Error + 'static)) -> Failure {
    Failure::new(code, ErrorChain(error).to_string())
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata: Metadata = std::fs::metadata(path).ok()?;
        Some(Self {
            path: path.to_owned(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified_ns: i128::from(metadata.mtime()) * 1_000_000_000
                + i128::from(metadata.mtime_nsec()),
        })
    }
}
