//! Starting a program that is to stay: a daemon that outlives its starter, or one that is to
//! end with it.
//!
//! It gets a session of its own, so that neither a terminal's hang-up nor a signal to its starter's
//! process group reaches it. A new session cannot be made on behalf of another process without
//! unsafe code; therefore the program makes it itself: see [`leave_starter`]. And no executable of
//! ours becomes a program that its arguments name.
//!
//! Absent by design: everything that `run` does. A detached program has no bounds and no guard.

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

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detach {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Where stdout and stderr are appended: a plain file of this user alone, made where it is absent.
    /// A link is not followed.
    pub log: PathBuf,
}

/// A program that was started to stay. Dropping this leaves it alone.
#[derive(Debug)]
pub struct Detached(Child);

impl Detached {
    /// Its process id, which is also its session's.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// How it ended, where it has.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }
}

/// A program that ends with its starter: it holds the reading end of a pipe as its stdin, and is to
/// end when that is closed, which the kernel does when the starter dies, however it dies.
#[derive(Debug)]
pub struct Attached {
    child: Child,
    /// Taken when the program is told to end.
    lifeline: Option<ChildStdin>,
}

impl Attached {
    /// Its process id, which is also its session's.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, where it has.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }
}

impl Drop for Attached {
    /// Closes the lifeline and waits for the end; a program that does not take the hint is killed.
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

/// How often its end is looked for.
const END_INTERVAL: Duration = Duration::from_millis(5);

/// Starts the program in `/`, with nothing on stdin. It must call [`leave_starter`] first thing.
///
/// # Errors
/// The log cannot be opened, or the program cannot be executed.
pub fn detach(detach: &Detach) -> io::Result<Detached> {
    start(detach, Stdio::null()).map(Detached)
}

/// As [`detach`], but with a lifeline on stdin: the program is to end when that is closed.
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
    // Without a reader a pipe of that name would be waited for.
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

/// Makes this process independent of its starter: closes what was inherited beyond the standard
/// streams, such as a pipe that the starter's own starter waits on, and makes a session of its own.
///
/// For a program that [`detach`] or [`attach`] starts, before it opens a file or starts a thread.
pub fn leave_starter() {
    let _ = close_inherited();
    // It fails only where there is a session of our own already.
    let _ = rustix::process::setsid();
}
