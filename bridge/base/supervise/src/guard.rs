//! Starts the run guard, and holds how it isolates and confines a run. `probe` finds out what works on this system.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::confine::{Confine, Confinement, NEWEST};
use crate::error::SpawnError;
use crate::isolation::Isolation;
use crate::limits::Limits;
use crate::standby::{Mark, Standby};
use crate::task::Ground;

/// The default limit of a run's address space, in bytes. Codex 0.169 works with a quarter of it.
const ADDRESS_SPACE: u64 = 4 << 30;

/// How to start the run guard. Cheap to clone; clones share the results of probing.
#[derive(Debug, Clone)]
pub struct Guard {
    /// An executable that calls [`crate::guard_main`].
    executable: PathBuf,
    /// Limit of a run's address space in bytes.
    address_space: Option<u64>,
    /// The variable whose value marks the processes of a run.
    marker: Option<&'static str>,
    /// Written once by the first run, or at creation.
    pub(crate) isolation: Arc<OnceCell<Isolation>>,
    /// Confinement of runs; without one they can access everything that we can.
    pub(crate) confine: Option<Arc<Confine>>,
    /// Written once by the first caller that needs it, or at creation.
    pub(crate) confinement: Arc<OnceCell<Confinement>>,
    /// The newest version of Landlock's interface whose rights are used.
    pub(crate) landlock: u8,
    /// Environment of each guard and its init, besides the mark.
    env: Vec<(&'static str, OsString)>,
    /// The standby guard for the next run.
    standby: Arc<Mutex<Option<Standby>>>,
}

impl Guard {
    /// A guard started from `executable`, whose first action must be to call [`crate::guard_main`].
    #[must_use]
    pub fn new(executable: PathBuf) -> Self {
        let isolation = Arc::new(OnceCell::new());
        Self {
            executable,
            address_space: Some(ADDRESS_SPACE),
            marker: None,
            isolation,
            confine: None,
            confinement: Arc::new(OnceCell::new()),
            landlock: NEWEST,
            env: Vec::new(),
            standby: Arc::default(),
        }
    }

    /// A guard started from our own executable. It stays the same if the file is replaced
    /// while we run.
    ///
    /// # Errors
    ///
    /// `/proc` is not mounted.
    pub fn current_exe() -> io::Result<Self> {
        std::fs::read_link("/proc/self/exe")?;
        Ok(Self::new("/proc/self/exe".into()))
    }

    /// Sets the isolation instead of probing.
    #[must_use]
    pub fn with_isolation(self, isolation: Isolation) -> Self {
        Self { isolation: Arc::new(OnceCell::new_with(Some(isolation))), ..self }
    }

    /// Confines the programs started from now on. If this system does not support it, no program is started
    /// ([`crate::SpawnError::Unconfined`]); [`Guard::confinement`] tells in advance.
    #[must_use]
    pub fn with_confine(self, confine: Confine) -> Self {
        Self { confine: Some(Arc::new(confine)), ..self }
    }

    /// Sets the confinement instead of probing.
    #[must_use]
    pub fn with_confinement(self, confinement: Confinement) -> Self {
        Self { confinement: Arc::new(OnceCell::new_with(Some(confinement))), ..self }
    }

    /// Uses no right of Landlock that is newer than this version of its interface: 1
    /// is Linux 5.13, 3 is 6.2, 4 is 6.7, 5 is 6.10, 6 is 6.12.
    #[must_use]
    pub fn with_landlock(self, newest: u8) -> Self {
        Self { landlock: newest.min(NEWEST), ..self }
    }

    /// Sets the limit of each process's address space; `None` for no limit.
    #[must_use]
    pub fn with_address_space(self, bytes: Option<u64>) -> Self {
        Self { address_space: bytes, ..self }
    }

    /// Names the variable in [`crate::Command::env`] whose value is unique to a run. If a guard is killed, every
    /// process with the run's value is killed.
    #[must_use]
    pub fn with_marker(self, variable: &'static str) -> Self {
        Self { marker: Some(variable), ..self }
    }

    /// Sets the environment of guards and their inits besides the mark. An orphaned process gets one of
    /// them as its parent, so a program that searches the origin of a process finds it there. Must not contain secrets: only
    /// the run's program gets the run's own environment.
    #[must_use]
    pub fn with_env(self, env: impl IntoIterator<Item = (&'static str, OsString)>) -> Self {
        Self { env: env.into_iter().collect(), ..self }
    }

    /// Starts a standby guard for a later run with this value of the marking variable and with the limits of a program
    /// that we chose. `None` if the isolation is not known yet, if runs are confined, or if a guard
    /// cannot be started: the run then starts one itself.
    ///
    /// Must be called within a tokio runtime.
    #[must_use]
    pub fn stand_by(&self, mark: &str) -> Option<Standby> {
        let isolation = *self.isolation.get()?;
        if self.confine.is_some() {
            return None;
        }
        let mark = self.marker.map(|variable| (variable, mark.to_owned()));
        let ground = Ground::of(isolation, self.limits(), None);
        self.start(ground, mark).ok()
    }

    /// Starts a guard that waits for its task.
    pub(crate) fn start(&self, ground: Ground, mark: Option<Mark>) -> Result<Standby, SpawnError> {
        Standby::start(&self.executable, ground, mark, &self.env)
    }

    /// The same, with a standby guard for the next run of it and of its clones. A run that it does not fit starts another,
    /// also if it has died in the meantime.
    #[must_use]
    pub fn with_standby(self, standby: Option<Standby>) -> Self {
        Self { standby: Arc::new(Mutex::new(standby)), ..self }
    }

    /// Takes the standby guard, to use or end it.
    pub(crate) fn take_standby(&self) -> Option<Standby> {
        self.standby.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The marking variable with its value in the environment of a run.
    pub(crate) fn mark(&self, env: &[(OsString, OsString)]) -> Option<(&'static str, String)> {
        let variable = self.marker?;
        let (_, value) = env.iter().find(|(name, _)| name == variable)?;
        Some((variable, value.to_str()?.to_owned()))
    }

    pub(crate) fn executable(&self) -> &Path {
        &self.executable
    }

    /// The limits of a program that we chose.
    pub(crate) fn limits(&self) -> Limits {
        Limits { address_space: self.address_space, ..Limits::CHOSEN }
    }
}
