//! Starts a program that keeps running: a daemon that outlives its starter, or one that
//! ends with it.
//!
//! It gets its own session, so that neither a terminal's hang-up nor a signal to its starter's
//! process group reaches it. Creating a session for another process needs
//! unsafe code; therefore the program creates it itself: see [`leave_starter`]. And no executable of
//! ours executes a program named by its arguments.
//!
//! Absent by design: everything that `run` does. A detached program has no limits and no guard.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use crate::inside::close_inherited;

/// The program to start and its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detach {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// File to which stdout and stderr are appended: a private regular file, created if it is absent.
    /// A link is not followed.
    pub log: PathBuf,
}

/// A detached program. Dropping this does not affect it.
#[derive(Debug)]
pub struct Detached(Child);

impl Detached {
    /// Its process id, which is also its session id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Its exit status, if it has ended.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }
}

/// A program that ends with its starter: its stdin is the reading end of a pipe, and it must
/// end when that is closed, which the kernel does whenever the starter dies.
#[derive(Debug)]
pub struct Attached {
    child: Child,
    /// Taken when the program is to end.
    lifeline: Option<ChildStdin>,
}

impl Attached {
    /// Its process id, which is also its session id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has ended.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }
}

impl Drop for Attached {
    /// Closes the lifeline and waits for the end; a program that does not react is killed.
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let limit = Instant::now() + END_LIMIT;
        while Instant::now() < limit {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(END_INTERVAL),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How long an attached program may take to end. A daemon ends its runs within two seconds.
const END_LIMIT: Duration = Duration::from_secs(10);

/// Polling interval for its end.
const END_INTERVAL: Duration = Duration::from_millis(5);

/// Starts the program in `/`, with an empty stdin. Its first action must be [`leave_starter`].
///
/// # Errors
/// The log cannot be opened, or the program cannot be executed.
pub fn detach(detach: &Detach) -> io::Result<Detached> {
    start(detach, Stdio::null()).map(Detached)
}

/// As [`detach`], but with a lifeline on stdin: the program must end when that is closed.
///
/// # Errors
/// Those of [`detach`].
pub fn attach(detach: &Detach) -> io::Result<Attached> {
    let mut child = start(detach, Stdio::piped())?;
    let lifeline = child.stdin.take();
    Ok(Attached { child, lifeline })
}

fn start(detach: &Detach, stdin: Stdio) -> io::Result<Child> {
    let log = open_log(&detach.log)?;
    Command::new(&detach.program)
        .args(&detach.args)
        .env_clear()
        .envs(detach.env.iter().map(|(name, value)| (name, value)))
        .current_dir("/")
        .stdin(stdin)
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
}

fn open_log(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Without NONBLOCK, opening a pipe of that name would wait for a reader.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.create(true).append(true).mode(0o600).custom_flags(flags.bits().cast_signed());
    let log = options.open(path)?;
    let metadata = log.metadata()?;
    let user = rustix::process::geteuid().as_raw();
    if !metadata.is_file() || metadata.nlink() != 1 || metadata.uid() != user {
        let what = format!("{} is no plain file of this user alone", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    log.set_permissions(Permissions::from_mode(0o600))?;
    Ok(log)
}

/// Makes this process independent of its starter: closes inherited descriptors beyond the standard
/// streams, such as a pipe on which the starter's own starter waits, and creates a session.
///
/// For a program that [`detach`] or [`attach`] starts, before it opens a file or starts a thread.
pub fn leave_starter() {
    let _ = close_inherited();
    // Fails only if this process already leads a session.
    let _ = rustix::process::setsid();
}
