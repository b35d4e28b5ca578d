//! What pm2 keeps of the shell it was called from.

use std::fs;

use crate::fixture::{Pm2, ecosystem, question};

const CANARY: &str = "canary-9b1d-of-the-shell";

#[tokio::test]
async fn nothing_of_the_shell_is_kept_but_what_is_named() {
    let Some(pm2) = Pm2::new() else { return };
    let pm2 = pm2.env("SOME_API_KEY", CANARY).env("CODEX_BRIDGE_MAX_QUEUED", "7");
    pm2.start().await;
    pm2.run(&["save"]).await;
    let dump = fs::read_to_string(pm2.home().join("dump.pm2")).unwrap();
    assert!(dump.contains("codex-bridge"), "{dump}");
    assert!(!dump.contains(CANARY), "{dump}");
    assert!(!dump.contains("SOME_API_KEY"), "{dump}");
    let app = pm2.app().await;
    let environment = fs::read(format!("/proc/{}/environ", app.pid)).unwrap();
    let environment = String::from_utf8_lossy(&environment);
    assert!(environment.contains("CODEX_BRIDGE_MAX_QUEUED=7"), "{environment}");
    assert!(!environment.contains(CANARY), "{environment}");
    let answer = pm2.client().await.analyze(&question("ok")).await.unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Where a secret would have to be passed on, the settings refuse and say what to do instead.
#[tokio::test]
async fn a_secret_that_only_the_environment_holds_is_refused() {
    for (name, instead) in [
        ("CODEX_BRIDGE_TOKEN", "the token lies in the state folder"),
        ("CODEX_BRIDGE_CODEX_API_KEY_ENV", "CODEX_BRIDGE_CODEX_API_KEY_FILE"),
    ] {
        let Some(pm2) = Pm2::new() else { return };
        let pm2 = pm2.env(name, CANARY);
        let settings = ecosystem();
        let status = pm2.ended(pm2.spawn(&["start".as_ref(), settings.as_os_str()])).await;
        assert!(!status.success());
        let printed = pm2.printed_text();
        assert!(
            printed.contains(&format!("unset {name}")) && printed.contains(instead),
            "{printed}"
        );
        assert!(!printed.contains(CANARY), "{printed}");
    }
}
