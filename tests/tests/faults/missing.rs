//! Codex is missing or unusable.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use tests::harness::DaemonBuilder;

use crate::fixture::{ask, fake_codex, question, signed_in};

const DEADLINE: Duration = Duration::from_secs(20);

/// The promise for an answer that needs no process.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Row 1.
#[tokio::test]
async fn a_missing_codex_is_said_at_once_and_found_once_it_is_there() {
    let builder = signed_in(DaemonBuilder::new().unwrap());
    let codex = builder.folder().work().join("codex");
    let daemon = builder.codex(&codex).start().await.unwrap();
    let input = question("ok", DEADLINE);
    let mut quickest = Duration::MAX;
    // The best of some: another process may have the machine for a moment.
    for _ in 0..5 {
        let asked = ask(&daemon, &input).await;
        assert_eq!(asked.verdict(), "503 codex_not_found, 0 attempts");
        assert_eq!(asked.answer.body["error"]["fallback"], "CODEX_FALLBACK");
        quickest = quickest.min(asked.took);
    }
    assert!(quickest < AT_ONCE, "{quickest:?}");
    let ready = daemon.client().get("/readyz").await.unwrap();
    assert_eq!(ready.status, 503);
    let checks = ready.body["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == "codex_found").unwrap();
    assert_eq!(found["ok"], false);
    assert!(found["hint"].as_str().unwrap().contains("`codex.bin`"), "{found}");

    fs::write(&codex, "").unwrap();
    fs::set_permissions(&codex, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(ask(&daemon, &input).await.verdict(), "503 codex_not_found, 0 attempts");

    fs::remove_file(&codex).unwrap();
    codex_bridge::proof::assume(&daemon.state(), fake_codex(), None).unwrap();
    std::os::unix::fs::symlink(fake_codex(), &codex).unwrap();
    assert_eq!(ask(&daemon, &input).await.verdict(), "200 advice, 1 attempts");
    assert_eq!(daemon.client().get("/readyz").await.unwrap().status, 200);

    fs::remove_file(&codex).unwrap();
    assert_eq!(ask(&daemon, &input).await.verdict(), "503 codex_not_found, 0 attempts");
}

/// Row 1: what is there is no program of this machine, or not a Codex.
#[tokio::test]
async fn what_is_not_codex_is_named_for_what_it_is() {
    let builder = signed_in(DaemonBuilder::new().unwrap());
    let codex = builder.folder().work().join("codex");
    install(&codex, "neither a script nor a program");
    let daemon = builder.codex(&codex).start().await.unwrap();
    let input = question("ok", DEADLINE);
    let asked = ask(&daemon, &input).await;
    assert_eq!(asked.answer.status, 503, "{asked:?}");
    assert_eq!(asked.answer.body["meta"]["attempts"], 0);

    install(&codex, "#!/nonexistent/interpreter\n");
    let asked = ask(&daemon, &input).await;
    assert_eq!(asked.answer.status, 503, "{asked:?}");

    install(&codex, "#!/bin/sh\necho 'another program 1.0'\n");
    assert_eq!(ask(&daemon, &input).await.verdict(), "503 codex_incompatible, 0 attempts");

    install(&codex, "#!/bin/sh\necho 'codex-cli 0.127.0'\n");
    assert_eq!(ask(&daemon, &input).await.verdict(), "503 codex_incompatible, 0 attempts");
}

/// Row 1: a Codex that does not even say its version holds nobody up beyond the deadline.
#[tokio::test]
async fn a_codex_that_hangs_when_it_is_looked_at_is_not_waited_for() {
    let builder = signed_in(DaemonBuilder::new().unwrap());
    let codex = builder.folder().work().join("codex");
    install(&codex, "#!/bin/sh\nexec tail -f /dev/null\n");
    let daemon = builder.codex(&codex).start().await.unwrap();
    let asked = ask(&daemon, &question("ok", Duration::from_secs(2))).await;
    assert_eq!(asked.verdict(), "504 timeout, 0 attempts");
}

/// Row 13: that nobody is signed in is found before a turn is begun, and mended without a restart.
#[tokio::test]
async fn a_missing_sign_in_is_found_before_codex_is_asked() {
    let builder = DaemonBuilder::new().unwrap();
    let codex = builder.folder().work().join("codex");
    let login = codex.with_file_name("fake-codex.login");
    fs::hard_link(fake_codex(), &codex).unwrap();
    fs::write(&login, "Not logged in").unwrap();
    let daemon = builder.codex(&codex).start().await.unwrap();
    let asked = ask(&daemon, &question("ok", DEADLINE)).await;
    assert_eq!(asked.verdict(), "502 auth, 0 attempts");
    assert_eq!(asked.summary(), "Not logged in");
    fs::remove_file(login).unwrap();
    let asked = ask(&daemon, &question("ok", DEADLINE)).await;
    assert_eq!(asked.verdict(), "200 advice, 1 attempts");
}

fn install(path: &Path, content: &str) {
    let _ = fs::remove_file(path);
    fs::write(path, content).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}
