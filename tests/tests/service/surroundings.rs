//! The operator's set-up: readiness reports what is missing, and the workspace rules are enforced.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder};

use crate::fixture::{advised, builder, question, verdict, with};

/// The checks that failed, as `(name, message, hint)`.
async fn failed_checks(daemon: &Daemon) -> Vec<(String, String, String)> {
    let answer = daemon.client().get("/readyz").await.unwrap();
    let checks = answer.body["checks"].as_array().unwrap();
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| check["ok"] == false)
        .map(|check| (text(check, "name"), text(check, "message"), text(check, "hint")))
        .collect();
    let status = if failed.is_empty() { 200 } else { 503 };
    assert_eq!((answer.status, &answer.body["ready"]), (status, &json!(failed.is_empty())));
    failed
}

/// The stand-in for Codex in a folder of its own, with what lies beside it.
fn codex_beside(builder: DaemonBuilder, file: &str, content: &str) -> DaemonBuilder {
    let folder = builder.folder().work();
    let codex = folder.join("codex");
    // No symbolic link: the daemon would follow it to where nothing lies beside.
    fs::hard_link(env!("CARGO_BIN_EXE_fake-codex"), &codex).unwrap();
    fs::write(folder.join(file), content).unwrap();
    builder.codex(&codex)
}

