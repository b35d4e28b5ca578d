//! `--uninstall --purge` after everything was used once: the home folder is as it was.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::claude::claude_bin;
use tests::harness::wait_until;

use crate::fixture::Fresh;

/// Longest wait for a daemon on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// What Claude Code keeps for itself once it knows a plugin (Claude Code 2.1.197).
const CLIENTS_OWN: [&str; 8] = [
    ".claude.json",
    ".claude/backups",
    ".claude/settings.json",
    ".claude/plugins/cache",
    ".claude/plugins/installed_plugins.json",
    ".claude/plugins/known_marketplaces.json",
    ".claude/plugins/marketplaces",
    ".claude/plugins/data",
];

/// The home folder by path and content, without what the client keeps. A file that was written anew in
/// between has another inode, which is the last word of each line.
fn home(fresh: &Fresh) -> BTreeMap<String, String> {
    let top = format!("{}/", fresh.home().display());
    let entry = |(path, said): (String, String)| {
        let path = path.strip_prefix(&top).unwrap().to_owned();
        let is_clients = CLIENTS_OWN.iter().any(|own| Path::new(&path).starts_with(own));
        let content = said.rsplit_once(' ').map_or(said.clone(), |(content, _)| content.to_owned());
        (!is_clients).then_some((path, content))
    };
    fresh.tree().into_iter().filter_map(entry).collect()
}

/// The user's settings, without the lists that the client leaves empty in them.
fn settings(fresh: &Fresh) -> Value {
    let text = fs::read(fresh.home().join(".claude/settings.json")).unwrap();
    let mut settings: Value = serde_json::from_slice(&text).unwrap();
    for list in ["enabledPlugins", "extraKnownMarketplaces"] {
        let left = settings.as_object_mut().unwrap().remove(list);
        assert!(left.is_none_or(|left| left == json!({})), "{list}");
    }
    settings
}

/// Calls an installed program with this on its standard input.
fn fed(fresh: &Fresh, program: &str, arguments: &str, input: &Value) -> String {
    let script = format!(
        "printf '%s' \"$1\" | '{}' {arguments}",
        fresh.installed("bin").join(program).display()
    );
    let said = fresh.run("sh".as_ref(), &["-c", &script, "sh", &input.to_string()]);
    assert_eq!(said.code, Some(0), "{program}: {said:?}");
    said.out
}

/// A repository that has something to be found.
fn project(fresh: &Fresh) -> PathBuf {
    let project = fresh.folder().work().join("shop");
    fs::create_dir(&project).unwrap();
    let made = fresh.run("git".as_ref(), &["init", "--quiet", project.to_str().unwrap()]);
    assert_eq!(made.code, Some(0), "{made:?}");
    fs::write(project.join("login.py"), "def retry_login(user):\n    return user\n").unwrap();
    project
}

/// The installed daemon, as a user starts it by hand.
fn started(fresh: &Fresh) -> Child {
    started_with(fresh, None)
}

