//! What these tests share: a daemon, its MCP server's command line, and questions.

use std::time::Duration;

use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder, StateDir, built, wait_until_some};
use tests::peers::{mcp_client, node};

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A daemon with the stand-in for Codex.
pub(crate) async fn daemon() -> Daemon {
    DaemonBuilder::with_fake_codex().unwrap().start().await.unwrap()
}

/// A first round. The stand-in reads its mode from the problem: `fake-codex: MODE`.
pub(crate) fn question(problem: &str) -> Value {
    json!({
        "problem": problem,
        "context": "three services, one database",
        "candidate_plans": [
            { "name": "outbox", "description": "Write, then publish.", "assumptions": ["one writer"] },
            { "name": "two-phase", "description": "Agree before writing." },
        ],
        "phase": "initial",
    })
}

/// A call of `consult_advisor`.
pub(crate) fn consult(arguments: &Value) -> Value {
    json!({ "do": "call", "name": "consult_advisor", "arguments": arguments })
}

/// A call of `get_run`.
pub(crate) fn get_run(arguments: &Value) -> Value {
    json!({ "do": "call", "name": "get_run", "arguments": arguments })
}

/// The environment of a server that looks for its daemon in these folders.
pub(crate) fn environment(folder: &StateDir) -> Vec<(String, String)> {
    let path = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    vec![
        ("HOME".to_owned(), path(folder.home())),
        ("CODEX_BRIDGE_STATE_DIR".to_owned(), path(folder.state())),
    ]
}

/// The official SDK takes these steps with a server for these folders; the outcome of each, or `None`
/// where the SDK is not installed.
pub(crate) async fn play(folder: &StateDir, words: &[&str], steps: &[Value]) -> Option<Vec<Value>> {
    let script = mcp_client()?;
    let environment: serde_json::Map<String, Value> =
        environment(folder).into_iter().map(|(name, value)| (name, value.into())).collect();
    let arguments: Vec<&str> = ["mcp"].iter().chain(words).copied().collect();
    let input = json!({
        "command": built("bridge-under-test").unwrap(),
        "args": arguments,
        "env": environment,
        "steps": steps,
    });
    let mut played = node(&script, &input).await.unwrap();
    assert_eq!(played["errors"], json!([]));
    let Value::Array(outcomes) = played["outcomes"].take() else { panic!("{played}") };
    assert_eq!(outcomes.len(), steps.len());
    Some(outcomes)
}

/// The only run of the daemon, once it is in this state.
pub(crate) async fn the_run(daemon: &Daemon, state: &str) -> Value {
    let run = wait_until_some(LIMIT, async || {
        let page = daemon.client().get("/runs").await.unwrap();
        let runs = page.body["runs"].as_array().unwrap();
        assert!(runs.len() < 2, "{runs:?}");
        runs.first().filter(|run| run["state"] == state).cloned()
    });
    run.await.unwrap_or_else(|| panic!("no run is {state}"))
}
