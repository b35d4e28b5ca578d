//! The fixture of these tests: a client with the plugin, its programs, and a daemon.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use codex_bridge::claude_settings::RULES;
use serde_json::{Value, json};
use tests::claude::{Claude, Finished};
use tests::harness::{StateDir, built};
use tests::messages_api::{MessagesApi, Reply, Request, Script};

/// The limit that the skill has the model pass to Bash, in milliseconds: the most that it takes.
pub(crate) const BASH_LIMIT_MS: u64 = 600_000;

/// The plugin's folder.
pub(crate) fn plugin() -> PathBuf {
    top().join("skill/advisor/plugin")
}

/// The top of the tree.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A folder with our programs under their own names, as an installation has them.
pub(crate) fn programs(folder: &StateDir) -> PathBuf {
    let programs = folder.root().join("programs");
    fs::create_dir_all(&programs).unwrap();
    for (name, executable) in [
        ("auto-tool-orchestrator", "orchestrator-under-test"),
        ("ci", "ci-under-test"),
        ("codex-advisor", "advisor-under-test"),
        ("codex-bridge", "bridge-under-test"),
        ("context-inject", "inject-under-test"),
    ] {
        let link = programs.join(name);
        if !link.exists() {
            symlink(built(executable).unwrap(), link).unwrap();
        }
    }
    programs
}

/// A client with the folders of a test, which finds our programs and the daemon of the same folders.
pub(crate) fn client(executable: &Path, folder: &StateDir) -> Claude {
    Claude::new(executable, folder)
        .unwrap()
        .env("CODEX_BRIDGE_BIN_DIR", programs(folder))
        .env("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", programs(folder).join("auto-tool-orchestrator"))
        .env("CODEX_BRIDGE_STATE_DIR", folder.state())
}

/// The same client with the plugin and the rules that `codex-bridge setup claude-code` writes.
pub(crate) fn with_plugin(claude: Claude) -> Claude {
    claude.arg("--plugin-dir").arg(plugin()).arg("--allowedTools").args(RULES)
}

/// A call of Bash with the limit that the skill asks for.
pub(crate) fn bash(command: &str) -> Reply {
    bash_within(BASH_LIMIT_MS, command)
}

/// A call of Bash with a limit in milliseconds.
pub(crate) fn bash_within(limit_ms: u64, command: &str) -> Reply {
    let description = "Ask the Codex advisor";
    Reply::tool(
        "Bash",
        json!({"command": command, "description": description, "timeout": limit_ms}),
    )
}

/// The JSON document in a tool result, from its first brace on.
pub(crate) fn document(text: &str) -> Value {
    let start = text.find('{').unwrap_or_else(|| panic!("no JSON in {text:?}"));
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    values.next().unwrap().unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The JSON document that the model was shown last.
pub(crate) fn shown(request: &Request) -> Value {
    document(&request.last_result())
}

/// Everything went as scripted: the client ended well, and nothing needed a permission.
pub(crate) fn assert_smooth(finished: &Finished, text: &str) {
    let result = finished.result().unwrap();
    assert_eq!(result["result"], text, "{result:#}\n{}", finished.stderr);
    assert_eq!(result["is_error"], false);
    assert_eq!(result["permission_denials"], json!([]));
    assert_eq!(finished.code, Some(0));
}

/// A model that says one thing and calls nothing.
pub(crate) async fn silent_model() -> MessagesApi {
    MessagesApi::start(Script::new().main(|_| Reply::text("done"))).await.unwrap()
}
