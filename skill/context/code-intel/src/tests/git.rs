//! The real git, as a user runs it in a repository that a test makes.

use std::path::Path;
use std::time::{Duration, Instant};

use host::find_program;
use supervise::{HelperCommand, run_helper};

/// Where git is looked for.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The time of every test's first commit: 2025-06-01.
pub(crate) const BEGIN: u64 = 1_748_736_000;

/// In seconds.
pub(crate) const DAY: u64 = 86_400;

/// Long enough for any git here, on a loaded machine.
const LIMIT: Duration = Duration::from_secs(120);

/// What git says, with nobody's configuration. What it commits is of the day with this number after [`BEGIN`].
pub(crate) fn git(folder: &Path, day: u64, args: &[&str]) -> String {
    let date = format!("@{} +0000", BEGIN + day * DAY);
    let env = [
        ("PATH", PATH),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.com"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@example.com"),
        ("GIT_AUTHOR_DATE", &date),
        ("GIT_COMMITTER_DATE", &date),
    ];
    let told = run_helper(&HelperCommand {
        program: find_program("git", PATH.as_ref()).unwrap(),
        args: args.iter().map(Into::into).collect(),
        env: env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        current_dir: folder.to_owned(),
        deadline: Instant::now() + LIMIT,
        stdout_max: 1 << 20,
    })
    .unwrap();
    assert!(told.is_success(), "git {args:?}: {}", told.stderr);
    String::from_utf8(told.stdout).unwrap()
}
