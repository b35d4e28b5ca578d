//! With the real pm2 and the real Claude Code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use codex_bridge::claude_settings::RULES;
use serde_json::{Value, json};
use tests::claude::claude_bin;
use tests::harness::{survivors, wait_until};

use crate::fixture::{Fresh, top};

/// Longest end of pm2's own daemon.
const PM2_ENDS: Duration = Duration::from_secs(30);

/// The plugin is in, its one command is allowed, and the user's settings are otherwise as they were.
#[test]
fn the_plugin_goes_into_claude_code_and_out_again() {
    let Some(claude) = claude_bin() else { return };
    let fresh = Fresh::new()
        .with_program("claude", &claude)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1");
    let settings = fresh.home().join(".claude/settings.json");
    fs::create_dir(settings.parent().unwrap()).unwrap();
    let own = json!({ "env": { "MINE": "1" }, "permissions": { "deny": ["WebFetch"], "allow": ["Read"] } });
    // An earlier version has left its wider rule.
    let mut before = own.clone();
    before["permissions"]["allow"] = json!(["Bash(codex-advisor *)", "Read"]);
    fs::write(&settings, format!("{before:#}\n")).unwrap();
    let read = || -> Value { serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap() };

    fresh.installs(&["--plugin"]);
    let allow: Vec<&str> = ["Read"].into_iter().chain(RULES).collect();
    let allow = json!(allow);
    assert_eq!(read()["permissions"], json!({ "deny": ["WebFetch"], "allow": allow }));
    assert_eq!(read()["env"], own["env"]);
    let listed = fresh.run("claude".as_ref(), &["plugin", "list"]);
    assert!(listed.out.contains("codex-bridge@codex-bridge"), "{listed:?}");

    // The client has kept a copy of an earlier version.
    let list = fresh.home().join(".claude/plugins/installed_plugins.json");
    let told = || fs::read_to_string(&list).unwrap();
    let now = told();
    let cache = fresh.home().join(".claude/plugins/cache/codex-bridge/codex-bridge");
    fs::rename(cache.join(release::VERSION), cache.join("0.0.1")).unwrap();
    assert!(now.contains(release::VERSION), "{now}");
    fs::write(&list, now.replace(release::VERSION, "0.0.1")).unwrap();
    let said = fresh.installs(&["--plugin"]);
    assert!(said.contains("nothing to do"), "{said}");
    assert!(told().contains(release::VERSION) && !told().contains("0.0.1"), "{said}");
    assert!(cache.join(release::VERSION).is_dir(), "{said}");
    assert_eq!(read()["permissions"]["allow"], allow);

    // The hook comes only where it is asked for.
    let listed = fresh.run("claude".as_ref(), &["plugin", "list"]);
    assert!(!listed.out.contains("context@codex-bridge"), "{listed:?}");
    let said = fresh.installs(&["--with-context"]);
    let program = fresh.installed("bin/ci").display().to_string();
    let add = format!("claude mcp add --scope user ci -- {program} mcp");
    assert!(said.contains(&add), "{said}");
    let listed = fresh.run("claude".as_ref(), &["plugin", "list"]);
    assert!(listed.out.contains("context@codex-bridge"), "{listed:?}");

    fresh.uninstalls(&[]);
    assert_eq!(read()["permissions"], own["permissions"]);
    let listed = fresh.run("claude".as_ref(), &["plugin", "list"]);
    assert!(!listed.out.contains("@codex-bridge"), "{listed:?}");
}

/// Ends pm2, whatever happens to the test.
struct Pm2<'f>(&'f Fresh);

impl Drop for Pm2<'_> {
    fn drop(&mut self) {
        self.0.run("pm2".as_ref(), &["kill"]);
    }
}

#[tokio::test]
async fn pm2_runs_what_was_installed_until_it_is_removed() {
    let pm2 = top().join("tests/peers/node_modules/.bin/pm2");
    if !pm2.exists() {
        skipping::missing("pm2", tests::peers::INSTALL);
        return;
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let node = std::env::split_paths(&search).map(|folder| folder.join("node"));
    let node: PathBuf = node.into_iter().find(|path| path.is_file()).unwrap();
    // Short, because pm2 listens on sockets in it.
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let fresh = Fresh::new()
        .with_program("pm2", &pm2)
        .with_program("node", &node)
        .env("PM2_HOME", home.path())
        .env("PM2_DISABLE_VERSION_CHECK", "1")
        .env("CODEX_BRIDGE_LISTEN", "127.0.0.1:0");
    let running = Pm2(&fresh);
    let said = fresh.installs(&["--pm2"]);
    // `pm2 start` waited: the daemon has told where it listens, and the doctor has found it.
    assert!(fresh.home().join(".local/state/codex-bridge/address").exists(), "{said}");
    assert!(said.contains("answers on http://127.0.0.1:"), "{said}");

    let said = fresh.uninstalls(&["--purge"]);
    assert!(!fresh.home().join(".local/state/codex-bridge").exists(), "{said}");
    let listed = fresh.run("pm2".as_ref(), &["jlist"]);
    assert!(!listed.out.contains("codex-bridge"), "{listed:?}");
    drop(running);
    // `pm2 kill` returns when pm2's own daemon was told to end (pm2 7.0.4).
    let mark = fresh.folder().root().display().to_string();
    let ended = wait_until(PM2_ENDS, || survivors(&mark).is_empty()).await;
    assert!(ended, "{:?}", survivors(&mark));
}
