//! `codex-bridge open`.

use std::process::{Command, Output};

use serde_json::Value;
use tests::harness::{Daemon, built};

use crate::fixture::{Browser, Link, builder, daemon};

/// Runs `codex-bridge open` with the daemon's environment.
#[expect(clippy::disallowed_methods, reason = "a test plays the user, who starts it")]
async fn open(daemon: &Daemon, words: &[&str]) -> Output {
    let mut command = Command::new(built("bridge-under-test").unwrap());
    command.arg("open").args(words).env_clear();
    command.env("CODEX_BRIDGE_STATE_DIR", daemon.folder().state());
    command.env("HOME", daemon.folder().home());
    command.env("PATH", daemon.folder().work());
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn a_link_is_printed_and_opens_the_pages() {
    let daemon = daemon().await;
    let output = open(&daemon, &["--print"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let link = Link::read(&Value::from(text(&output.stdout).trim_end()));
    assert!(link.host.starts_with("cb-") && link.host.contains(".localhost:"), "{}", link.host);
    let mut browser = Browser::new(&daemon, &link.host);
    assert_eq!(browser.enter(&link.code).await.status, 303);

    // Without a screen there is no browser: the link is said instead.
    let output = open(&daemon, &[]).await;
    assert!(text(&output.stderr).contains("no browser was opened: there is no screen"));
    assert!(text(&output.stdout).starts_with("http://cb-"));

    let output = open(&daemon, &["--address", "--json"]).await;
    assert!(text(&output.stderr).contains("the session's cookie to every other server"));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let link = Link::read(&told["url"]);
    assert_eq!(link.host, daemon.client().address());
    assert_eq!((&told["expires_in_ms"], &told["opened"]), (&60_000.into(), &false.into()));
    let mut by_address = Browser::new(&daemon, &link.host);
    assert_eq!(by_address.enter(&link.code).await.status, 303);
    by_address.page("/").await;
}

#[tokio::test]
async fn every_browser_is_signed_out() {
    let daemon = daemon().await;
    let browsers = [Browser::signed_in(&daemon).await, Browser::signed_in(&daemon).await];
    let output = open(&daemon, &["--revoke"]).await;
    assert_eq!(text(&output.stdout), "signed out: 2\n", "{}", text(&output.stderr));
    for browser in browsers {
        assert_eq!(browser.get("/").await.status, 401);
    }
    let output = open(&daemon, &["--revoke", "--json"]).await;
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["closed"], 0);
}

#[tokio::test]
async fn what_cannot_be_opened_is_said() {
    let daemon = builder().env("CODEX_BRIDGE_WINDOW", "false").start().await.unwrap();
    let output = open(&daemon, &["--print"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("not_found"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
}
