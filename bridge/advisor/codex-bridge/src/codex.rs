//! The Codex installation of this daemon: found, probed and given its private home once, and again when the
//! executable or the sign-in changes on disk.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use codex_driver::home::user::{UserHome, UserSettings};
use codex_driver::home::{Credentials, Home, HomeSettings};
use codex_driver::models::{self, Models};
use codex_driver::provider::{self, Provider, UserConfig};
use codex_driver::sandbox::{self, Sandbox};
use codex_driver::sign_in::{self, SignIn};
use codex_driver::version::{self, ProbeError, Version};
use codex_driver::{Driver, Fallback, Installation, Way, environment, locate};
use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use supervise::{Guard, Standby};
use tokio::sync::Mutex;

use crate::advisor::prompt::INSTRUCTIONS;
use crate::config::environment::PATH;
use crate::config::{CodexConfig, Config, DriverChoice, Environment, Secret};
use crate::proof::{self, Ledger, Proof, Standing};
use host::ErrorChain;

/// Name of the private CODEX_HOME below the state folder.
pub const HOME_DIR: &str = "codex-home";

/// Finds the driver and caches it. One instance per daemon.
pub struct Codex {
    config: CodexConfig,
    guard: Guard,
    /// How long the provider's stream may be silent.
    stall: Duration,
    home: PathBuf,
    environment: Environment,
    extras: Vec<(OsString, OsString)>,
    /// Written by [`Codex::ready`] only; the lock serialises probes.
    found: Mutex<Option<Found>>,
    /// Written by [`Codex::user`] only; the lock serialises probes.
    user: Mutex<Option<UserFound>>,
    /// Written by each probe; read by readiness and `doctor`.
    proven: std::sync::Mutex<Option<Arc<Proof>>>,
}

struct Found {
    driver: Arc<Driver>,
    proof: Arc<Proof>,
    home: Home,
    binary: FileFingerprint,
    /// The user's configuration that was applied; `None` if there is none.
    taken_over: Option<FileFingerprint>,
    /// The sign-in that `codex login status` accepted; `None` if none was accepted yet.
    signed_in: Option<FileFingerprint>,
}

/// What is known of the user's own Codex; the user's home is checked again each time.
struct UserFound {
    version: Version,
    binary: FileFingerprint,
    /// As in [`Found`].
    signed_in: Option<FileFingerprint>,
}

/// Fingerprint of a file; if it differs, the file is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileFingerprint {
    path: PathBuf,
    inode: u64,
    size: u64,
    modified_ns: i128,
}

/// The driver to use, and which Codex it drives.
#[derive(Clone)]
pub struct Ready {
    /// Runs the attempts.
    pub driver: Arc<Driver>,
    /// Version of the driven Codex.
    pub version: Version,
    /// Result of the self-test; `None` for turns of the user's own Codex.
    pub proof: Option<Arc<Proof>>,
}

impl Ready {
    /// The same, with a guard process ready for the driver's first attempt.
    #[must_use]
    pub fn with_standby(self, standby: Option<Standby>) -> Self {
        Self { driver: Arc::new(self.driver.with_standby(standby)), ..self }
    }
}

impl Codex {
    /// Creates it without probing: the first request or readiness check does that. `environment` is the daemon's.
    #[must_use]
    pub fn new(config: &Config, guard: Guard, environment: &Environment) -> Self {
        let Config { state_dir, codex: config, limits, .. } = config;
        let lookup = |name: &str| environment.get(name).map(ToOwned::to_owned);
        let key = config.api_key_env.as_deref().zip(config.api_key.as_ref().map(Secret::expose));
        let home = state_dir.join(HOME_DIR);
        // If only the guard is found after a crash, this variable tells which daemon started it.
        let guard = guard.with_env([(environment::CODEX_HOME, home.clone().into_os_string())]);
        Self {
            extras: environment::extras(lookup, key),
            config: config.clone(),
            guard,
            stall: limits.stall,
            home,
            environment: environment.clone(),
            found: Mutex::new(None),
            user: Mutex::new(None),
            proven: std::sync::Mutex::default(),
        }
    }