/// The same with a variable more, such as one that a supervisor sets.
#[expect(clippy::disallowed_methods, reason = "the test plays the user")]
fn started_with(fresh: &Fresh, variable: Option<(&str, &str)>) -> Child {
    Command::new(fresh.installed("bin/codex-bridge"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env_clear()
        .env("HOME", fresh.home())
        .env("PATH", "/usr/bin:/bin")
        .envs(variable)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The daemon, from its start to its end, with a client that asks it.
async fn serve_once(fresh: &Fresh) {
    let address = fresh.home().join(".local/state/codex-bridge/address");
    let mut daemon = started(fresh);
    let up = wait_until(LIMIT, || address.exists()).await;
    let said = fresh.run(fresh.installed("bin/codex-advisor").as_os_str(), &["status"]);
    kill_process(Pid::from_child(&daemon), Signal::TERM).unwrap();
    let status = daemon.wait().unwrap();
    assert!(up && status.success(), "{status}");
    assert!(said.out.contains(&format!("\"version\": \"{}\"", release::VERSION)), "{said:?}");
}

#[tokio::test]
async fn what_everything_has_made_is_gone_after_a_purge() {
    let Some(claude) = claude_bin() else { return };
    let fresh = Fresh::new().with_entry().with_program("claude", &claude);
    // The court looks upwards for a project, and this one is in a checkout.
    let project = project(&fresh);
    let fresh = fresh
        .env("CLAUDE_PROJECT_DIR", &project)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1");
    // What a home folder has.
    for folder in
        [".cache", ".config", ".local/state", ".local/share", ".claude/plugins", ".pm2/logs"]
    {
        fs::create_dir_all(fresh.home().join(folder)).unwrap();
    }
    let own = json!({ "env": { "MINE": "1" } });
    fs::write(fresh.home().join(".claude/settings.json"), own.to_string()).unwrap();
    let before = home(&fresh);

    fresh.installs(&["--plugin", "--with-hook", "--with-court"]);
    let configuration = fresh.home().join(".config/codex-bridge");
    fs::create_dir(&configuration).unwrap();
    fs::write(configuration.join("config.toml"), "[limits]\nmax_running = 1\n").unwrap();
    fs::write(fresh.home().join(".pm2/logs/codex-bridge-error.log"), "{}\n").unwrap();
    serve_once(&fresh).await;
    let prompt = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt_id": "p-1",
        "cwd": project, "transcript_path": project.join("none.jsonl"), "permission_mode": "default",
        "prompt": "why does retry_login in login.py return nothing?",
    });
    let injected = fed(&fresh, "context-inject", "", &prompt);
    assert!(injected.contains("retry_login"), "{injected}");
    let call = json!({
        "hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": project,
        "transcript_path": project.join("none.jsonl"), "permission_mode": "default",
        "tool_name": "Bash", "tool_use_id": "t-1", "tool_input": { "command": "rm -rf /" },
    });
    let judged = fed(&fresh, "court", "hook", &call);
    assert!(judged.contains("deny"), "{judged}");
    let found = fresh.run(
        fresh.installed("bin/ci").as_os_str(),
        &["--root", project.to_str().unwrap(), "search", "retry_login"],
    );
    assert!(found.out.contains("login.py"), "{found:?}");
    // Here is no Codex: it says so, and leaves what it leaves.
    let auto = fresh.installed("bin/codex-auto");
    let said = fresh.run(auto.as_os_str(), &["--prompt", "why does retry_login return nothing?"]);
    assert_eq!(said.code, Some(3), "{said:?}");

    // Something is there to be purged.
    for made in [
        ".cache/codex-bridge/code-intel",
        ".cache/codex-bridge/prompts",
        ".local/state/codex-bridge/token",
        ".local/state/codex-bridge/state.sqlite",
        ".claude/plugins/cache/codex-bridge",
    ] {
        assert!(fresh.home().join(made).exists(), "{made}");
    }
    let said = fresh.uninstalls(&["--purge", "--dry-run"]);
    assert!(said.contains("remove  ") && fresh.home().join(".cache/codex-bridge").exists());

    let said = fresh.uninstalls(&["--purge"]);
    assert_eq!(home(&fresh), before, "{said}");
    assert_eq!(settings(&fresh), own);
    assert!(!fresh.home().join(".claude/plugins/cache/codex-bridge").exists(), "{said}");
}

/// The daemon that the user has started by hand, or a client for the user.
#[tokio::test]
async fn a_daemon_that_was_started_by_hand_ends_before_its_state_goes() {
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let state = fresh.home().join(".local/state/codex-bridge");
    let mut daemon = started(&fresh);
    assert!(wait_until(LIMIT, || state.join("address").exists()).await);
    let said = fresh.uninstalls(&["--purge"]);
    assert!(said.contains("has stopped after"), "{said}");
    let status = daemon.wait().unwrap();
    assert!(status.success() && !state.exists(), "{status}: {said}");
}

/// What a supervisor keeps alive is not ended behind its back, and its state does not go under it.
#[tokio::test]
async fn a_purge_that_cannot_end_the_daemon_removes_nothing() {
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let state = fresh.home().join(".local/state/codex-bridge");
    let mut daemon = started_with(&fresh, Some(("pm_id", "0")));
    assert!(wait_until(LIMIT, || state.join("address").exists()).await);
    // The database's own files change while the daemon lives.
    let kept = || {
        let is_kept = |path: &String| !path.contains("/state.sqlite");
        fresh.tree().into_iter().filter(|(path, _)| is_kept(path)).collect::<BTreeMap<_, _>>()
    };
    let before = kept();
    let said = fresh.call(&["--yes", "--uninstall", "--purge"]);
    let after = kept();
    assert!(daemon.try_wait().unwrap().is_none(), "{said:?}");
    kill_process(Pid::from_child(&daemon), Signal::TERM).unwrap();
    assert!(daemon.wait().unwrap().success());
    assert_eq!(said.code, Some(1), "{said:?}");
    for part in ["is run by pm2", "pm2 stop codex-bridge", "nothing was removed"] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    assert_eq!(after, before);
    fresh.uninstalls(&["--purge"]);
    assert!(!state.exists());
}

/// A folder of our name in which somebody works.
#[test]
fn a_purge_leaves_somebodys_work() {
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let cache = fresh.home().join(".cache/codex-bridge");
    fs::create_dir_all(cache.join(".git")).unwrap();
    fs::write(cache.join("mine"), "mine").unwrap();
    let configuration = fresh.home().join(".config/codex-bridge");
    fs::create_dir_all(&configuration).unwrap();
    let said = fresh.uninstalls(&["--purge"]);
    let kept = format!("keep    {} (it is somebody's work)", cache.display());
    assert!(said.contains(&kept) && cache.join("mine").exists(), "{said}");
    assert!(!configuration.exists(), "{said}");
}

/// Indexes in a folder that a variable names go one by one; what else is there stays.
#[test]
fn of_a_cache_that_a_variable_names_only_the_indexes_go() {
    let fresh = Fresh::new();
    let cache = fresh.folder().work().join("indexes");
    let fresh = fresh.env("CODE_INTEL_CACHE_DIR", &cache);
    fresh.installs(&[]);
    let project = project(&fresh);
    let found = fresh.run(
        fresh.installed("bin/ci").as_os_str(),
        &["--root", project.to_str().unwrap(), "search", "retry_login"],
    );
    assert!(found.out.contains("login.py"), "{found:?}");
    let indexes = fs::read_dir(&cache).unwrap().count();
    assert!(indexes > 0);
    for mine in ["notes.txt", "shop-0123456789abcdef/notes.txt"] {
        fs::create_dir_all(cache.join(mine).parent().unwrap()).unwrap();
        fs::write(cache.join(mine), "mine").unwrap();
    }
    fresh.uninstalls(&["--purge"]);
    let left = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().file_name());
    let mut left: Vec<String> = left.map(|name| name.into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["notes.txt", "shop-0123456789abcdef"]);
}
