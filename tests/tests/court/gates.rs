//! The gate and the manifest before real tool calls: what is silent, what is refused with its reason, who
//! may do what, and that nothing is ever allowed by us.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tests::harness::built;
use tests::messages_api::{Agent, MessagesApi, Reply, Script};

use crate::fixture::{Court, agent, bash, ended_well, is_historian, of_main, then_stop};

/// A folder with work in it, which is L2 to delete for good.
fn with_work(court: &Court) {
    fs::create_dir_all(court.project().join("docs")).unwrap();
    fs::write(court.project().join("docs/work.md"), "work\n").unwrap();
}

fn decision<'h>(heard: &'h [crate::fixture::Heard], command: &str) -> &'h Value {
    let found = heard.iter().find(|heard| heard.call["tool_input"]["command"] == command);
    &found.unwrap().answer["hookSpecificOutput"]["permissionDecision"]
}

#[tokio::test]
async fn calls_are_graded_and_none_is_ever_allowed_by_the_court() {
    let Some(court) = Court::new() else { return };
    with_work(&court);
    let (look, lose, ruin) = ("cat README.md", "rm -rf docs", "rm -rf /");
    let script = Script::new()
        .main(move |_| bash(look))
        .main(move |_| bash(lose))
        .main(move |_| bash(ruin))
        .main(|_| bash("echo x > made.txt"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("try things").await.unwrap());

    let requests = of_main(&api);
    assert_eq!(requests[1].last_result().trim(), "a project");
    let refused = requests[2].last_result();
    assert!(
        refused.starts_with("Court: level L2") && refused.contains("court approve R1"),
        "{refused}"
    );
    assert!(
        requests[3].last_result().starts_with("Court: level L3"),
        "{}",
        requests[3].last_result()
    );
    assert!(
        court.project().join("docs/work.md").exists() && court.project().join("made.txt").exists()
    );
    let heard = court.heard("PreToolUse");
    assert_eq!(*decision(&heard, look), Value::Null);
    assert_eq!(*decision(&heard, "echo x > made.txt"), Value::Null);
    assert_eq!(*decision(&heard, lose), "deny");
    assert_eq!(*decision(&heard, ruin), "deny");
    for heard in court.all() {
        assert_ne!(heard.answer["hookSpecificOutput"]["permissionDecision"], "allow", "{heard:?}");
        assert_ne!(heard.answer["decision"], "approve", "{heard:?}");
    }
    assert_eq!(court.standing("V10"), "works");
}

#[tokio::test]
async fn level_two_may_be_asked_and_in_print_mode_that_is_a_no() {
    let Some(court) = Court::new() else { return };
    with_work(&court);
    let script = Script::new().main(|_| bash("rm -rf docs"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    let client = court.client(&api).env("COURT_L2", "ask");
    ended_well(&client.prompt("clean up").await.unwrap());
    assert_eq!(*decision(&court.heard("PreToolUse"), "rm -rf docs"), "ask");
    assert!(court.project().join("docs/work.md").exists());
}

#[tokio::test]
async fn the_historian_approves_one_call_once_and_the_main_agent_cannot() {
    let Some(court) = Court::new() else { return };
    with_work(&court);
    let programs = court.root().join("programs");
    fs::create_dir_all(&programs).unwrap();
    symlink(built("court-under-test").unwrap(), programs.join("court")).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let script = Script::new()
        .main(|_| bash("rm -rf docs"))
        .main(|_| bash("court approve R1"))
        .main(|_| Reply::tool("Agent", agent("court:historian", "historian review", "look at R1")))
        .main(|_| bash("rm -rf docs"))
        .main(|_| bash("mkdir docs && touch docs/new.md"))
        .main(|_| bash("rm -rf docs"))
        .when(|request| is_historian(request) && request.turn() == 0, |_| bash("court approve R1"))
        .when(is_historian, |_| Reply::text("VERDICT: pass\nADVICE: none"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).env("PATH", path).prompt("clean up").await.unwrap());

    let requests = of_main(&api);
    assert!(
        requests[2].last_result().contains("for the historian"),
        "{}",
        requests[2].last_result()
    );
    let historian: Vec<_> = api.requests().into_iter().filter(is_historian).collect();
    let shown = historian[0].everything();
    assert!(
        shown.contains("R1") && shown.contains("rm -rf docs"),
        "the historian sees what waits: {shown}"
    );
    assert!(historian[1].last_result().contains("R1"), "{}", historian[1].last_result());
    assert!(!requests[4].last_result().starts_with("Court:"), "{}", requests[4].last_result());
    assert!(
        requests[6].last_result().starts_with("Court: level L2"),
        "{}",
        requests[6].last_result()
    );
    assert!(court.project().join("docs/new.md").exists(), "the approval was used up");
}

#[tokio::test]
async fn the_manifest_binds_the_main_agent_and_its_phase_everybody() {
    let Some(court) = Court::of_a_person() else { return };
    fs::create_dir_all(court.project().join(".court")).unwrap();
    let manifest = json!({
        "task_id": "door",
        "phases": {"current": "build", "definitions": {"build": {"allowed_tools": ["Task", "Read", "Write"]}}},
        "global_rules": ["speak plainly"],
    });
    fs::write(court.project().join(".court/manifest.json"), manifest.to_string()).unwrap();
    court.accept("manifest");
    let file = |name: &str| court.project().join(name);
    let write = |name: &str| json!({"file_path": file(name), "content": "x\n"});
    let (of_main_agent, of_sub_agent) = (write("main.txt"), write("sub.txt"));
    let edit = json!({"file_path": file("README.md"), "old_string": "a", "new_string": "b"});
    let script = Script::new()
        .main(move |_| Reply::tool("Write", of_main_agent.clone()))
        .main(|_| Reply::tool("Agent", agent("general-purpose", "write it", "WRITE")))
        .sub_agent(move |_| Reply::tool("Write", of_sub_agent.clone()))
        .sub_agent(|_| Reply::tool("Read", json!({"file_path": "README.md"})))
        .sub_agent(move |_| Reply::tool("Edit", edit.clone()))
        .sub_agent(|request| Reply::text(request.last_result()));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("build").await.unwrap());

    let requests = of_main(&api);
    let told = requests[0].everything();
    assert!(told.contains("Phase: build") && told.contains("Rule: speak plainly"), "{told}");
    let refused = requests[1].last_result();
    assert!(refused.contains("the main agent only uses Task, Read, Glob, Grep"), "{refused}");
    assert!(!file("main.txt").exists() && file("sub.txt").exists());
    let sub: Vec<_> =
        api.requests().into_iter().filter(|request| request.agent != Agent::Main).collect();
    let refused = sub[3].last_result();
    assert!(refused.contains("Edit is not allowed in phase `build`"), "{refused}");
    assert_eq!(fs::read_to_string(file("README.md")).unwrap(), "a project\n");
}