    /// The secrets of the user's own provider, to be masked in all texts.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let taken = self.taken_over().unwrap_or_default();
        taken
            .provider
            .map(|provider| provider.secrets(|name| self.lookup(name)))
            .unwrap_or_default()
    }

    /// The executable set in the configuration, if any.
    #[must_use]
    pub fn named(&self) -> Option<&Path> {
        self.config.bin.as_deref()
    }

    /// The driver, with a sign-in that Codex itself accepts.
    ///
    /// Costs four `stat` calls when nothing has changed since the last time.
    ///
    /// # Errors
    /// `codex_not_found`, `codex_incompatible`, `codex_home_unusable`, `codex_misconfigured`,
    /// `spawn_failed`, and `auth` where Codex is not signed in.
    pub async fn ready(&self) -> Result<Ready, Failure> {
        let mut slot = self.found.lock().await;
        let binary = self.locate()?;
        let stamp = FileFingerprint::of(&binary);
        let taken_over = self.users_configuration().and_then(|path| FileFingerprint::of(&path));
        let is_as_found =
            |found: &Found| Some(&found.binary) == stamp.as_ref() && found.taken_over == taken_over;
        if !slot.as_ref().is_some_and(is_as_found) {
            *slot = None;
            *slot = Some(self.look(binary, stamp, taken_over).await?);
        }
        let found = slot.as_mut().expect("it was just put there");
        self.check_sign_in(found).await?;
        let driver = Arc::clone(&found.driver);
        let version = driver.installation().version;
        Ok(Ready { driver, version, proof: Some(Arc::clone(&found.proof)) })
    }

    /// Self-test result of the last Codex found, even if that Codex was refused.
    #[must_use]
    pub fn proof(&self) -> Option<Arc<Proof>> {
        self.proven.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A driver of the user's own Codex, with the user's home, settings and threads.
    ///
    /// # Errors
    /// As [`Codex::ready`].
    pub async fn user(&self) -> Result<Ready, Failure> {
        let mut slot = self.user.lock().await;
        let binary = self.locate()?;
        let stamp = FileFingerprint::of(&binary).ok_or_else(|| vanished(&binary))?;
        if slot.as_ref().is_none_or(|found| found.binary != stamp) {
            *slot = None;
            let version = self.version(&binary).await?;
            *slot = Some(UserFound { version, binary: stamp, signed_in: None });
        }
        let found = slot.as_mut().expect("it was just put there");
        let version = found.version;
        let installation = Installation { binary, version };
        let home = self.user_home()?;
        self.check_own_key(home.provider())?;
        let sign_in = FileFingerprint::of(&home.path().join("auth.json"));
        if sign_in.is_none() || found.signed_in != sign_in {
            let status = sign_in::status_of_user(&self.guard, &installation, &home).await;
            accepted(status)?;
            found.signed_in = sign_in;
        }
        let extras = self.extras.clone();
        let driver = Driver::of_user(self.guard.clone(), installation, home, extras);
        Ok(Ready { driver: Arc::new(driver), version, proof: None })
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
        UserHome::open(path, &settings, |name| self.lookup(name))
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))
    }

    /// A guard for a run's first attempt, started while the run is prepared; see [`Guard::stand_by`].
    #[must_use]
    pub fn stand_by(&self, run_id: RunId) -> Option<Standby> {
        self.guard.clone().with_marker(host::environment::RUN).stand_by(&run_id.to_string())
    }

    /// Whether the read-only shell works with this Codex on this machine.
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
        locate::locate(self.config.bin.as_deref(), self.environment.get(PATH))
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

    async fn look(
        &self,
        binary: PathBuf,
        stamp: Option<FileFingerprint>,
        taken_over: Option<FileFingerprint>,
    ) -> Result<Found, Failure> {
        let stamp = stamp.ok_or_else(|| vanished(&binary))?;
        let version = self.version(&binary).await?;
        let taken = self.taken_over();
        let known = taken.as_ref().ok().cloned().unwrap_or_default();
        let provider = known.provider.clone();
        let settings = self.home_settings(known, version);
        let installation = Installation { binary, version };
        let proof = Arc::new(self.prove(&installation, &settings).await?);
        *self.proven.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&proof));
        self.check_proof(&proof)?;
        taken?;
        self.check_own_key(provider.as_ref())?;
        let home = Home::prepare(&self.home, &settings)
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))?;
        match models::trim(&self.guard, &installation, &home).await {
            Ok(Models::Trimmed { count }) => tracing::debug!(count, "model catalogue trimmed"),
            Ok(Models::Untrimmed { reason }) => tracing::warn!(
                reason,
                "codex keeps its own model catalogue: the model may be offered tools that the sandbox refuses",
            ),
            Err(error) => return Err(failed(FailureCode::CodexHomeUnusable, &error)),
        }
        tracing::info!(codex.version = %version, codex.bin = %stamp.path.display(), "codex {version} found");
        let mut extras = self.extras.clone();
        extras.extend(provider.iter().flat_map(|it| it.variables(|name| self.lookup(name))));
        let driver = Driver::new(self.guard.clone(), installation, home.clone(), extras);
        let driver = if proof.has_log { driver } else { driver.without_log() };
        let driver = Arc::new(self.by_choice(driver).await);
        Ok(Found { driver, proof, home, binary: stamp, taken_over, signed_in: None })
    }

    /// The driver in the mode that the operator chose. In mode `auto` the app-server is probed first,
    /// without sending a question.
    async fn by_choice(&self, driver: Driver) -> Driver {
        match self.config.driver {
            DriverChoice::Exec => return driver,
            DriverChoice::AppServer => return driver.by(Way::AppServer),
            DriverChoice::Auto => {}
        }
        let fallback = Fallback::default();
        let driver = driver.by(Way::Either(fallback.clone()));
        let version = driver.installation().version;
        let tried = match version.has_app_server() {
            true => driver.handshake(&self.home, &self.home.join("tmp")).await,
            false => Err(format!("codex {version} is older than {}", Version::WITH_APP_SERVER)),
        };
        match tried {
            Ok(()) => tracing::info!("codex is driven by its app-server"),
            Err(why) => {
                tracing::info!("codex is driven by codex exec: {why}");
                fallback.give_up(why);
            }
        }
        driver
    }

    /// The stored self-test result of the executable; runs the self-test if there is none.
    async fn prove(
        &self,
        installation: &Installation,
        settings: &HomeSettings,
    ) -> Result<Proof, Failure> {
        let state_dir = self.home.parent().unwrap_or(&self.home).to_owned();
        let ledger = Ledger::open(&state_dir, settings.model.as_deref());
        let binary = installation.binary.clone();
        let unreadable = |error: &dyn std::fmt::Display| {
            let message = format!("{} cannot be read: {error}", installation.binary.display());
            Failure::new(FailureCode::CodexNotFound, message)
        };
        let looked = tokio::task::spawn_blocking(move || {
            let executable = ledger.executable(&binary);
            (ledger, executable)
        });
        let (mut ledger, executable) = looked.await.map_err(|error| unreadable(&error))?;
        let executable = executable.map_err(|error| unreadable(&error))?;
        if let Some(proof) = ledger.proof(&executable, &installation.version.to_string()) {
            return Ok(proof);
        }
        let digest = executable.digest.clone();
        let proof = proof::prove(&self.guard, installation, settings, &state_dir, digest)
            .await
            .map_err(|error| failed(FailureCode::SpawnFailed, &error))?;
        match proof.standing() {
            Standing::Refused => {
                tracing::error!(proof = %proof, "codex failed the self-test: {}", proof.reasons())
            }
            _ => tracing::info!(proof = %proof, "codex passed the self-test"),
        }
        if let Err(error) = ledger.keep(&executable, &proof) {
            tracing::warn!(%error, "what the self-test showed could not be kept");
        }
        Ok(proof)
    }

    fn check_proof(&self, proof: &Proof) -> Result<(), Failure> {
        if proof.failed.is_empty() || self.config.allow_unproven {
            return Ok(());
        }
        Err(Failure::new(
            FailureCode::CodexIncompatible,
            format!("codex {} failed the self-test: {}", proof.version, proof.reasons()),
        ))
    }

    fn lookup(&self, name: &str) -> Option<OsString> {
        self.environment.get(name).map(ToOwned::to_owned)
    }

    /// The user's own configuration, from which the provider is read if the operator set none.
    fn users_configuration(&self) -> Option<PathBuf> {
        let is_theirs = self.config.base_url.is_none() && self.config.api_key_env.is_none();
        let home = self.config.auth_home.as_ref().filter(|_| is_theirs)?;
        Some(home.join("config.toml"))
    }

    /// The part of the user's configuration that the advisor uses.
    fn taken_over(&self) -> Result<UserConfig, Failure> {
        let path = self.users_configuration();
        let Some(home) = path.as_deref().and_then(Path::parent) else {
            return Ok(UserConfig::default());
        };
        provider::read(home).map_err(|error| failed(FailureCode::CodexMisconfigured, &error))
    }

    /// Checks that the key named by the user's own configuration is set.
    fn check_own_key(&self, provider: Option<&Provider>) -> Result<(), Failure> {
        let named = provider.and_then(|it| Some((it.id(), it.key_variable()?)));
        match named.filter(|(_, variable)| self.environment.get(variable).is_none()) {
            None => Ok(()),
            Some((id, variable)) => Err(Failure::new(
                FailureCode::Auth,
                format!(
                    "the variable {variable}, which holds the key of the provider `{id}` of your Codex configuration, is not set for the daemon; set it there, or set `codex.base_url` to use another provider"
                ),
            )),
        }
    }

    fn home_settings(&self, taken: UserConfig, version: Version) -> HomeSettings {
        HomeSettings {
            auth_home: self.config.auth_home.clone(),
            base_url: self.config.base_url.clone(),
            api_key_env: self.config.api_key_env.clone(),
            provider: taken.provider,
            model: self.config.model.clone().or(taken.model),
            shell: self.config.shell,
            wants_summary: self.config.wants_summary,
            instructions: INSTRUCTIONS.to_owned(),
            idle_timeout: self.stall,
            version,
        }
    }

    /// Detects a missing sign-in in 20 to 100 ms, instead of waiting until Codex gives up.
    async fn check_sign_in(&self, found: &mut Found) -> Result<(), Failure> {
        self.check_key()?;
        if found.home.credentials() != Credentials::SignIn {
            return Ok(());
        }
        // Linked at each attempt, so that a new sign-in takes effect without a restart.
        found
            .home
            .link_sign_in()
            .map_err(|error| failed(FailureCode::CodexHomeUnusable, &error))?;
        let sign_in = FileFingerprint::of(&self.home.join("auth.json"));
        if sign_in.is_some() && found.signed_in == sign_in {
            return Ok(());
        }
        let status = sign_in::status(&self.guard, found.driver.installation(), &found.home).await;
        accepted(status)?;
        found.signed_in = sign_in;
        Ok(())
    }

    /// Checks that the configured key variable is set.
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

/// The result of `codex login status`; a failure if the user is not signed in.
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

impl FileFingerprint {
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
