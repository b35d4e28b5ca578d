//! The plugin as it is shipped, in the real client.

use std::fs;

use tests::claude::Claude;
use tests::harness::StateDir;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::stage::{Court, top};

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

#[test]
fn no_agent_file_asks_for_hooks_that_the_client_ignores() {
    // Hooks in the frontmatter of a plugin's agent are not run by the client 2.1.197.
    let agents = fs::read_dir(top().join("skill/court-plugin/agents")).unwrap();
    let texts: Vec<String> =
        agents.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(texts.len(), 2);
    for text in texts {
        let front = text.split("---").nth(1).unwrap();
        assert!(!front.contains("hooks:") && front.contains("description:"), "{front}");
    }
}
