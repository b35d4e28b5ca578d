//! Runs this machine's git as a test's user.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use host::find_program;
use supervise::{HelperCommand, run_helper};

/// More than one command takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs git in a folder without any user's configuration, and returns its output. `None`, with a message, if there is no git.
///
/// # Panics
/// If it fails, or if `CI` is set and there is no git.
#[must_use]
pub fn git(folder: &Path, args: &[&str]) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(program) = find_program("git", &path) else {
        skipping::missing("git", "install it");
        return None;
    };
    let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let told = run_helper(&HelperCommand {
        program,
        args: user.iter().chain(args).map(OsString::from).collect(),
        env: vec![
            ("HOME".into(), "/nonexistent".into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ],
        current_dir: folder.to_owned(),
        deadline: Instant::now() + LIMIT,
        stdout_max: 1 << 20,
    });
    let told = told.expect("git can be started");
    assert!(told.is_success(), "git {args:?}: {}", told.stderr);
    Some(String::from_utf8_lossy(&told.stdout).into_owned())
}
