//! Where the guard is found and how it fences a run in. What works on this system is found out in `probe`.

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

/// The usual limit of a run's address space, in bytes. Codex 0.169 works with a quarter of it.
const ADDRESS_SPACE: u64 = 4 << 30;

/// How to start the run guard. Cheap to clone; clones share what was found out.
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
    /// What runs may reach; all that we may where there is none.
    pub(crate) confine: Option<Arc<Confine>>,
    /// Written once by the first who asks, or at creation.
    pub(crate) confinement: Arc<OnceCell<Confinement>>,
    /// The newest version of Landlock's interface whose rights are used.
    pub(crate) landlock: u8,
    /// What the environment of each guard and its init says, beside the mark.
    env: Vec<(&'static str, OsString)>,
    /// The one that the next run takes.
    standby: Arc<Mutex<Option<Standby>>>,
}

impl Guard {
    /// A guard that is started from `executable`, which calls [`crate::guard_main`] first thing.
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

    /// A guard that is started from our own executable. It stays the same when the file is replaced
    /// while we run.
    ///
    /// # Errors
    ///
    /// Without a mounted `/proc`.
    pub fn current_exe() -> io::Result<Self> {
        std::fs::read_link("/proc/self/exe")?;
        Ok(Self::new("/proc/self/exe".into()))
    }

    /// Fixes the isolation instead of trying what works.
    #[must_use]
    pub fn with_isolation(self, isolation: Isolation) -> Self {
        Self { isolation: Arc::new(OnceCell::new_with(Some(isolation))), ..self }
    }

    /// Confines what is started from now on. Where this system cannot do it, nothing is started
    /// ([`crate::SpawnError::Unconfined`]): [`Guard::confinement`] tells before.
    #[must_use]
    pub fn with_confine(self, confine: Confine) -> Self {
        Self { confine: Some(Arc::new(confine)), ..self }
    }

    /// Fixes how runs are confined instead of trying what works.
    #[must_use]
    pub fn with_confinement(self, confinement: Confinement) -> Self {
        Self { confinement: Arc::new(OnceCell::new_with(Some(confinement))), ..self }
    }

    /// Uses no right of Landlock that is newer than this version of its interface, as on the kernel that brought it: 1
    /// is Linux 5.13, 3 is 6.2, 4 is 6.7, 5 is 6.10, 6 is 6.12.
    #[must_use]
    pub fn with_landlock(self, newest: u8) -> Self {
        Self { landlock: newest.min(NEWEST), ..self }
    }

    /// Fixes how much address space each process of a run may have; `None` for no limit.
    #[must_use]
    pub fn with_address_space(self, bytes: Option<u64>) -> Self {
        Self { address_space: bytes, ..self }
    }

    /// Names the variable in [`crate::Command::env`] whose value is unique to a run. Where a guard is killed, every
    /// process that carries the run's value is ended.
    #[must_use]
    pub fn with_marker(self, variable: &'static str) -> Self {
        Self { marker: Some(variable), ..self }
    }

    /// What guards and their inits have in their environment beside the mark. A process that has lost its parent gets one of
    /// them as its parent, so who looks for the origin of a process finds it there. No secrets: a run's own environment is
    /// told to its program alone.
    #[must_use]
    pub fn with_env(self, env: impl IntoIterator<Item = (&'static str, OsString)>) -> Self {
        Self { env: env.into_iter().collect(), ..self }
    }

    /// Starts a guard for a run to come whose marking variable has this value, and whose limits are those of a program
    /// that we chose. Nothing where it is not yet known how runs are fenced in, where runs are confined, or where a guard
    /// cannot be started: the run then starts one itself.
    ///
    /// To be called in a runtime of tokio.
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

    /// A guard that waits for its task.
    pub(crate) fn start(&self, ground: Ground, mark: Option<Mark>) -> Result<Standby, SpawnError> {
        Standby::start(&self.executable, ground, mark, &self.env)
    }

    /// The same, with a guard for the next run of it and of its clones. A run that it does not suit starts another, as one
    /// does where it has died meanwhile.
    #[must_use]
    pub fn with_standby(self, standby: Option<Standby>) -> Self {
        Self { standby: Arc::new(Mutex::new(standby)), ..self }
    }

    /// What stands by, to be used or ended.
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
