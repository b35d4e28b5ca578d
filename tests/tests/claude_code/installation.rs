//! Getting the plugin into the client: its files are valid, it loads, it can be installed offline, and
//! without our programs it says so.

use std::fs;
use std::path::PathBuf;

use contract::failure::{Failure, FailureCode, Fallback};
use serde_json::{Value, json};
use tests::claude::{Finished, claude_bin};
use tests::harness::StateDir;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{assert_smooth, bash, client, plugin, shown, silent_model, top, with_plugin};

#[tokio::test]
async fn the_plugin_and_the_marketplace_are_valid_to_the_letter() {
    let Some(claude) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    for path in [plugin(), top().join("skill/context/plugin"), top()] {
        let words = ["plugin", "validate", "--strict"];
        let finished = client(&claude, &folder).args(words).arg(&path).run().await.unwrap();
        assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
    }
}

/// A prompt passes through no program of ours unless somebody asked for the plugin that has the hook.
#[test]
fn the_advisors_plugin_registers_no_hook() {
    assert!(!plugin().join("hooks/hooks.json").exists());
    let manifest = fs::read_to_string(plugin().join(".claude-plugin/plugin.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["hooks"], Value::Null);
}

#[tokio::test]
async fn the_plugin_loads_whole_from_its_folder() {
    let Some(claude) = claude_bin() else { return };
    let (folder, api) = (StateDir::new().unwrap(), silent_model().await);
    let claude = with_plugin(client(&claude, &folder)).api(&api);
    let finished = claude.prompt("hello").await.unwrap();
    assert_smooth(&finished, "done");
    assert_whole(&finished, &api);
}

#[tokio::test]
async fn it_is_added_as_a_marketplace_and_installed_without_a_network() {
    let Some(claude) = claude_bin() else { return };
    let (folder, api) = (StateDir::new().unwrap(), silent_model().await);
    let claude = client(&claude, &folder).api(&api);
    for words in [
        &["plugin", "marketplace", "add", top().to_str().unwrap()][..],
        &["plugin", "install", "codex-bridge@codex-bridge"],
    ] {
        let finished = claude.clone().args(words).run().await.unwrap();
        assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
    }
    let settings = fs::read_to_string(claude.home().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings["enabledPlugins"], json!({"codex-bridge@codex-bridge": true}));

    let finished = claude.prompt("hello").await.unwrap();
    assert_smooth(&finished, "done");
    assert_whole(&finished, &api);
}

#[tokio::test]
async fn a_missing_program_is_a_definite_failure_with_the_fallback() {
    let Some(claude) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let script = Script::new().main(|_| bash("codex-advisor runs --json")).main(|request| {
        let failure: Failure = serde_json::from_value(shown(request)).unwrap();
        assert_eq!(failure.error.code, FailureCode::BridgeUnreachable);
        assert_eq!(failure.error.kind, failure.error.code.kind());
        assert_eq!(failure.error.fallback, Some(Fallback::CodexFallback));
        assert!(failure.error.message.contains("CODEX_BRIDGE_BIN_DIR"));
        assert!(request.last_result().starts_with("Exit code 3\n"));
        Reply::text("CODEX_FALLBACK: my own analysis")
    });
    let api = MessagesApi::start(script).await.unwrap();
    let nowhere: PathBuf = folder.root().join("nowhere");
    let claude = with_plugin(client(&claude, &folder)).env("CODEX_BRIDGE_BIN_DIR", nowhere);
    let finished = claude.api(&api).prompt("ask").await.unwrap();
    assert_smooth(&finished, "CODEX_FALLBACK: my own analysis");
}

/// Every part of the plugin is there, and the model is told of the skill and the tools.
fn assert_whole(finished: &Finished, api: &MessagesApi) {
    let init = finished.init().unwrap();
    assert_eq!(init["plugin_errors"], Value::Null, "{init:#}");
    let plugins: Vec<&str> = names(&init["plugins"]);
    assert_eq!(plugins, ["codex-bridge"]);
    let commands = init["slash_commands"].as_array().unwrap();
    assert!(commands.contains(&json!("codex-bridge:consult")), "{commands:?}");
    let servers = init["mcp_servers"].as_array().unwrap();
    assert_eq!(names(&init["mcp_servers"]), ["plugin:codex-bridge:bridge"], "{servers:?}");
    let requests = api.requests();
    let told = requests[0].everything();
    assert!(told.contains("codex-bridge:codex-advisor: Ask Codex"), "{told}");
    assert!(told.contains("Not for single-file changes or obvious bug fixes"), "{told}");
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}
