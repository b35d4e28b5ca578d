//! `--start`: a daemon from nothing, which stays, and is ended by the test.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::failure::FailureCode;
use rustix::process::{Pid, Signal, getsid, kill_process};
use tests::harness::{StateDir, install, survivors, wait_until};

use crate::fixture::{Advisor, LIMIT, question};

/// The two programs side by side, as they are installed, and a user who has no daemon.
struct Installed {
    folder: StateDir,
    bin: PathBuf,
}

impl Installed {
    fn new() -> Self {
        let folder = StateDir::new().unwrap();
        let bin = folder.work().join("bin");
        fs::create_dir(&bin).unwrap();
        let link = |built: &str, name: &str| install(built, &bin.join(name)).unwrap();
        link(env!("CARGO_BIN_EXE_advisor-under-test"), "codex-advisor");
        link(env!("CARGO_BIN_EXE_bridge-under-test"), "codex-bridge");
        let codex = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
        codex_bridge::proof::assume(&folder.state(), codex, None).unwrap();
        // Nobody can be there, and without it the default port would be asked.
        fs::write(folder.state().join("address"), "http://127.0.0.1:1\n").unwrap();
        Self { folder, bin }
    }

    fn advisor(&self) -> Advisor {
        Advisor::of(&self.folder)
            .program(&self.bin.join("codex-advisor"))
            .env("CODEX_BRIDGE_LISTEN", "127.0.0.1:0")
            .env("CODEX_BRIDGE_CODEX_BIN", env!("CARGO_BIN_EXE_fake-codex"))
    }

    fn mark(&self) -> String {
        self.folder.root().display().to_string()
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        for survivor in survivors(&self.mark()) {
            let pid = i32::try_from(survivor.pid).ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        }
    }
}

#[tokio::test]
async fn a_daemon_is_started_once_and_stays() {
    let installed = Installed::new();
    let advisor = installed.advisor();
    let told = advisor.tell(&["ask", "--start"], &question("ok")).await;
    let said = told.stderr.clone();
    told.json(0);
    let number = said.split("(process ").nth(1).and_then(|rest| rest.split(')').next());
    let pid = Pid::from_raw(number.unwrap_or_else(|| panic!("{said}")).parse().unwrap()).unwrap();
    assert_eq!(getsid(Some(pid)).unwrap(), pid, "a session of its own");
    let folder = fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero())).unwrap();
    assert_eq!(folder.to_str(), Some("/"));

    let again = advisor.tell(&["ask", "--start"], &question("ok")).await;
    assert!(!again.stderr.contains("started"), "{}", again.stderr);
    again.json(0);
    advisor.json(&["status"], "", 0).await;
    let log = fs::read_to_string(installed.folder.state().join("daemon.log")).unwrap();
    assert!(!log.is_empty());

    kill_process(pid, Signal::TERM).unwrap();
    let ended = wait_until(LIMIT, || survivors(&installed.mark()).is_empty()).await;
    assert!(ended, "{:?}", survivors(&installed.mark()));
}

#[tokio::test]
async fn the_log_of_a_started_daemon_begins_anew_when_it_is_full() {
    let installed = Installed::new();
    let state = installed.folder.state();
    let (log, old) = (state.join("daemon.log"), state.join("daemon.log.old"));
    let full = "x".repeat(8 * 1024 * 1024);
    fs::write(&log, &full).unwrap();
    fs::set_permissions(&log, fs::Permissions::from_mode(0o644)).unwrap();
    // What is in the place of the old file is replaced and not written through.
    let elsewhere = installed.folder.work().join("elsewhere");
    fs::write(&elsewhere, "theirs").unwrap();
    symlink(&elsewhere, &old).unwrap();

    installed.advisor().tell(&["ask", "--start"], &question("ok")).await.json(0);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs");
    let kept = fs::read_to_string(&old).unwrap();
    assert!(kept.starts_with(&full) && kept.len() < full.len() + 4096, "{}", kept.len());
    let fresh = fs::read_to_string(&log).unwrap();
    assert!(fresh.contains("listening on") || kept.contains("listening on"), "{fresh}");
    assert!(fresh.contains("request POST /analyze ended"), "it goes on in the new file: {fresh}");
    for path in [&log, &old] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
}

#[tokio::test]
async fn a_log_that_is_a_link_is_not_written_through() {
    let installed = Installed::new();
    let log = installed.folder.state().join("daemon.log");
    let elsewhere = installed.folder.work().join("elsewhere");
    fs::write(&elsewhere, "theirs").unwrap();
    for is_symbolic in [true, false] {
        match is_symbolic {
            true => symlink(&elsewhere, &log).unwrap(),
            false => fs::hard_link(&elsewhere, &log).unwrap(),
        }
        let failure =
            installed.advisor().tell(&["ask", "--start"], &question("ok")).await.failure(3);
        assert!(failure.error.message.contains("could not be started"), "{failure:?}");
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs");
        assert_eq!(survivors(&installed.mark()), []);
        fs::remove_file(&log).unwrap();
    }
}

#[tokio::test]
async fn a_daemon_that_cannot_start_says_why() {
    let installed = Installed::new();
    let advisor = installed.advisor().env("CODEX_BRIDGE_LISTEN", "nonsense");
    let failure = advisor.tell(&["ask", "--start"], &question("ok")).await.failure(3);
    assert_eq!(failure.error.code, FailureCode::BridgeUnreachable);
    let message = failure.error.message;
    assert!(message.contains("could not be started"), "{message}");
    assert!(message.contains("nonsense"), "the log's end: {message}");

    let program = installed.bin.join("codex-bridge");
    fs::remove_file(&program).unwrap();
    fs::write(&program, "no program").unwrap();
    let failure = installed.advisor().tell(&["ask", "--start"], &question("ok")).await.failure(3);
    let message = failure.error.message;
    let path = program.display().to_string();
    assert!(message.contains(&path) && message.contains("could not be started"), "{message}");
}

#[tokio::test]
async fn without_the_program_there_is_nothing_to_start() {
    let installed = Installed::new();
    fs::remove_file(installed.bin.join("codex-bridge")).unwrap();
    // One on the PATH, in the working folder or in a folder that a variable names is not ours.
    let elsewhere = installed.folder.work().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    install(env!("CARGO_BIN_EXE_bridge-under-test"), &elsewhere.join("codex-bridge")).unwrap();
    let advisor = installed.advisor().env("PATH", &elsewhere);
    let advisor = advisor.env("CODEX_BRIDGE_BIN_DIR", &elsewhere);
    let failure = advisor.tell(&["ask", "--start"], &question("ok")).await.failure(3);
    let message = failure.error.message;
    let wanted = installed.bin.join("codex-bridge").display().to_string();
    assert!(message.contains("install it beside") && message.contains(&wanted), "{message}");
    assert_eq!(survivors(&installed.mark()), []);
}

#[tokio::test]
async fn nothing_is_started_unasked() {
    let installed = Installed::new();
    installed.advisor().json(&["ask"], &question("ok"), 3).await;
    assert!(!installed.folder.state().join("daemon.log").exists());
    let left = wait_until(Duration::from_secs(30), || survivors(&installed.mark()).is_empty());
    assert!(left.await);
}
