//! The provider of the user's own Codex, with the real Codex: advice and turns reach it without a
//! word to the bridge.

use std::fs;
use std::path::Path;

use mock_model::{MockModel, Recorded, Reply};
use reqwest::Method;
use serde_json::json;
use tests::harness::{Daemon, DaemonBuilder, codex_bin, send};

use crate::fixture::{advised, question, verdict};

/// A key that looks like nothing.
const KEY: &str = "correct-horse-battery-staple";

/// A gateway of a company: a key of its own, headers from the file and from the environment.
const GATEWAY: &str = r#"
model_provider = "gateway"
model = "gpt-5.5"
[model_providers.gateway]
name = "Gateway"
base_url = "{URL}"
env_key = "GATEWAY_KEY"
http_headers = { "x-team" = "inline-horse-battery" }
env_http_headers = { "x-user" = "GATEWAY_USER" }
"#;

/// As Azure is reached: a version in the query, the key in a header.
const AZURE: &str = r#"
model_provider = "azure"
model = "my-deployment"
[model_providers.azure]
name = "Azure"
base_url = "{URL}"
wire_api = "responses"
query_params = { api-version = "2025-04-01-preview" }
env_http_headers = { "api-key" = "GATEWAY_KEY" }
"#;

/// A server on this machine that asks for nothing.
const LOCAL: &str = r#"
model_provider = "mine"
[model_providers.mine]
name = "Mine"
base_url = "{URL}"
"#;

async fn fixture(
    config: &str,
    more: impl FnOnce(DaemonBuilder) -> DaemonBuilder,
) -> Option<(MockModel, Daemon)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex);
    let home = builder.folder().home().join(".codex");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), config.replace("{URL}", &mock.base_url())).unwrap();
    Some((mock, more(builder).start().await.unwrap()))
}

fn with_key(builder: DaemonBuilder) -> DaemonBuilder {
    builder.env("GATEWAY_KEY", KEY).env("GATEWAY_USER", "ann")
}

fn header<'r>(request: &'r Recorded, name: &str) -> Option<&'r str> {
    let found = request.headers.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

/// Advice, then a turn of the user's own; the requests of both.
async fn both(mock: &MockModel, daemon: &Daemon) -> [Recorded; 2] {
    advised(daemon, &question("Which queue?")).await;
    let turn = json!({ "prompt": "hello", "workspace": daemon.folder().work(), "mode": "exec" });
    let request = daemon.orchestrator().request(Method::POST, "/orchestrate").json(&turn);
    let answer = send(request).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    let requests = mock.requests();
    assert_eq!(requests.len(), 2);
    requests.try_into().unwrap()
}

/// What stands in files below a folder, the store and the threads of Codex included.
fn files(folder: &Path, seen: &mut Vec<u8>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => files(&path, seen),
            false => seen.extend(fs::read(path).unwrap_or_default()),
        }
    }
}

#[tokio::test]
async fn a_gateway_with_a_key_and_headers_of_its_own_is_reached() {
    let Some((mock, daemon)) = fixture(GATEWAY, with_key).await else { return };
    for request in both(&mock, &daemon).await {
        assert_eq!(header(&request, "authorization"), Some(&*format!("Bearer {KEY}")));
        assert_eq!(header(&request, "x-team"), Some("inline-horse-battery"));
        assert_eq!(header(&request, "x-user"), Some("ann"));
        assert_eq!(request.json()["model"], "gpt-5.5");
    }
    let mut kept = Vec::new();
    files(&daemon.state(), &mut kept);
    for place in [String::from_utf8_lossy(&kept).into_owned(), daemon.log()] {
        assert!(!place.is_empty() && !place.contains(KEY));
        assert!(!place.contains("inline-horse-battery"));
    }
}

#[tokio::test]
async fn a_version_in_the_query_and_a_key_in_a_header_are_sent() {
    let Some((mock, daemon)) = fixture(AZURE, with_key).await else { return };
    for request in both(&mock, &daemon).await {
        assert_eq!(request.path, "/v1/responses?api-version=2025-04-01-preview");
        assert_eq!(header(&request, "api-key"), Some(KEY));
        assert_eq!(header(&request, "authorization"), None);
        assert_eq!(request.json()["model"], "my-deployment");
    }
}

#[tokio::test]
async fn a_server_that_asks_for_no_key_is_reached_and_a_change_of_it_counts_at_once() {
    let Some((mock, daemon)) = fixture(LOCAL, |builder| builder).await else { return };
    for request in both(&mock, &daemon).await {
        assert_eq!(header(&request, "authorization"), None);
    }
    let other = MockModel::local(Reply::Advice).await.unwrap();
    let file = daemon.folder().home().join(".codex/config.toml");
    fs::write(file, LOCAL.replace("{URL}", &other.base_url())).unwrap();
    advised(&daemon, &question("And now?")).await;
    assert_eq!((mock.request_count(), other.request_count()), (2, 1));
}

#[tokio::test]
async fn a_key_that_the_daemon_does_not_have_is_named_with_its_provider() {
    let Some((mock, daemon)) = fixture(GATEWAY, |builder| builder).await else { return };
    let answer = daemon.client().analyze(&question("Which queue?")).await.unwrap();
    assert_eq!(verdict(&answer), "502 auth");
    let message = answer.body["error"]["message"].as_str().unwrap();
    assert!(message.contains("GATEWAY_KEY") && message.contains("`gateway`"), "{message}");
    assert_eq!(mock.request_count(), 0);
}
