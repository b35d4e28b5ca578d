//! Runs a short, trusted helper program (git) on the caller's own thread, with limits on time and
//! output; it has ended when the call returns. It costs a fork, an exec and a few system calls.
//!
//! There is no run guard, so this is only for programs that leave no processes behind:
//! if the caller is killed with SIGKILL, the program continues to its end (with its pipes
//! closed). Not here: a shell, retries.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::end::Exit;
use crate::error::SpawnError;
use crate::tail::Tail;

/// Number of bytes kept from the end of stderr: git's longest messages are a few lines.
const STDERR_MAX: usize = 4 << 10;
/// Buffer size for reads, in bytes: a pipe's default capacity.
const CHUNK: usize = 64 << 10;
/// How long a killed program may take to end, before a thread is left behind to reap it.
const KILL_LIMIT: Duration = Duration::from_secs(1);

/// A helper program and its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperCommand {
    /// The program's absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub current_dir: PathBuf,
    /// When it is killed.
    pub deadline: Instant,
    /// Maximum number of bytes of stdout; a program that prints more is killed.
    pub stdout_max: usize,
}

/// Output and end of a helper's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperOutput {
    /// How the run ended.
    pub end: HelperEnd,
    /// Stdout, even if the run was ended early; at most [`HelperCommand::stdout_max`] bytes.
    pub stdout: Vec<u8>,
    /// The end of stderr, at most 4 KiB, invalid UTF-8 replaced.
    pub stderr: String,
}

/// How a helper's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperEnd {
    /// The program exited.
    Exited(Exit),
    /// It was killed at its deadline.
    Deadline,
    /// It was killed because of too much output.
    OutputLimit,
}

/// Why a helper's run has no result.
#[derive(Debug, thiserror::Error)]
pub enum HelperError {
    /// The program could not be started.
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    /// It ran and was killed, but its exit is unknown: the kernel did not report it (SIGCHLD is
    /// ignored), or did not release the process.
    #[error("the end of the program could not be seen")]
    Unobserved {
        /// The kernel's error.
        source: io::Error,
    },
}

impl HelperOutput {
    /// Whether the program exited with code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.end == HelperEnd::Exited(Exit::Code(0))
    }
}

/// Runs the program to its end, in its own process group and with an empty stdin, and blocks until
/// then. When it returns, no process of the group is alive: remaining ones are killed.
///
/// # Errors
///
/// [`HelperError::NotStarted`] if the program or the folder is missing or cannot be used, or the
/// system is out of resources; [`HelperError::Unobserved`] if the kernel did not report the end.
pub fn run_helper(command: &HelperCommand) -> Result<HelperOutput, HelperError> {
    fed(command, None)
}

/// The same with a text on the program's stdin, which is then closed. The call does not wait for a program that does not
/// read it.
///
/// # Errors
///
/// As [`run_helper()`].
pub fn run_helper_with_input(
    command: &HelperCommand,
    input: &[u8],
) -> Result<HelperOutput, HelperError> {
    fed(command, Some(input))
}

fn fed(command: &HelperCommand, input: Option<&[u8]>) -> Result<HelperOutput, HelperError> {
    let mut child = std::process::Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&command.current_dir)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| refused(command, error))?;
    let told = Listener::new(&mut child, command, input.unwrap_or_default());
    let told = told.and_then(Listener::listen);
    // The group's id stays valid until the leader is reaped, so this hits no other process. The group may be
    // empty.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = reap(child);
    let (cut, listener) = told.map_err(unobserved)?;
    let end = match cut {
        Some(end) => end,
        None => HelperEnd::Exited(exit(status.map_err(unobserved)?)),
    };
    Ok(HelperOutput { end, stdout: listener.stdout, stderr: listener.tail.into_text() })
}

/// Reads the program's output until it has ended or must be killed, and writes its input.
struct Listener<'i> {
    handle: OwnedFd,
    input: Option<ChildStdin>,
    /// Input that is not written yet.
    rest: &'i [u8],
    out: Option<ChildStdout>,
    err: Option<ChildStderr>,
    stdout: Vec<u8>,
    stdout_max: usize,
    tail: Tail,
    deadline: Instant,
    chunk: Vec<u8>,
}

