//! Where the guard is found and how it fences a run in.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use crate::capture::capture_isolated;
use crate::command::Command;
use crate::end::{Cause, Exit};
use crate::task::PROBE;

/// How long the probe may take. It takes a few milliseconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// The usual limit of a run's address space, in bytes. Codex 0.169 works with a quarter of it.
const ADDRESS_SPACE: u64 = 4 << 30;

/// How the processes of a run are fenced in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// A PID namespace: the kernel kills what is left when the run ends or its guard dies.
    PidNamespace,
    /// The guard adopts orphans and kills them: for systems that forbid user namespaces.
    Subreaper,
}

impl Isolation {
    /// A word for logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PidNamespace => "pid_namespace",
            Self::Subreaper => "subreaper",
        }
    }
}

/// How to start the run guard. Cheap to clone; clones share what was found out.
#[derive(Debug, Clone)]
pub struct Guard {
    /// An executable that calls [`crate::guard_main`].
    executable: PathBuf,
    /// Limit of a run's address space in bytes.
    address_space: Option<u64>,
    /// Written once by the first run, or at creation.
    isolation: Arc<OnceCell<Isolation>>,
}

impl Guard {
    /// A guard that is started from `executable`, which calls [`crate::guard_main`] first thing.
    #[must_use]
    pub fn new(executable: PathBuf) -> Self {
        let isolation = Arc::new(OnceCell::new());
        Self { executable, address_space: Some(ADDRESS_SPACE), isolation }
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

    /// Fixes how much address space each process of a run may have; `None` for no limit.
    #[must_use]
    pub fn with_address_space(self, bytes: Option<u64>) -> Self {
        Self { address_space: bytes, ..self }
    }

    /// How runs are fenced in on this system. The first call tries a PID namespace, with everything
    /// that belongs to it; later ones remember.
    ///
    /// # Cancel safety
    ///
    /// The next call tries again.
    pub async fn isolation(&self) -> Isolation {
        *self.isolation.get_or_init(|| self.probe()).await
    }

    pub(crate) fn executable(&self) -> &Path {
        &self.executable
    }

    pub(crate) fn address_space(&self) -> u64 {
        self.address_space.unwrap_or(0)
    }

    /// Runs the guard once with nothing to do.
    async fn probe(&self) -> Isolation {
        let nothing = Command {
            program: self.executable.clone(),
            args: vec![PROBE.into()],
            env: Vec::new(),
            current_dir: "/".into(),
            stdin: Vec::new(),
        };
        match capture_isolated(self, Isolation::PidNamespace, nothing, PROBE_TIMEOUT).await {
            Ok(captured) if captured.cause == Cause::Exited && captured.exit == Exit::Code(0) => {
                Isolation::PidNamespace
            }
            Ok(captured) => {
                tracing::warn!(stderr = captured.stderr, "no PID namespace: falling back");
                Isolation::Subreaper
            }
            Err(error) => {
                tracing::warn!(?error, "no PID namespace: falling back to a sub-reaper");
                Isolation::Subreaper
            }
        }
    }
}