#[tokio::test]
async fn a_daemon_that_lacks_nothing_is_ready() {
    let daemon = builder().start().await.unwrap();
    assert_eq!(failed_checks(&daemon).await, []);
    let answer = daemon.client().get("/readyz").await.unwrap();
    let names: Vec<_> =
        answer.body["checks"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(
        names,
        [
            "state_writable",
            "queue_open",
            "codex_found",
            "codex_version",
            "codex_proof",
            "codex_home",
            "codex_driver",
            "sign_in",
        ]
    );
}

#[tokio::test]
async fn without_codex_readiness_and_the_answer_say_how_to_get_it() {
    let builder = DaemonBuilder::new().unwrap();
    let nowhere = builder.folder().work().join("codex");
    for (builder, hint) in [
        (builder.clone().codex(&nowhere), "let `codex.bin` name Codex's executable"),
        (builder.env("PATH", "/nowhere"), "npm install -g @openai/codex"),
    ] {
        let daemon = builder.start().await.unwrap();
        let failed = failed_checks(&daemon).await;
        let names: Vec<&str> = failed.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "codex_found",
                "codex_version",
                "codex_proof",
                "codex_home",
                "codex_driver",
                "sign_in",
            ]
        );
        assert!(failed[0].2.contains(hint), "{failed:?}");
        let answer = daemon.client().analyze(&question("fake-codex: ok")).await.unwrap();
        assert_eq!(verdict(&answer), "503 codex_not_found");
        assert_eq!(answer.body["error"]["fallback"], "CODEX_FALLBACK");
        assert_eq!(daemon.client().get("/healthz").await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn a_codex_that_appears_is_used_without_a_restart() {
    let builder = DaemonBuilder::new().unwrap();
    let codex = builder.folder().work().join("codex");
    let daemon = builder.codex(&codex).start().await.unwrap();
    assert_eq!(failed_checks(&daemon).await[0].0, "codex_found");
    let stand_in = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
    codex_bridge::proof::assume(&daemon.state(), stand_in, None).unwrap();
    symlink(stand_in, &codex).unwrap();
    assert_eq!(failed_checks(&daemon).await, []);
    advised(&daemon, &question("fake-codex: ok")).await;
}

#[tokio::test]
async fn a_codex_that_is_too_old_is_incompatible() {
    let old = codex_beside(DaemonBuilder::new().unwrap(), "fake-codex.version", "0.144.0");
    let daemon = old.start().await.unwrap();
    let failed = failed_checks(&daemon).await;
    assert_eq!(failed[0].0, "codex_version");
    assert!(failed[0].1.contains("0.144.0") && failed[0].1.contains("0.155.0"), "{failed:?}");
    let answer = daemon.client().analyze(&question("fake-codex: ok")).await.unwrap();
    assert_eq!(verdict(&answer), "503 codex_incompatible");
}

#[tokio::test]
async fn an_older_codex_without_fork_has_round_one_restated() {
    let old = codex_beside(DaemonBuilder::new().unwrap(), "fake-codex.version", "0.150.0");
    let daemon = old.start().await.unwrap();
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    let last = crate::fixture::second(&first, "fake-codex: flaky 1");
    let last = advised(&daemon, &last).await;
    let told = last.body["raw_text"].as_str().unwrap();
    assert!(told.contains("turn 1 of") && told.contains("prompts 1"), "{told}");
    assert!(last.body["meta"]["limits"].to_string().contains("restated"), "{:#}", last.body);
}

#[tokio::test]
async fn who_is_not_signed_in_gets_auth_without_an_attempt() {
    let signed_out =
        codex_beside(DaemonBuilder::new().unwrap(), "fake-codex.login", "Not logged in");
    let daemon = signed_out.start().await.unwrap();
    let failed = failed_checks(&daemon).await;
    assert_eq!(failed[0].0, "sign_in");
    assert!(failed[0].2.contains("codex login"), "{failed:?}");
    let answer = daemon.client().analyze(&question("fake-codex: ok")).await.unwrap();
    assert_eq!(
        (verdict(&answer).as_str(), &answer.body["meta"]["attempts"]),
        ("502 auth", &json!(0))
    );
}

async fn workspace_fault(daemon: &Daemon, workspace: impl AsRef<Path>) -> String {
    let asked = with(question("fake-codex: ok"), &json!({ "workspace": workspace.as_ref() }));
    let answer = daemon.client().analyze(&asked).await.unwrap();
    assert_eq!(verdict(&answer), "422 contract_violation", "{:#}", answer.body);
    let details = answer.body["error"]["details"].as_array().unwrap();
    let [fault] = details.as_slice() else { panic!("{details:?}") };
    assert_eq!(fault["path"], "/workspace");
    fault["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_workspace_is_refused_where_the_operator_has_not_allowed_it() {
    let daemon = builder().start().await.unwrap();
    let fault = workspace_fault(&daemon, daemon.folder().work()).await;
    assert!(fault.contains("no workspace"), "{fault}");
    assert_eq!(daemon.client().get("/runs").await.unwrap().body["runs"], json!([]));
}

#[tokio::test]
async fn a_workspace_lies_in_a_root_however_it_is_named() {
    let builder = builder();
    let (root, outside) = (builder.folder().work().join("root"), builder.folder().home());
    fs::create_dir_all(root.join("project")).unwrap();
    fs::create_dir(builder.folder().work().join("root-of-another")).unwrap();
    fs::write(root.join("file"), "").unwrap();
    symlink(&outside, root.join("leads-out")).unwrap();
    symlink(root.join("project"), outside.join("leads-in")).unwrap();
    let daemon = builder
        .env("CODEX_BRIDGE_CODEX_SHELL", "read-only")
        .env("CODEX_BRIDGE_CODEX_WORKSPACE_ROOTS", &root)
        .start()
        .await
        .unwrap();
    for workspace in [
        outside.clone(),
        root.join("leads-out"),
        root.join("project/../.."),
        root.with_file_name("root-of-another"),
        "/".into(),
    ] {
        let fault = workspace_fault(&daemon, &workspace).await;
        assert!(fault.contains("workspace_roots"), "{}: {fault}", workspace.display());
    }
    for missing in [root.join("nothing"), root.join("file")] {
        let fault = workspace_fault(&daemon, &missing).await;
        assert!(fault.contains("existing folder"), "{}: {fault}", missing.display());
    }
    let fault = workspace_fault(&daemon, "project").await;
    assert!(fault.contains("absolute path"), "{fault}");
    for workspace in [root.clone(), root.join("project"), outside.join("leads-in")] {
        let members = json!({ "workspace": workspace });
        advised(&daemon, &with(question("fake-codex: ok"), &members)).await;
    }
}
