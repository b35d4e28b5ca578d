//! The same attempts as a user other than root: if root runs the tests, another user runs these again.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::getuid;
use supervise::{HelperCommand, HelperEnd, run_helper};

/// The user who owns nothing, on every Linux.
const NOBODY: u32 = 65_534;

/// Names the guard for the run of the other user, who may not be able to reach where it was built.
const GUARD: &str = "CONFINE_GUARD";

/// The tests that are run again.
const AGAIN: [&str; 2] =
    ["no_way_leads_out_of_the_workspace", "a_closed_network_reaches_nothing_outside"];

/// The program that is the guard.
pub(super) fn guard() -> PathBuf {
    std::env::var_os(GUARD).map_or_else(|| env!("CARGO_BIN_EXE_guard").into(), PathBuf::from)
}

#[test]
fn a_user_who_is_not_root_gets_no_further() {
    // Another user's own run of the tests is this one.
    if !getuid().is_root() {
        return;
    }
    let Some(setpriv) =
        ["/usr/bin/setpriv", "/bin/setpriv"].into_iter().find(|path| Path::new(path).exists())
    else {
        return skipping::missing("setpriv", "install util-linux");
    };
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let (tests, guard) = (folder.path().join("tests"), folder.path().join("guard"));
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    fs::copy(self::guard(), &guard).unwrap();
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    chown(&scratch, Some(NOBODY), Some(NOBODY)).unwrap();
    let nobody = NOBODY.to_string();
    let mut args =
        vec!["--reuid", &nobody, "--regid", &nobody, "--clear-groups", tests.to_str().unwrap()];
    args.extend(["--exact", "--test-threads", "1"]);
    args.extend(AGAIN);
    let ran = run_helper(&HelperCommand {
        program: setpriv.into(),
        args: args.into_iter().map(Into::into).collect(),
        env: vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("TMPDIR".into(), scratch.into()),
            (GUARD.into(), guard.into()),
        ],
        current_dir: "/".into(),
        deadline: Instant::now() + Duration::from_secs(240),
        stdout_max: 1 << 20,
    })
    .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr;
    assert_eq!(ran.end, HelperEnd::Exited(supervise::Exit::Code(0)), "{said}");
    assert!(said.contains("2 passed"), "{said}");
}
