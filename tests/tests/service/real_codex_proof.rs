//! Every Codex is proven before it is trusted: what the self-test finds of real ones, old and new,
//! and of wrappers around them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::panic::AssertUnwindSafe;

use codex_bridge::proof::TESTED;
use futures_util::FutureExt as _;
use mock_model::{MockModel, Reply};
use serde_json::Value;
use tests::harness::{Daemon, DaemonBuilder, Newest, codex_bin, codex_versions, newest_codex};

use crate::fixture::{advised, question, second, verdict};

/// A daemon that has to look at this Codex itself.
async fn fixture(mock: &MockModel, codex: &std::path::Path) -> DaemonBuilder {
    DaemonBuilder::new().unwrap().codex(codex).mock_model(mock).unproven()
}

/// The real Codex behind a script that does `first`; `None` where there is none.
async fn wrapped(first: &str) -> Option<(MockModel, DaemonBuilder)> {
    let real = codex_bin()?;
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let builder = fixture(&mock, &real).await;
    let wrapper = builder.folder().work().join("codex");
    let script = format!("#!/bin/sh\n{first}\nexec '{}' \"$@\"\n", real.display());
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, Permissions::from_mode(0o755)).unwrap();
    Some((mock, builder.codex(&wrapper)))
}

/// The check of that name.
async fn check(daemon: &Daemon, name: &str) -> Value {
    let ready = daemon.client().get("/readyz").await.unwrap().body;
    let checks = ready["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap().clone()
}

/// Refused, with this said; where the operator allows it, used, with this said in each answer.
async fn refused(first: &str, reason: &str) {
    let Some((mock, builder)) = wrapped(first).await else { return };
    let daemon = builder.clone().start().await.unwrap();
    let answer = daemon.client().analyze(&question("Which queue?")).await.unwrap();
    assert_eq!(verdict(&answer), "503 codex_incompatible");
    let message = answer.body["error"]["message"].as_str().unwrap();
    assert!(message.contains(reason), "{message}");
    assert_eq!(mock.request_count(), 0, "no provider was asked");
    let check = check(&daemon, "codex_proof").await;
    assert_eq!(check["ok"], false);
    assert!(check["message"].as_str().unwrap().contains(reason), "{check}");
    let metrics = daemon.client().get("/metrics").await.unwrap().body.to_string();
    assert!(metrics.contains("refused"), "{metrics}");
    drop(daemon);

    let allowed = builder.env("CODEX_BRIDGE_CODEX_ALLOW_UNPROVEN", "true");
    let daemon = allowed.start().await.unwrap();
    let answer = advised(&daemon, &question("Which queue?")).await;
    let limits = answer.body["meta"]["limits"].to_string();
    assert!(limits.contains(reason) && limits.contains("codex.allow_unproven"), "{limits}");
}

#[tokio::test]
async fn a_codex_is_proven_once_and_shown_everywhere() {
    let Some(codex) = codex_bin() else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let daemon = fixture(&mock, &codex).await.start().await.unwrap();
    advised(&daemon, &question("Which queue?")).await;
    let shown = check(&daemon, "codex_proof").await["message"].as_str().unwrap().to_owned();
    assert!(shown.starts_with("0.169.0, tested, sha256 "), "{shown}");
    let metrics = daemon.client().get("/metrics").await.unwrap().body;
    let metrics = metrics.as_str().unwrap();
    assert!(metrics.contains(r#"codex_bridge_codex{version="0.169.0",digest=""#), "{metrics}");
    assert_eq!(mock.request_count(), 1, "the self-test asks no provider");

    let daemon = daemon.restart().await.unwrap();
    advised(&daemon, &question("And now?")).await;
    assert_eq!(check(&daemon, "codex_proof").await["message"], shown);
    assert_eq!(daemon.log().matches("passed the self-test").count(), 1, "{}", daemon.log());
}

/// Both rounds with this Codex; its version, and what the self-test says of it.
async fn both_rounds(builder: DaemonBuilder) -> (String, String) {
    let daemon = builder.start().await.unwrap();
    let first = advised(&daemon, &question("Which queue?")).await;
    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    let [first, last] = [&first.body["meta"]["codex"], &last.body["meta"]["codex"]];
    assert_eq!(first["thread_id"], last["thread_id"]);
    let shown = check(&daemon, "codex_proof").await["message"].to_string();
    assert!(!shown.contains("its log tells nothing"), "{shown}");
    (first["version"].as_str().unwrap().to_owned(), shown)
}

#[tokio::test]
async fn both_rounds_work_with_each_version_that_is_supported() {
    let Some(versions) = codex_versions() else { return };
    let mut seen = Vec::new();
    for codex in versions {
        let mock = MockModel::local(Reply::Advice).await.unwrap();
        let builder = fixture(&mock, &codex).await;
        // 0.145 has tools that no setting switches off; the operator may take it all the same.
        let builder = builder.env("CODEX_BRIDGE_CODEX_ALLOW_UNPROVEN", "true");
        let (version, shown) = both_rounds(builder).await;
        let tools: Vec<_> = mock.requests().iter().flat_map(|it| it.tools()).collect();
        if version == "0.145.0" {
            assert!(shown.contains("refused") && shown.contains("view_image"), "{shown}");
        } else {
            assert!(shown.contains(&format!("{version}, tested")), "{shown}");
            assert_eq!(tools, [""; 0], "{version}");
        }
        assert_eq!(mock.request_count(), 2, "one request a round");
        seen.push(version);
    }
    seen.sort();
    assert_eq!(seen, ["0.145.0", "0.155.0", "0.169.0"]);
}

/// A Codex that was released since is no fault of ours: what is wrong with it is a warning.
#[tokio::test]
async fn both_rounds_with_the_newest_codex_are_a_warning_where_they_fail() {
    let (codex, version) = match newest_codex(&TESTED) {
        Newest::Tested => return,
        Newest::Unknown(why) => return skipping::warn(&why),
        Newest::Installed { codex, version } => (codex, version),
    };
    let played = AssertUnwindSafe(async {
        let mock = MockModel::local(Reply::Advice).await.unwrap();
        let (seen, shown) = both_rounds(fixture(&mock, &codex).await).await;
        assert!(shown.contains("proven"), "{shown}");
        assert_eq!(mock.request_count(), 2, "one request a round");
        seen
    });
    match played.catch_unwind().await {
        Ok(seen) => assert_eq!(seen, version),
        Err(panic) => {
            let why = panic.downcast_ref::<String>().map_or("it failed", String::as_str);
            skipping::warn(&format!("both rounds with codex {version}, the newest: {why}"));
        }
    }
}

#[tokio::test]
async fn a_codex_whose_models_keep_their_tools_is_refused() {
    refused("[ \"$1\" = debug ] && exit 1", "codex did not print its model catalogue").await;
}

#[tokio::test]
async fn a_wrapper_that_lies_about_its_version_is_refused() {
    let lie = "[ \"$1\" = --version ] && echo 'codex-cli 0.170.0' && exit";
    refused(lie, "it prints version 0.170.0, and tells providers 0.169.0").await;
}

#[tokio::test]
async fn a_codex_without_a_log_is_used_and_the_lack_is_said() {
    let Some((_mock, builder)) = wrapped("export RUST_LOG=off").await else { return };
    let daemon = builder.start().await.unwrap();
    advised(&daemon, &question("Which queue?")).await;
    let shown = check(&daemon, "codex_proof").await["message"].to_string();
    assert!(shown.contains("only Codex's own idle limit and the deadline"), "{shown}");
}
