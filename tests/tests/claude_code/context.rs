//! The plugin `context` in the real client: its hook, `ci` on the PATH, and the tools of `ci mcp` for those
//! who add them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tests::claude::{Claude, claude_bin};
use tests::harness::StateDir;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{assert_smooth, bash, client, programs, shown, silent_model, top};

/// A prompt about the code of [`repository`].
const PROMPT: &str = "why does retry_login in src/login.py return nothing?";

/// A repository in the folder that the client works in.
fn repository(root: &Path) {
    for folder in [".git/objects", ".git/refs", "src"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let login = "def retry_login(user):\n    for attempt in range(2):\n        if login(user):\n            return\n";
    fs::write(root.join("src/login.py"), login).unwrap();
}

async fn claude(claude: &Claude, words: &[&str]) -> String {
    let finished = claude.clone().args(words).run().await.unwrap();
    assert_eq!(finished.code, Some(0), "{words:?}: {}\n{}", finished.stdout, finished.stderr);
    finished.stdout
}

#[tokio::test]
async fn it_is_installed_beside_the_advisor_and_brings_hook_and_command() {
    let Some(executable) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let cache = folder.work().join("indexes");
    let fixture = client(&executable, &folder).env("CODE_INTEL_CACHE_DIR", &cache);
    // The first index may take longer than the hook's time on a busy machine.
    let fixture = fixture.env("CI_AUTO_TOOLS_BUDGET_WALL_MS", "60000");
    repository(fixture.project());
    claude(&fixture, &["plugin", "marketplace", "add", top().to_str().unwrap()]).await;
    claude(&fixture, &["plugin", "install", "codex-bridge@codex-bridge"]).await;

    // The advisor alone looks nothing up.
    let api = silent_model().await;
    let finished = fixture.clone().api(&api).prompt(PROMPT).await.unwrap();
    assert_smooth(&finished, "done");
    assert!(!finished.stdout.contains("hook_started"), "{}", finished.stdout);
    assert!(!cache.exists(), "no program of ours looked at the prompt");

    claude(&fixture, &["plugin", "install", "context@codex-bridge"]).await;
    let script = Script::new().main(|_| bash("ci search retry_login --json")).main(|request| {
        assert_eq!(shown(request)["items"][0]["path"], "src/login.py");
        Reply::text("done")
    });
    let api = MessagesApi::start(script).await.unwrap();
    let fixture = fixture.api(&api).args(["--allowedTools", "Bash(ci search *)"]);
    let finished = fixture.prompt(PROMPT).await.unwrap();
    assert_smooth(&finished, "done");
    let init = finished.init().unwrap();
    assert_eq!(init["plugin_errors"], Value::Null, "{init:#}");
    let servers = init["mcp_servers"].to_string();
    assert!(!servers.contains("context"), "the tools are an option: {servers}");
    assert!(cache.exists(), "the hook has asked the orchestrator");
    // Unused indexes are looked for after the command, and at a session's end without one.
    fs::remove_file(cache.join("last-prune")).unwrap();
    let api = silent_model().await;
    assert_smooth(&fixture.api(&api).prompt("hello").await.unwrap(), "done");
    assert!(cache.join("last-prune").exists());
}

#[tokio::test]
async fn the_eight_tools_are_one_command_away() {
    let Some(executable) = claude_bin() else { return };
    let folder = StateDir::new().unwrap();
    let fixture = client(&executable, &folder);
    repository(fixture.project());
    let program = programs(&folder).join("ci");
    let add = ["mcp", "add", "--scope", "user", "ci", "--", program.to_str().unwrap(), "mcp"];
    claude(&fixture, &add).await;
    let call = || Reply::tool("mcp__ci__ci_search", json!({"query": "retry_login", "limit": 3}));
    let script = Script::new().main(move |_| call()).main(|request| {
        let answer = shown(request);
        assert_eq!(answer["items"][0]["path"], "src/login.py", "{answer}");
        assert_eq!(answer["tool"], "search");
        Reply::text("done")
    });
    let api = MessagesApi::start(script).await.unwrap();
    let finished =
        fixture.api(&api).args(["--allowedTools", "mcp__ci"]).prompt("look").await.unwrap();
    assert_smooth(&finished, "done");
    let tools = api.requests()[0].tools().join(" ");
    for tool in ["ci_index_status", "ci_graph_rag", "ci_call_chain", "ci_impact", "ci_hotspot"] {
        assert!(tools.contains(&format!("mcp__ci__{tool}")), "{tool}: {tools}");
    }
}
