//! The harness itself: it must find every surviving process, or the other tests prove little.
#![expect(clippy::disallowed_methods, reason = "tests")]

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use contract::failure::{Failure, FailureCode};
use serde_json::json;
use tests::harness::{Client, StateDir, survivors, wait_until};
use wiremock::matchers::{bearer_token, body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

#[tokio::test]
async fn a_marked_process_is_a_survivor_until_it_is_dead() {
    let mark = format!("mark-{}", std::process::id());
    let mut command = Command::new("sleep");
    command.arg("60").env("CODEX_BRIDGE_RUN", &mark).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();

    // Between fork and exec the child still shows this process's own environment.
    assert!(wait_until(Duration::from_secs(5), || !survivors(&mark).is_empty()).await);
    let found = survivors(&mark);
    assert_eq!((found[0].pid, found[0].command.as_str()), (child.id(), "sleep 60"));

    // Not yet reaped: a zombie does not count.
    child.kill().unwrap();
    assert!(wait_until(Duration::from_secs(5), || survivors(&mark).is_empty()).await);
    child.wait().unwrap();
}

#[test]
fn a_state_folder_is_private_and_goes_with_its_owner() {
    let folder = StateDir::new().unwrap();
    let (root, state) = (folder.root().to_owned(), folder.state());
    for path in [&root, &state] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700, "{path:?}");
    }
    assert!(!state.starts_with(folder.temp()));
    drop(folder);
    assert!(!root.exists());
}

#[tokio::test]
async fn a_client_sends_its_token_and_gives_back_whatever_comes() {
    let server = MockServer::start().await;
    let busy = Failure::new(FailureCode::Overloaded, "the queue is full");
    Mock::given(method("POST"))
        .and(path("/analyze"))
        .and(bearer_token("secret"))
        .and(header("prefer", "respond-async"))
        .and(body_json(json!({ "problem": "?" })))
        .respond_with(
            ResponseTemplate::new(503).insert_header("retry-after", "1").set_body_json(&busy),
        )
        .mount(&server)
        .await;
    Mock::given(path("/metrics"))
        .respond_with(ResponseTemplate::new(200).set_body_string("runs 1"))
        .mount(&server)
        .await;
    let client = Client::new(&server.address().to_string(), "secret").unwrap();

    let refused = client.analyze_async(&json!({ "problem": "?" })).await.unwrap();
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!((refused.code(), refused.failure().unwrap()), (Some(FailureCode::Overloaded), busy));

    let text = client.get("/metrics").await.unwrap();
    assert_eq!((text.body.as_str(), text.code()), (Some("runs 1"), None));
}
