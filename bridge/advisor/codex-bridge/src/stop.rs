//! Stops the daemon of a state folder: finds it by the process file in the folder, verifies that it is the
//! process that wrote the file, sends SIGTERM, and waits.
//!
//! Absent by design: SIGKILL. A daemon that does not end in time is left to its user.

use std::fmt;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use host::address;
use host::daemon_process::{DaemonProcess, Liveness};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::{Value, json};

use crate::keeper::Keeper;
use crate::state_dir::{self, StateDirError};

/// Result of a stop request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// No daemon uses the folder.
    NotRunning,
    /// It has ended.
    Stopped {
        /// Its process.
        pid: u32,
        /// How long it took.
        waited: Duration,
    },
    /// It received the signal and is still finishing its runs.
    StillRunning {
        /// Its process.
        pid: u32,
        /// How long we waited.
        waited: Duration,
    },
}

/// Why no signal was sent.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// The state folder is unsafe.
    #[error(transparent)]
    Folder(#[from] StateDirError),
    /// There is an address but no process file beside it.
    #[error(
        "a daemon left its address {address}, but not which process it is; stop it by its own means"
    )]
    Unnamed {
        /// The daemon's address.
        address: String,
    },
    /// It runs in another PID namespace.
    #[error(
        "process {pid} cannot be seen from here: it runs in another container, or /proc is closed"
    )]
    Unseen {
        /// Its process id there.
        pid: u32,
    },
    /// The process belongs to another user.
    #[error("process {pid} belongs to user {owner}, not to you")]
    Foreign {
        /// The process.
        pid: u32,
        /// The user.
        owner: u32,
    },
    /// A supervisor would restart it at once, or treat the end as its own doing.
    #[error("process {pid} is run by {keeper}; stop it with `{command}`")]
    Kept {
        /// The process.
        pid: u32,
        /// The supervisor.
        keeper: &'static str,
        /// The command to stop it.
        command: &'static str,
    },
    /// The kernel refused.
    #[error("process {pid} cannot be asked to stop")]
    Refused {
        /// The process.
        pid: u32,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
}

/// Stops the daemon that uses the folder, and waits at most `patience` for its end.
///
/// # Errors
/// [`StopError`], by cause; no signal was sent.
pub fn stop(state_dir: &Path, patience: Duration) -> Result<Outcome, StopError> {
    if !state_dir.exists() {
        return Ok(Outcome::NotRunning);
    }
    state_dir::check(state_dir)?;
    let Some(address) = address::read(state_dir) else { return Ok(Outcome::NotRunning) };
    let process = DaemonProcess::read(state_dir, &address);
    let process = process.ok_or(StopError::Unnamed { address })?;
    let pid = process.pid;
    let Some(handle) = open(&process)? else { return Ok(Outcome::NotRunning) };
    let refused = |error: Errno| StopError::Refused { pid, source: error.into() };
    match pidfd_send_signal(&handle, Signal::TERM) {
        Ok(()) => {}
        Err(Errno::SRCH) => return Ok(Outcome::NotRunning),
        Err(error) => return Err(refused(error)),
    }
    let asked = Instant::now();
    let is_over = has_ended_within(&handle, patience).map_err(refused)?;
    let waited = asked.elapsed();
    Ok(match is_over {
        true => Outcome::Stopped { pid, waited },
        false => Outcome::StillRunning { pid, waited },
    })
}

/// A pidfd of this process, if it exists and we may stop it. A pidfd never refers to another
/// process, so checks made after opening it stay valid.
fn open(process: &DaemonProcess) -> Result<Option<OwnedFd>, StopError> {
    let pid = process.pid;
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let handle = number.map(|number| pidfd_open(number, PidfdFlags::empty()));
    match process.liveness() {
        Liveness::Ended => return Ok(None),
        Liveness::Unknown => return Err(StopError::Unseen { pid }),
        Liveness::Alive => {}
    }
    let handle = match handle {
        Some(Ok(handle)) => handle,
        // It ended in the meantime.
        Some(Err(Errno::SRCH)) | None => return Ok(None),
        Some(Err(error)) => return Err(StopError::Refused { pid, source: error.into() }),
    };
    let folder = format!("/proc/{pid}");
    let owner = fs::metadata(&folder).map(|metadata| metadata.uid());
    match owner {
        Ok(owner) if owner != rustix::process::geteuid().as_raw() => {
            return Err(StopError::Foreign { pid, owner });
        }
        Ok(_) => {}
        Err(_) => return Ok(None),
    }
    match Keeper::of(Path::new(&folder)) {
        Some(keeper) => {
            let command = keeper.stop_command();
            Err(StopError::Kept { pid, keeper: keeper.name(), command })
        }
        None => Ok(Some(handle)),
    }
}

/// Whether the process ends in time: its pidfd becomes readable then.
fn has_ended_within(handle: &OwnedFd, patience: Duration) -> Result<bool, Errno> {
    let deadline = Instant::now() + patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(|_| Errno::INVAL)?;
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

impl Outcome {
    /// The result as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let with = |outcome: &str, pid: u32, waited: &Duration| {
            let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
            json!({ "outcome": outcome, "pid": pid, "waited_ms": waited_ms })
        };
        match self {
            Self::NotRunning => json!({ "outcome": "not_running" }),
            Self::Stopped { pid, waited } => with("stopped", *pid, waited),
            Self::StillRunning { pid, waited } => with("still_running", *pid, waited),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => write!(formatter, "codex-bridge does not run"),
            Self::Stopped { pid, waited } => write!(
                formatter,
                "codex-bridge (process {pid}) has stopped after {} ms",
                waited.as_millis()
            ),
            Self::StillRunning { pid, waited } => write!(
                formatter,
                "codex-bridge (process {pid}) was asked to stop, and still finishes its runs after \
                 {:.0} s; ask again to end them at once",
                waited.as_secs_f64()
            ),
        }
    }
}
