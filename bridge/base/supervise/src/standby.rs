//! A guard before it gets its task: started, owned, and ended if no task comes. Dropping it kills it.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use std::{io, thread};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::SpawnError;
use crate::sweep;
use crate::task::{GUARD, Ground};

/// How long a guard without a task may take to end, or the sweep after one that was killed.
const END_LIMIT: Duration = Duration::from_secs(3);

/// Stack of the thread that starts a guard and waits for it, in bytes.
const STACK: usize = 256 << 10;

/// A guard that is started before there is a task for it. While the caller prepares the task, the guard starts, creates
/// its namespaces and waits. It is for one run; it ends when dropped without one, and when this process dies.
#[derive(Debug)]
pub struct Standby {
    ground: Ground,
    mark: Option<Mark>,
    /// Our end of the control channel, on which the ground was already sent.
    control: UnixStream,
    started: oneshot::Receiver<Result<Started, SpawnError>>,
    gone: oneshot::Receiver<io::Result<ExitStatus>>,
}

/// The variable that marks a run's processes, with the run's value.
pub(crate) type Mark = (&'static str, String);

/// What the owner thread reports once the guard runs.
#[derive(Debug)]
pub(crate) struct Started {
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    /// A pidfd of the guard.
    pub handle: OwnedFd,
    /// Its process id.
    pub guard: u32,
}

impl Standby {
    /// Starts a guard without waiting; an error is reported later.
    pub(crate) fn start(
        executable: &Path,
        ground: Ground,
        mark: Option<Mark>,
        env: &[(&'static str, OsString)],
    ) -> Result<Self, SpawnError> {
        // Our parent may have left SIGCHLD ignored; the guard would inherit that and never
        // be told how the program ended. A handler is not inherited.
        let _ = signal(SignalKind::child());
        let (mut control, theirs) = UnixStream::pair().map_err(SpawnError::guard)?;
        // It always fits into an empty channel.
        control.write_all(&ground.encode()).map_err(SpawnError::guard)?;
        let mut starter = std::process::Command::new(executable);
        starter
            .arg0(std::env::args_os().next().unwrap_or_else(|| GUARD.into()))
            .arg(GUARD)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .envs(mark.clone())
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let (tell_started, started) = oneshot::channel();
        let (tell_gone, gone) = oneshot::channel();
        let swept = mark.clone();
        thread::Builder::new()
            .name("run-guard".into())
            .stack_size(STACK)
            .spawn(move || own(starter, tell_started, tell_gone, swept))
            .map_err(SpawnError::guard)?;
        Ok(Self { ground, mark, control, started, gone })
    }

    /// Ends it if there is no task for it, and waits until it has ended.
    ///
    /// # Cancel safety
    ///
    /// It ends nevertheless.
    pub async fn end(self) {
        drop(self.control);
        // An error means that it has ended. One that does not react is left to end later.
        let _ = timeout(END_LIMIT, self.gone).await;
    }

    /// Returns it as the guard of this run, if it was made for such a run and is alive. Otherwise it ends.
    pub(crate) async fn for_run(self, ground: Ground, mark: Option<&Mark>) -> Option<Begun> {
        if self.ground != ground || self.mark.as_ref() != mark {
            return None;
        }
        let begun = self.begun().await.ok()?;
        if begun.is_alive() {
            return Some(begun);
        }
        // Its leftovers are swept by its mark, which the next guard has as well.
        drop(begun.control);
        let _ = timeout(END_LIMIT, begun.gone).await;
        None
    }

    /// Waits until it runs.
    pub(crate) async fn begun(self) -> Result<Begun, SpawnError> {
        let Self { control, started, gone, .. } = self;
        let started = started.await.expect("the owner thread always answers")?;
        Ok(Begun { control, started, gone })
    }
}

/// A running guard without a task.
pub(crate) struct Begun {
    /// Our end of the control channel.
    pub control: UnixStream,
    pub started: Started,
    /// Completes when the guard is reaped.
    pub gone: oneshot::Receiver<io::Result<ExitStatus>>,
}

impl Begun {
    /// Whether it has not ended: its pidfd becomes readable then.
    fn is_alive(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut ended = [PollFd::new(&self.started.handle, PollFlags::IN)];
        matches!(poll(&mut ended, Some(&now)), Ok(0))
    }
}

/// Owns the guard from its start to its end, so that it is reaped at once, even if the
/// future that requested it is dropped.
fn own(
    mut starter: std::process::Command,
    started: oneshot::Sender<Result<Started, SpawnError>>,
    ended: oneshot::Sender<io::Result<ExitStatus>>,
    mark: Option<Mark>,
) {
    let spawned = starter.spawn();
    // It holds the guard's end of the control channel, of which the guard must have the only copy.
    drop(starter);
    let mut child = match spawned {
        Ok(child) => child,
        // If the receiver is dropped, the error is discarded.
        Err(error) => return drop(started.send(Err(SpawnError::guard(error)))),
    };
    let start = (
        child.stdout.take(),
        child.stderr.take(),
        pidfd_open(Pid::from_child(&child), PidfdFlags::empty()),
    );
    let start = match start {
        (Some(stdout), Some(stderr), Ok(handle)) => {
            Ok(Started { stdout: stdout.into(), stderr: stderr.into(), handle, guard: child.id() })
        }
        (_, _, pinned) => {
            let _ = child.kill();
            let error = pinned.err().map_or_else(|| io::ErrorKind::BrokenPipe.into(), Into::into);
            Err(SpawnError::guard(error))
        }
    };
    let _ = started.send(start);
    let status = child.wait();
    if status.as_ref().is_ok_and(|status| status.signal().is_some())
        && let Some((variable, value)) = mark
    {
        let left = sweep::sweep(variable, &[value]);
        tracing::warn!(guard = child.id(), left, "the run guard was killed");
    }
    let _ = ended.send(status);
}
