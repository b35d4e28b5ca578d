//! A guarded program as seen by the daemon. Dropping it kills everything.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::process::ExitStatus;

use rustix::process::{Signal, pidfd_send_signal};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::oneshot;

use crate::error::SpawnError;
use crate::guard::Guard;
use crate::isolation::Isolation;
use crate::outbound::Outbound;
use crate::pipe::Pipe;
use crate::proc;
use crate::report::Reports;
use crate::standby::Begun;
use crate::task::{Ground, Task};

/// A running guard and its program, about which the guard will report.
#[derive(Debug)]
pub(crate) struct Process {
    /// Carries stdin and orders to the guard.
    pub outbound: Outbound,
    /// Carries the guard's reports.
    pub reports: OwnedReadHalf,
    /// Incomplete reports.
    pub partial: Reports,
    /// The program's stdout.
    pub stdout: Pipe,
    /// The program's stderr.
    pub stderr: Pipe,
    /// Completes when the guard is reaped; then no process of the run is alive. The guard of a namespace may have
    /// reported that earlier.
    pub gone: oneshot::Receiver<io::Result<ExitStatus>>,
    /// A pidfd of the guard.
    pub handle: OwnedFd,
    /// The guard's process id.
    pub guard: u32,
}

impl Process {
    /// Starts the guard, or takes the standby one, and sends it its task.
    ///
    /// # Cancel safety
    ///
    /// If dropped, everything that was started is killed.
    pub(crate) async fn start(
        guard: &Guard,
        ground: Ground,
        task: &Task,
        stdin: Vec<u8>,
    ) -> Result<Self, SpawnError> {
        let mark = guard.mark(&task.env);
        let waiting = match guard.take_standby() {
            Some(standby) => standby.for_run(ground, mark.as_ref()).await,
            None => None,
        };
        let begun = match waiting {
            Some(begun) => begun,
            None => guard.start(ground, mark)?.begun().await?,
        };
        Self::of(begun, task, stdin).await
    }

    /// Sends a guard its task.
    async fn of(begun: Begun, task: &Task, stdin: Vec<u8>) -> Result<Self, SpawnError> {
        let Begun { control, started, gone } = begun;
        let (reports, mut control) = asynchronous(control).map_err(SpawnError::guard)?.into_split();
        // A guard that does not read its task has ended or is ending, which is detected elsewhere.
        let _ = control.write_all(&task.encode()).await;
        Ok(Self {
            outbound: Outbound::new(control, stdin),
            reports,
            partial: Reports::default(),
            stdout: Pipe::new(started.stdout).map_err(SpawnError::guard)?,
            stderr: Pipe::new(started.stderr).map_err(SpawnError::guard)?,
            gone,
            handle: started.handle,
            guard: started.guard,
        })
    }

    /// Kills the guard itself, if it does not react.
    pub(crate) fn kill_guard(&self) {
        // It may be gone already.
        let _ = pidfd_send_signal(self.handle.as_fd(), Signal::KILL);
    }

    /// The program's process id as seen from here, derived from the one that its guard reported; the guard's
    /// if unknown.
    pub(crate) fn program(&self, isolation: Isolation, reported: i32) -> u32 {
        let program = match isolation {
            Isolation::Subreaper => Some(reported.cast_unsigned()),
            // The reported id is only valid inside. The guard has one child, which has one.
            Isolation::PidNamespace => proc::first_child(self.guard).and_then(proc::first_child),
        };
        program.unwrap_or(self.guard)
    }
}

fn asynchronous(stream: StdUnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
