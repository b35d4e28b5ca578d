//! Runs `xc` as a user with one key, that of the scripted model.

#![expect(clippy::disallowed_methods, reason = "a test plays the user, who starts it")]

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::Command;

use crate::harness::StateDir;

/// The key.
pub const KEY: &str = "sk-planted-5f2a9c7e1b3d4068";

/// The user's environment, with the home folder below `folder`; the model responds at `base_url`.
#[must_use]
pub fn environment(folder: &StateDir, base_url: &str) -> Vec<(OsString, OsString)> {
    [
        ("PATH", std::env::var_os("PATH").unwrap_or_default()),
        ("HOME", folder.home().into()),
        ("TMPDIR", folder.temp().into()),
        ("LANG", "C.UTF-8".into()),
        ("OPENAI_COMPATIBLE_API_KEY", KEY.into()),
        ("OPENAI_COMPATIBLE_BASE_URL", base_url.into()),
        ("OPENAI_COMPATIBLE_MODEL", "scripted".into()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}

/// The program with these arguments, in the work folder of `folder`, with an empty standard input and both
/// outputs piped. It is killed when its handle is dropped.
#[must_use]
pub fn command(program: &Path, words: &[&str], folder: &StateDir, base_url: &str) -> Command {
    let mut command = Command::new(program);
    command.args(words).current_dir(folder.work());
    command.env_clear().envs(environment(folder, base_url));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    command
}

/// Records that the user began this session, so that its journal does not count as one that came with the folder.
///
/// # Errors
/// The file cannot be written.
pub fn begun(folder: &StateDir, session: &str) -> io::Result<()> {
    let global = folder.home().join(".xcode");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&global)?;
    let mut options = fs::OpenOptions::new();
    let mut list =
        options.append(true).create(true).mode(0o600).open(global.join("sessions-begun.txt"))?;
    writeln!(list, "{session}")
}

/// A new folder that no sandbox of `xc` may write: in `target`, or in the home folder if `target` is, with the whole
/// checkout, below a folder for temporary files.
///
/// # Errors
/// The folder cannot be created.
pub fn lasting_folder(target: &Path) -> io::Result<TempDir> {
    let is_temporary = ["/tmp", "/var/tmp"].iter().any(|folder| target.starts_with(folder));
    match std::env::home_dir().filter(|_| is_temporary) {
        Some(home) => tempfile::Builder::new().prefix(".xc-test-").tempdir_in(home),
        None => tempfile::tempdir_in(target),
    }
}
