//! A guarded program as the daemon holds it. Dropping it kills everything.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ExitStatus, Stdio};
use std::{io, thread};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::error::SpawnError;
use crate::guard::Guard;
use crate::isolation::Isolation;
use crate::outbound::Outbound;
use crate::pipe::Pipe;
use crate::report::Reports;
use crate::task::{GUARD, Task};
use crate::{proc, sweep};

/// Stack of the thread that starts a guard and waits for it, in bytes.
const STACK: usize = 256 << 10;

/// A guard that runs, and its program, of which the guard will report.
#[derive(Debug)]
pub(crate) struct Process {
    /// Carries stdin and orders to the guard.
    pub outbound: Outbound,
    /// Carries the guard's reports.
    pub reports: OwnedReadHalf,
    /// Reports that are not complete yet.
    pub partial: Reports,
    /// The program's stdout.
    pub stdout: Pipe,
    /// The program's stderr.
    pub stderr: Pipe,
    /// Fires when the guard is reaped; then nothing of the run is alive, which a guard of a namespace may have told
    /// before.
    pub gone: oneshot::Receiver<io::Result<ExitStatus>>,
    /// The guard, safe against reuse of its number.
    pub handle: OwnedFd,
    /// The guard's process id.
    pub guard: u32,
}

/// What a program is given besides its task.
#[derive(Debug)]
pub(crate) struct Given {
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    pub stdin: Vec<u8>,
}

/// What the owner thread hands over once the guard runs.
struct Started {
    stdout: OwnedFd,
    stderr: OwnedFd,
    handle: OwnedFd,
    guard: u32,
}

impl Process {
    /// Starts the guard.
    ///
    /// # Cancel safety
    ///
    /// Dropped half way, everything that was started is killed.
    pub(crate) async fn start(
        guard: &Guard,
        task: &Task,
        given: Given,
    ) -> Result<Self, SpawnError> {
        let mark = guard.mark(&given.env);
        // Our parent may have left SIGCHLD ignored; the guard would inherit that and never
        // learn how the program ended. A handler is not inherited.
        let _ = signal(SignalKind::child());
        let (ours, theirs) = StdUnixStream::pair().map_err(SpawnError::guard)?;
        let mut starter = std::process::Command::new(guard.executable());
        starter
            .arg0(std::env::args_os().next().unwrap_or_else(|| GUARD.into()))
            .arg(GUARD)
            .env_clear()
            .envs(given.env)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let (started, start) = oneshot::channel();
        let (ended, gone) = oneshot::channel();
        thread::Builder::new()
            .name("run-guard".into())
            .stack_size(STACK)
            .spawn(move || own(starter, started, ended, mark))
            .map_err(SpawnError::guard)?;
        let started = start.await.expect("the owner thread always answers")?;
        let (reports, mut control) = asynchronous(ours).map_err(SpawnError::guard)?.into_split();
        // A guard that does not take its task is gone or going; its end is noticed elsewhere.
        let _ = control.write_all(&task.announced()).await;
        Ok(Self {
            outbound: Outbound::new(control, given.stdin),
            reports,
            partial: Reports::default(),
            stdout: Pipe::new(started.stdout).map_err(SpawnError::guard)?,
            stderr: Pipe::new(started.stderr).map_err(SpawnError::guard)?,
            gone,
            handle: started.handle,
            guard: started.guard,
        })
    }

    /// Kills the guard itself; for one that does not react.
    pub(crate) fn kill_guard(&self) {
        // It may be gone already.
        let _ = pidfd_send_signal(self.handle.as_fd(), Signal::KILL);
    }

    /// The program's process id as seen from here, from the one its guard reported; the guard's
    /// where it cannot be known.
    pub(crate) fn program(&self, isolation: Isolation, reported: i32) -> u32 {
        let program = match isolation {
            Isolation::Subreaper => Some(reported.cast_unsigned()),
            // The reported one counts inside only. The guard has one child, which has one.
            Isolation::PidNamespace => proc::first_child(self.guard).and_then(proc::first_child),
        };
        program.unwrap_or(self.guard)
    }
}

/// Owns the guard from its start to its end: so it is reaped at once, whatever becomes of the
/// future that wanted it.
fn own(
    mut starter: std::process::Command,
    started: oneshot::Sender<Result<Started, SpawnError>>,
    ended: oneshot::Sender<io::Result<ExitStatus>>,
    mark: Option<(&'static str, String)>,
) {
    let spawned = starter.spawn();
    // It holds the guard's end of the control channel; the guard's must be the only one.
    drop(starter);
    let mut child = match spawned {
        Ok(child) => child,
        // With the receiver gone there is no one to tell.
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

fn asynchronous(stream: StdUnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
