//! Runs a process of another user of this machine. Only root can start one, so tests that need it are skipped
//! for other users.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::folder::built;

/// The user `nobody`, who owns no files here.
pub const NEIGHBOUR: &str = "65534";

/// How long it may take to print the next line.
const LIMIT: Duration = Duration::from_secs(60);

/// Another user's process; killed when dropped.
#[derive(Debug)]
pub struct Neighbour {
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
    _program: TempDir,
}

impl Neighbour {
    /// Starts `neighbour` with these arguments as the other user; `None`, with a message, if that is not possible.
    ///
    /// # Errors
    /// It cannot be started although the test runs as root.
    #[expect(clippy::disallowed_methods, reason = "a test plays the other user")]
    pub fn start(words: &[&str]) -> io::Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            skipping::impossible("only root can start another user's process");
            return Ok(None);
        }
        // The other user may have no access to the build folder.
        let program = tempfile::Builder::new().prefix("neighbour").tempdir_in("/tmp")?;
        fs::set_permissions(program.path(), Permissions::from_mode(0o755))?;
        let path = program.path().join("neighbour");
        fs::copy(built("neighbour")?, &path)?;
        let mut child = Command::new("setpriv")
            .args(["--reuid", NEIGHBOUR, "--regid", NEIGHBOUR, "--clear-groups"])
            .arg(&path)
            .args(words)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let lines = BufReader::new(stdout).lines();
        Ok(Some(Self { lines, _child: child, _program: program }))
    }

    /// Its next line.
    ///
    /// # Errors
    /// It prints no further line, or not in time.
    pub async fn line(&mut self) -> anyhow::Result<String> {
        let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await;
        line.context("the neighbour is silent")??.context("the neighbour has ended")
    }
}
