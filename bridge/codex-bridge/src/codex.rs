//! Codex as this daemon has it: found, probed and given its private home, once, and again when the
//! executable or the sign-in changes on disk.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codex_driver::home::user::{UserHome, UserSettings};
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
use crate::config::{CodexConfig, Config, Secret};
use crate::error_chain::ErrorChain;

/// Name of the private CODEX_HOME below the state folder.
pub const HOME_DIR: &str = "codex-home";

/// Finds and keeps the driver. One for the daemon.
pub struct Codex {
    config: CodexConfig,
    guard: Guard,
    /// How long the provider's stream may be silent.
    stall: Duration,
    home: PathBuf,
    path_var: Option<OsString>,
    extras: Vec<(OsString, OsString)>,
    /// Those of [`environment::OF_USER`] that are set for the daemon.
    of_user: Vec<(OsString, OsString)>,
    /// Written by [`Codex::ready`] only; one look at a time.
    found: Mutex<Option<Found>>,
    /// Written by [`Codex::user`] only; one look at a time.
    user: Mutex<Option<UserFound>>,
}

struct Found {
    driver: Arc<Driver>,
    home: Home,
    binary: Stamp,
    /// The sign-in that `codex login status` accepted; nothing where none was accepted yet.
    signed_in: Option<Stamp>,
}

