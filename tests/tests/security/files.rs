//! The files of the state folder: who may read them, and what makes the daemon refuse to start.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use tests::harness::{DaemonBuilder, wait_until_some};

use crate::fixture::{builder, question};

const LIMIT: Duration = Duration::from_secs(20);

/// sysexits.h `EX_CONFIG`: no supervisor restarts it.
const CONFIG: i32 = 78;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

/// Starts a daemon that is to fail; its exit code and its log.
async fn refused(builder: &DaemonBuilder) -> (Option<i32>, String) {
    let mut child = builder.spawn().unwrap();
    let ended = wait_until_some(LIMIT, async || child.try_wait().unwrap()).await;
    let _ = child.kill();
    let _ = child.wait();
    (ended.and_then(|status| status.code()), builder.log())
}

#[tokio::test]
async fn the_token_is_made_once_private_and_kept() {
    let daemon = builder().start().await.unwrap();
    let path = daemon.folder().state().join("token");
    let made = fs::read_to_string(&path).unwrap();
    assert_eq!((mode(&path), made.trim().len()), (0o600, 43), "256 bits in base64");
    let daemon = daemon.restart().await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), made);
    assert_eq!(daemon.client().get("/runs").await.unwrap().status, 200);
    let other = builder().start().await.unwrap();
    assert_ne!(fs::read_to_string(other.folder().state().join("token")).unwrap(), made);
}

#[tokio::test]
async fn a_token_that_others_could_know_stops_the_start() {
    let good = "t".repeat(43);
    let check = async |name: &str, prepare: &dyn Fn(&Path)| {
        let builder = builder();
        let path = builder.folder().state().join("token");
        prepare(&path);
        let before = fs::read(&path).ok();
        let (code, log) = refused(&builder).await;
        assert_eq!(code, Some(CONFIG), "{name}: {log}");
        assert!(log.contains("token"), "{name}: {log}");
        assert!(!log.contains(&good), "{name}: {log}");
        assert_eq!(fs::read(&path).ok(), before, "{name}: it was changed");
    };
    let write = |path: &Path, text: &str, mode: u32| {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    };
    check("readable by the group", &|path| write(path, &good, 0o640)).await;
    check("readable by others", &|path| write(path, &good, 0o604)).await;
    check("writable by the group", &|path| write(path, &good, 0o620)).await;
    check("empty", &|path| write(path, "", 0o600)).await;
    check("short", &|path| write(path, "secret", 0o600)).await;
    check("no text", &|path| write(path, &"\u{0}".repeat(43), 0o600)).await;
    check("a link", &|path| {
        let target = path.with_file_name("other");
        write(&target, &good, 0o600);
        symlink(target, path).unwrap();
    })
    .await;
    check("a dangling link", &|path| symlink("/nowhere/token", path).unwrap()).await;
    check("a folder", &|path| fs::create_dir(path).unwrap()).await;
}

#[tokio::test]
async fn a_state_folder_that_others_can_write_stops_the_start() {
    let builder = builder().unproven();
    let state = builder.folder().state();
    for open in [0o770, 0o707, 0o777] {
        fs::set_permissions(&state, Permissions::from_mode(open)).unwrap();
        let (code, log) = refused(&builder).await;
        assert_eq!(code, Some(CONFIG), "{open:o}: {log}");
    }
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0, "nothing was written into it");
    fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test]
async fn nothing_in_the_state_folder_is_anyone_elses_to_read() {
    let builder = builder();
    let state = builder.folder().work().join("new/state");
    // Also where the user's umask would let others in.
    let daemon = builder.env("CODEX_BRIDGE_STATE_DIR", &state).unproven();
    let daemon = daemon.arg("--set").arg("codex.allow_unproven=true");
    let child = daemon.spawn().unwrap();
    let address = wait_until_some(LIMIT, async || fs::read_to_string(state.join("address")).ok());
    let address = address.await.unwrap();
    let token = fs::read_to_string(state.join("token")).unwrap();
    let client =
        tests::harness::Client::new(address.trim().trim_start_matches("http://"), token.trim());
    let answer = client.unwrap().analyze(&question("fake-codex: ok")).await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(mode(&state), 0o700);
    assert_eq!(mode(&state.join("codex-home")), 0o700);
    assert_eq!(mode(&state.join("runs")), 0o700);
    let mut seen = Vec::new();
    for entry in fs::read_dir(&state).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        assert_eq!(mode(&path) & 0o077, 0, "{name}: {:o}", mode(&path));
        seen.push(name);
    }
    for expected in ["state.sqlite", "state.sqlite-wal", "token", "codex-home"] {
        assert!(seen.iter().any(|name| name == expected), "{expected} in {seen:?}");
    }
    let mut child = child;
    child.kill().unwrap();
    child.wait().unwrap();
}
