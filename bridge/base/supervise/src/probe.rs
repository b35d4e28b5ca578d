//! Finds out which isolation and which confinement work on this system, each once, by an empty run.

use std::time::Duration;

use rustix::io::Errno;

use crate::capture::capture_isolated;
use crate::command::Command;
use crate::confine::{Confine, Confinement, Fence, Means, Network, gaps};
use crate::end::{Cause, Exit};
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::isolation::Isolation;
use crate::task::PROBE;

/// Timeout of the probe. It takes a few milliseconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

impl Guard {
    /// The isolation of runs on this system. The first call tries a PID namespace with all its
    /// parts; later calls use the result.
    ///
    /// # Cancel safety
    ///
    /// The next call tries again.
    pub async fn isolation(&self) -> Isolation {
        *self.isolation.get_or_init(|| self.probe()).await
    }

    /// The confinement available on this system. The first call tries; later calls use the result.
    ///
    /// # Cancel safety
    ///
    /// The next call tries again.
    pub async fn confinement(&self) -> Confinement {
        *self.confinement.get_or_init(|| self.probe_confinement()).await
    }

    /// Descriptions of what Landlock does not restrict in a run of this guard; empty since Linux 6.12. With mounts
    /// everything is restricted except signals and abstract sockets.
    #[must_use]
    pub fn landlock_gaps(&self) -> Vec<&'static str> {
        gaps(self.landlock)
    }

    /// The confinement of a run of this guard.
    ///
    /// # Errors
    ///
    /// [`SpawnError::Unconfined`] if confinement was requested and is not available.
    pub(crate) async fn fence(&self) -> Result<Option<Fence>, SpawnError> {
        let Some(confine) = &self.confine else { return Ok(None) };
        let means = match self.confinement().await {
            Confinement::LandlockAndMounts => Means::LandlockAndMounts,
            Confinement::Landlock => Means::Landlock,
            Confinement::None => {
                return Err(SpawnError::Unconfined { source: Errno::NOSYS.into() });
            }
        };
        Ok(Some(Fence { confine: Confine::clone(confine), means, landlock: self.landlock }))
    }

    /// Tries everything in one run, which also determines the isolation, and then less.
    async fn probe_confinement(&self) -> Confinement {
        let may_mount = self.isolation.get().is_none_or(|known| *known == Isolation::PidNamespace);
        if may_mount && self.works(Isolation::PidNamespace, Some(Means::LandlockAndMounts)).await {
            // A concurrent query of the isolation gets the same result.
            let _ = self.isolation.set(Isolation::PidNamespace);
            return Confinement::LandlockAndMounts;
        }
        match self.works(self.isolation().await, Some(Means::Landlock)).await {
            true => Confinement::Landlock,
            false => Confinement::None,
        }
    }

    async fn probe(&self) -> Isolation {
        match self.works(Isolation::PidNamespace, None).await {
            true => Isolation::PidNamespace,
            false => Isolation::Subreaper,
        }
    }

    /// Whether an empty run with these settings works.
    async fn works(&self, isolation: Isolation, means: Option<Means>) -> bool {
        let nothing = Command {
            program: self.executable().to_owned(),
            args: vec![PROBE.into()],
            env: Vec::new(),
            current_dir: "/".into(),
            stdin: Vec::new(),
        };
        let fence =
            means.map(|means| Fence { confine: something(), means, landlock: self.landlock });
        let missing = match means {
            None => "no PID namespace: falling back to a sub-reaper",
            Some(Means::LandlockAndMounts) => {
                "no mounts of its own: commands are confined by Landlock alone"
            }
            Some(Means::Landlock) => "no Landlock: commands are not confined",
        };
        match capture_isolated(self, isolation, fence, nothing, PROBE_TIMEOUT).await {
            Ok(captured) if captured.cause == Cause::Exited && captured.exit == Exit::Code(0) => {
                true
            }
            Ok(captured) => {
                tracing::warn!(stderr = captured.stderr, "{missing}");
                false
            }
            Err(error) => {
                tracing::warn!(?error, "{missing}");
                false
            }
        }
    }
}

/// A confinement that uses all mechanisms.
fn something() -> Confine {
    Confine {
        write: vec!["/dev".into()],
        keep: vec!["/dev/null".into()],
        // Not a folder in which this program may be installed.
        hide: vec!["/sys".into()],
        network: Network::Open,
    }
}