impl<'i> Listener<'i> {
    fn new(child: &mut Child, command: &HelperCommand, rest: &'i [u8]) -> io::Result<Self> {
        let (input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        input.as_ref().map(unblock).transpose()?;
        out.as_ref().map(unblock).transpose()?;
        err.as_ref().map(unblock).transpose()?;
        Ok(Self {
            handle: pidfd_open(Pid::from_child(child), PidfdFlags::empty())?,
            input,
            rest,
            out,
            err,
            stdout: Vec::new(),
            stdout_max: command.stdout_max,
            tail: Tail::new(STDERR_MAX),
            deadline: command.deadline,
            chunk: vec![0; CHUNK],
        })
    }

    /// Returns why the program must be killed, or `None` if it ended by itself.
    fn listen(mut self) -> io::Result<(Option<HelperEnd>, Self)> {
        loop {
            self.feed();
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok((Some(HelperEnd::Deadline), self));
            }
            let is_gone = self.wait(left)?;
            // After it has ended, one pass reads all that it had printed; other holders of the pipe
            // are not waited for.
            if !self.drain()? {
                return Ok((Some(HelperEnd::OutputLimit), self));
            }
            if is_gone {
                return Ok((None, self));
            }
        }
    }

    /// Writes what the program accepts now, and closes its stdin after that, or if it reads none.
    fn feed(&mut self) {
        while let Some(input) = &mut self.input {
            match input.write(self.rest) {
                Ok(0) => self.input = None,
                Ok(taken) => {
                    self.rest = &self.rest[taken..];
                    if self.rest.is_empty() {
                        self.input = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.input = None,
            }
        }
    }

    /// Waits until there is something to read or write, or the program has ended; returns whether it has.
    fn wait(&self, left: Duration) -> io::Result<bool> {
        let mut fds = vec![PollFd::new(&self.handle, PollFlags::IN)];
        fds.extend(self.out.as_ref().map(|out| PollFd::new(out, PollFlags::IN)));
        fds.extend(self.err.as_ref().map(|err| PollFd::new(err, PollFlags::IN)));
        fds.extend(self.input.as_ref().map(|input| PollFd::new(input, PollFlags::OUT)));
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(_) => Ok(!fds[0].revents().is_empty()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the available output; false if it is too much.
    fn drain(&mut self) -> io::Result<bool> {
        // A flood on stderr is ended by the deadline: only its end is kept.
        if let Some(err) = &mut self.err {
            let read = read_some(err, &mut self.chunk)?;
            self.tail.push(&self.chunk[..read.bytes]);
            if read.is_end {
                self.err = None;
            }
        }
        while let Some(out) = &mut self.out {
            let read = read_some(out, &mut self.chunk)?;
            let room = self.stdout_max - self.stdout.len();
            self.stdout.extend_from_slice(&self.chunk[..read.bytes.min(room)]);
            if read.bytes > room {
                return Ok(false);
            }
            if read.is_end {
                self.out = None;
            } else if read.bytes == 0 {
                break;
            }
        }
        Ok(true)
    }
}

/// Result of one read.
struct Gulp {
    bytes: usize,
    is_end: bool,
}

/// Reads without blocking: no bytes and no end if nothing is available.
fn read_some(from: &mut impl Read, chunk: &mut [u8]) -> io::Result<Gulp> {
    match from.read(chunk) {
        Ok(bytes) => Ok(Gulp { bytes, is_end: bytes == 0 }),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Ok(Gulp { bytes: 0, is_end: false })
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            Ok(Gulp { bytes: 0, is_end: false })
        }
        Err(error) => Err(error),
    }
}

fn unblock(fd: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(fd)?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}

/// Reaps the killed or ended child. If the kernel does not release it (a dead network file
/// system), a thread waits for it.
fn reap(mut child: Child) -> io::Result<ExitStatus> {
    if let Ok(handle) = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()) {
        let begun = Instant::now();
        let mut fds = [PollFd::new(&handle, PollFlags::IN)];
        while fds[0].revents().is_empty() {
            let left = KILL_LIMIT.saturating_sub(begun.elapsed());
            if left.is_zero() {
                thread::Builder::new().name("reaper".into()).spawn(move || child.wait())?;
                return Err(io::ErrorKind::TimedOut.into());
            }
            // An interrupted wait is repeated.
            let _ = poll(&mut fds, Some(&timespec(left)));
        }
    }
    child.wait()
}

fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
}

fn exit(status: ExitStatus) -> Exit {
    match status.code() {
        Some(code) => Exit::Code(code),
        None => Exit::Signal(status.signal().unwrap_or(9)),
    }
}

fn unobserved(source: io::Error) -> HelperError {
    HelperError::Unobserved { source }
}

/// Classifies a start error. For the kernel, a missing folder looks like a missing program.
fn refused(command: &HelperCommand, source: io::Error) -> SpawnError {
    let is_folder = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if is_folder(&command.current_dir) {
        SpawnError::program(command.program.clone(), source)
    } else {
        SpawnError::Directory { path: command.current_dir.clone(), source }
    }
}

#[cfg(test)]
mod tests;