/// What is known of the user's own Codex; their home is looked at anew each time.
struct UserFound {
    version: Version,
    binary: Stamp,
    /// As in [`Found`].
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
    pub fn new(config: &Config, guard: Guard, lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let Config { state_dir, codex: config, limits, .. } = config;
        let config = config.clone();
        let key = config.api_key_env.as_deref().zip(config.api_key.as_ref().map(Secret::expose));
        let extras = environment::extras(&lookup, key);
        let home = state_dir.join(HOME_DIR);
        let of_user = environment::OF_USER
            .iter()
            .filter_map(|name| Some(((*name).into(), lookup(name)?)))
            .collect();
        Self {
            config,
            guard,
            stall: limits.stall,
            home,
            path_var: lookup("PATH"),
            extras,
            of_user,
            found: Mutex::new(None),
            user: Mutex::new(None),
        }
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
        let binary = self.locate()?;
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

    /// A driver of the user's own Codex: their home, their settings, their threads.
    ///
    /// # Errors
    /// As [`Codex::ready`].
    pub async fn user(&self) -> Result<Ready, Failure> {
        let mut slot = self.user.lock().await;
        let binary = self.locate()?;
        let stamp = Stamp::of(&binary).ok_or_else(|| vanished(&binary))?;
        if slot.as_ref().is_none_or(|found| found.binary != stamp) {
            *slot = None;
            let version = self.version(&binary).await?;
            *slot = Some(UserFound { version, binary: stamp, signed_in: None });
        }
        let found = slot.as_mut().expect("it was just put there");
        let version = found.version;
        let installation = Installation { binary, version };
        let home = self.user_home()?;
        let sign_in = Stamp::of(&home.path().join("auth.json"));
        if sign_in.is_none() || found.signed_in != sign_in {
            let status = sign_in::status_of_user(&self.guard, &installation, &home).await;
            accepted(status)?;
            found.signed_in = sign_in;
        }
        let extras = self.extras.clone();
        let driver = Driver::of_user(self.guard.clone(), installation, home, extras);
        Ok(Ready { driver: Arc::new(driver), version })
    }

    fn user_home(&self) -> Result<UserHome, Failure> {
        self.check_key()?;
        let path = self.config.auth_home.as_deref().ok_or_else(|| {
            let message = "there is no Codex home: HOME and CODEX_HOME are not set for the daemon; set `codex.auth_home`";
            Failure::new(FailureCode::CodexHomeUnusable, message)
        })?;
        let settings = UserSettings {
            base_url: self.config.base_url.clone(),
            api_key_env: self.config.api_key_env.clone(),
            model: self.config.model.clone(),
        };
        let lookup = |name: &str| {
            let set = self.of_user.iter().find(|(known, _)| known == name);
            set.map(|(_, value)| value.clone())
        };
        UserHome::open(path, &settings, lookup)
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))
    }

    /// Whether the read-only shell can work with this Codex on this machine.
    ///
    /// # Errors
    /// Those of [`Codex::ready`].
    pub async fn sandbox(&self) -> Result<Sandbox, Failure> {
        self.ready().await?;
        let found = self.found.lock().await;
        let found = found.as_ref().expect("a ready Codex was found");
        let installation = found.driver.installation();
        sandbox::preflight(&self.guard, installation, &found.home, &self.home.join("tmp"))
            .await
            .map_err(|error| failed(FailureCode::SpawnFailed, &error))
    }

    fn locate(&self) -> Result<PathBuf, Failure> {
        locate::locate(self.config.bin.as_deref(), self.path_var.as_deref())
            .map_err(|error| failed(FailureCode::CodexNotFound, &error))
    }

    async fn version(&self, binary: &Path) -> Result<Version, Failure> {
        version::probe(&self.guard, binary).await.map_err(|error| {
            let code = match &error {
                ProbeError::Spawn(_) => FailureCode::SpawnFailed,
                ProbeError::Unreadable { .. } | ProbeError::TooOld { .. } => {
                    FailureCode::CodexIncompatible
                }
            };
            failed(code, &error)
        })
    }

    async fn look(&self, binary: PathBuf, stamp: Option<Stamp>) -> Result<Found, Failure> {
        let stamp = stamp.ok_or_else(|| vanished(&binary))?;
        let version = self.version(&binary).await?;
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
        let extras = self.extras.clone();
        let driver = Driver::new(self.guard.clone(), installation, home.clone(), extras);
        Ok(Found { driver: Arc::new(driver), home, binary: stamp, signed_in: None })
    }

    fn home_settings(&self) -> HomeSettings {
        HomeSettings {
            auth_home: self.config.auth_home.clone(),
            base_url: self.config.base_url.clone(),
            api_key_env: self.config.api_key_env.clone(),
            model: self.config.model.clone(),
            shell: self.config.shell,
            instructions: INSTRUCTIONS.to_owned(),
            idle_timeout: self.stall,
        }
    }

    /// A missing sign-in is found here, in 20 to 100 ms, and not by waiting for Codex to give up.
    async fn check_sign_in(&self, found: &mut Found) -> Result<(), Failure> {
        self.check_key()?;
        if self.config.api_key_env.is_some() {
            return Ok(());
        }
        // Linked at each attempt, so that a sign-in counts without a restart.
        found
            .home
            .link_sign_in()
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))?;
        let sign_in = Stamp::of(&self.home.join("auth.json"));
        if sign_in.is_some() && found.signed_in == sign_in {
            return Ok(());
        }
        let status = sign_in::status(&self.guard, found.driver.installation(), &found.home).await;
        accepted(status)?;
        found.signed_in = sign_in;
        Ok(())
    }

    /// A key that is named must be there.
    fn check_key(&self) -> Result<(), Failure> {
        match (&self.config.api_key_env, &self.config.api_key) {
            (Some(name), None) => Err(Failure::new(
                FailureCode::Auth,
                format!(
                    "the variable {name}, which `codex.api_key_env` names, is not set for the daemon"
                ),
            )),
            (_, _) => Ok(()),
        }
    }
}

fn vanished(binary: &Path) -> Failure {
    let message = format!("{} vanished while it was looked at", binary.display());
    Failure::new(FailureCode::CodexNotFound, message)
}

/// What Codex says of the sign-in, as a failure where there is none.
fn accepted(status: Result<SignIn, supervise::SpawnError>) -> Result<(), Failure> {
    match status {
        Ok(SignIn::SignedIn { .. } | SignIn::NotNeeded) => Ok(()),
        Ok(SignIn::NotSignedIn { text }) => Err(Failure::new(
            FailureCode::Auth,
            "codex is not signed in: run `codex login`, or name a key with `codex.api_key_env`",
        )
        .with_summary(text)),
        Err(error) => Err(failed(FailureCode::SpawnFailed, &error)),
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
