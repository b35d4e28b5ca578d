//! The plugin as it is shipped, in the real client.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tests::claude::Claude;
use tests::harness::{StateDir, built};
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{Court, bash, ended_well, of_main, then_stop, top};

#[tokio::test]
async fn the_agents_are_valid_and_loaded() {
    let Some(court) = Court::new() else { return };
    let folder = StateDir::new().unwrap();
    let validate = Claude::new(court.claude(), &folder)
        .unwrap()
        .args(["plugin", "validate", "--strict"])
        .arg(court.root().join("plugin"));
    let validated = validate.run().await.unwrap();
    assert_eq!(validated.code, Some(0), "{}{}", validated.stdout, validated.stderr);
    let api = MessagesApi::start(Script::new().main(|_| Reply::text("done"))).await.unwrap();
    let finished = court.client(&api).prompt("hello").await.unwrap();
    let init = finished.init().unwrap().to_string();
    for agent in ["court:historian", "court:butler"] {
        assert!(init.contains(agent), "{agent} in {init}");
    }
    assert!(finished.init().unwrap()["plugin_errors"].is_null(), "{init}");
}

#[tokio::test]
async fn the_plugin_as_it_is_shipped_reaches_the_court() {
    let Some(court) = Court::new() else { return };
    let folder = StateDir::new().unwrap();
    let plugin = folder.root().join("court-plugin");
    copy(&top().join("skill/court/plugin"), &plugin);
    let validate = Claude::new(court.claude(), &folder)
        .unwrap()
        .args(["plugin", "validate", "--strict"])
        .arg(&plugin);
    let validated = validate.run().await.unwrap();
    assert_eq!(validated.code, Some(0), "{}{}", validated.stdout, validated.stderr);
    // A hook that is killed on a slow machine is not what this test is about.
    let hooks = plugin.join("hooks/hooks.json");
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(&hooks, text.replace("\"timeout\": 5", "\"timeout\": 120")).unwrap();
    let programs = folder.root().join("programs");
    fs::create_dir(&programs).unwrap();
    symlink(built("court-under-test").unwrap(), programs.join("court")).unwrap();
    fs::create_dir(court.project().join("docs")).unwrap();
    fs::write(court.project().join("docs/work.md"), "work\n").unwrap();

    let script = Script::new().main(|_| bash("rm -rf docs")).main(|_| bash("court status"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    let client = Claude::new(court.claude(), &folder)
        .unwrap()
        .in_folder(court.project())
        .api(&api)
        .env("CODEX_BRIDGE_BIN_DIR", &programs)
        .env("COURT_DEADLINE_MS", "60000")
        .env("COURT_PACKET_DEADLINE_MS", "60000")
        .args(["--allowedTools", "Bash"])
        .arg("--plugin-dir")
        .arg(&plugin);
    let finished = client.prompt("clean up").await.unwrap();
    ended_well(&finished);
    assert!(finished.init().unwrap()["plugin_errors"].is_null(), "{}", finished.stdout);
    let requests = of_main(&api);
    let refused = requests[1].last_result();
    assert!(
        refused.starts_with("Court: level L2") && refused.contains("court:historian"),
        "{refused}"
    );
    assert!(court.project().join("docs/work.md").exists());
    // The plugin's own folder of programs is on the shell's path.
    assert!(requests[2].last_result().contains("R1"), "{}", requests[2].last_result());
    let packet = court.file("packets/fact_1.json");
    assert_eq!(packet["facts"]["tool_calls"][0]["status"], "denied", "{packet:#}");
}

/// Copies a folder with all below it; modes stay.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
fn no_agent_file_asks_for_hooks_that_the_client_ignores() {
    // Hooks in the frontmatter of a plugin's agent are not run by the client 2.1.197.
    let agents = fs::read_dir(top().join("skill/court/plugin/agents")).unwrap();
    let texts: Vec<String> =
        agents.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(texts.len(), 2);
    for text in texts {
        let front = text.split("---").nth(1).unwrap();
        assert!(!front.contains("hooks:") && front.contains("description:"), "{front}");
    }
}
