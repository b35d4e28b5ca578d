//! Which isolation and which confinement work on this system: each found out once, by a run with nothing to do.

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

/// How long the probe may take. It takes a few milliseconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

impl Guard {
    /// How runs are fenced in on this system. The first call tries a PID namespace, with everything
    /// that belongs to it; later ones remember.
    ///
    /// # Cancel safety
    ///
    /// The next call tries again.
    pub async fn isolation(&self) -> Isolation {
        *self.isolation.get_or_init(|| self.probe()).await
    }

    /// By which means runs can be confined on this system. The first call tries; later ones remember.
    ///
    /// # Cancel safety
    ///
    /// The next call tries again.
    pub async fn confinement(&self) -> Confinement {
        *self.confinement.get_or_init(|| self.probe_confinement()).await
    }

    /// What Landlock does not hold a run of this guard to, in words; nothing from Linux 6.12 on. All of it is held where
    /// there are mounts, but for signals and abstract sockets.
    #[must_use]
    pub fn landlock_gaps(&self) -> Vec<&'static str> {
        gaps(self.landlock)
    }

    /// What a run of this guard is told of its confinement.
    ///
    /// # Errors
    ///
    /// [`SpawnError::Unconfined`] where it is to be confined and cannot be.
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

    /// Tries all of it in one run, which tells of the isolation as well, and then less.
    async fn probe_confinement(&self) -> Confinement {
        let may_mount = self.isolation.get().is_none_or(|known| *known == Isolation::PidNamespace);
        if may_mount && self.works(Isolation::PidNamespace, Some(Means::LandlockAndMounts)).await {
            // Whoever asks for the isolation at this moment finds the same.
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

    /// Runs the guard once with nothing to do, and says whether it could.
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

/// A confinement that takes every means there is.
fn something() -> Confine {
    Confine {
        write: vec!["/dev".into()],
        keep: vec!["/dev/null".into()],
        // Not where this program may lie.
        hide: vec!["/sys".into()],
        network: Network::Open,
    }
}
