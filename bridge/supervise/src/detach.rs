//! Starting a program that is to stay: a daemon that outlives whoever started it, or one that is to
//! end with it.
//!
//! It gets a session of its own, so that neither a terminal's hang-up nor a signal to its starter's
//! process group reaches it. A new session cannot be made on behalf of another process without
//! unsafe code; therefore our own executable is started first, makes the session and becomes the
//! program: see [`detached_main`].
//!
//! Absent by design: everything that `run` does. A detached program has no bounds and no guard.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::inside::close_inherited;

/// The hidden subcommand: makes a session and becomes the program that follows.
const DETACHED: &str = "__supervise-detached";

/// The program could not be executed; the reason is on stderr.
const NOT_EXECUTABLE: u8 = 126;

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detach {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Where stdout and stderr are appended; made with mode 0600 where it is absent.
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

/// Starts the program in a session of its own, in `/`, with nothing on stdin. Our own executable must
/// call [`detached_main`] first thing.
///
/// # Errors
/// The log cannot be opened, or no process can be started. That the *program* cannot be executed
/// shows as exit code 126, with the reason in the log.
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
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(&detach.log)?;
    Command::new("/proc/self/exe")
        .arg(DETACHED)
        .arg(&detach.program)
        .args(&detach.args)
        .env_clear()
        .envs(detach.env.iter().map(|(name, value)| (name, value)))
        .current_dir("/")
        .stdin(stdin)
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
}

/// Becomes the program to detach, if `args` (with the program's own name first) are from [`detach`].
///
/// Call it first thing in `main`. Returns `None` when the arguments are not for us, and the exit code
/// when the program could not be executed.
pub fn detached_main(args: impl Iterator<Item = OsString>) -> Option<u8> {
    let mut args = args.skip(1);
    if args.next()? != OsStr::new(DETACHED) {
        return None;
    }
    let program = args.next().unwrap_or_default();
    // What the starter was given, such as a pipe that its own starter waits on, is not for the program.
    let _ = close_inherited();
    // It fails only where there is a session of our own already.
    let _ = rustix::process::setsid();
    let error = Command::new(&program).args(args).exec();
    let text = format!("cannot execute {}: {error}\n", program.to_string_lossy());
    let _ = io::stderr().write_all(text.as_bytes());
    Some(NOT_EXECUTABLE)
}
