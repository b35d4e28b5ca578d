//! What the narrow rules let through, and what they leave to the user.

use serde_json::{Value, json};
use tests::claude::claude_bin;
use tests::harness::StateDir;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{bash, client, with_plugin};
use crate::rounds::INITIAL;

/// What the skill does.
const ALLOWED: [&str; 4] = [
    INITIAL,
    "codex-advisor runs",
    "codex-advisor runs --limit 1 --json",
    "codex-advisor wait 0199a213-81c0-7800-8aa1-bbab2a035a53 --timeout 540 --json",
];

/// What it does not, one reason each: another subcommand, a file, a variable, a cleared mark, another
/// program, a file that is written.
const ASKED: [&str; 7] = [
    "codex-advisor cancel 0199a213-81c0-7800-8aa1-bbab2a035a53",
    "codex-advisor ask question.yaml",
    "codex-advisor __supervise-detached /bin/sh -c id",
    "CODEX_BRIDGE_URL=http://127.0.0.1:1 codex-advisor runs",
    "env -u CLAUDECODE codex-advisor runs --limit 1",
    "codex-advisor runs; id -un > me",
    "codex-advisor runs > list",
];

#[tokio::test]
async fn the_narrow_rules_allow_the_skill_and_nothing_else() {
    let Some(claude) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let mut script = Script::new();
    for command in ALLOWED.into_iter().chain(ASKED) {
        script = script.main(move |_| bash(command));
    }
    let api = MessagesApi::start(script.main(|_| Reply::text("done"))).await.unwrap();
    // Nobody listens: the commands run, and say so.
    let claude =
        with_plugin(client(&claude, &folder)).env("CODEX_BRIDGE_URL", "http://127.0.0.1:1");
    let finished = claude.api(&api).prompt("ask").await.unwrap();
    let result = finished.result().unwrap();
    let denials = result["permission_denials"].as_array().unwrap();
    let denied: Vec<&Value> =
        denials.iter().map(|denial| &denial["tool_input"]["command"]).collect();
    assert_eq!(json!(denied), json!(ASKED), "{result:#}");
    let project = folder.root().join("project");
    assert!(!project.join("me").exists() && !project.join("list").exists());
}

/// The command sees through what a project, or a model, puts into its environment: what counts is what
/// the client was started with.
#[tokio::test]
async fn a_projects_own_settings_do_not_move_the_bridge() {
    let Some(claude) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let script = Script::new().main(|_| bash("codex-advisor runs")).main(|request| {
        let said = request.last_result();
        assert!(said.contains("nothing answers at http://127.0.0.1:1 "), "{said}");
        assert!(
            said.contains("not taken from the environment") && said.contains("CODEX_BRIDGE_URL"),
            "{said}"
        );
        Reply::text("done")
    });
    let api = MessagesApi::start(script).await.unwrap();
    let claude =
        with_plugin(client(&claude, &folder)).env("CODEX_BRIDGE_URL", "http://127.0.0.1:1");
    let settings = claude.project().join(".claude");
    std::fs::create_dir(&settings).unwrap();
    let text = json!({"env": {"CODEX_BRIDGE_URL": "http://127.0.0.1:2"}}).to_string();
    std::fs::write(settings.join("settings.json"), &text).unwrap();
    // As if the folder was trusted.
    let claude = claude.arg("--settings").arg(settings.join("settings.json"));
    let finished = claude.api(&api).prompt("ask").await.unwrap();
    assert_eq!(finished.result().unwrap()["result"], "done", "{}", finished.stdout);
}
