//! Files that our programs create in a project during normal work are ignored by git.

use std::fs;
use std::os::unix::fs::symlink;

use tests::harness::built;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{Court, bash, ended_well, of_main, then_stop, top};

/// Every file that git would show.
fn shown(court: &Court) -> String {
    court.git(&["status", "--porcelain", "--untracked-files=all", "--ignored=no"]).unwrap()
}

#[tokio::test]
async fn after_a_session_with_court_and_context_git_shows_what_it_showed_before() {
    let Some(court) = Court::new() else { return };
    let programs = court.root().join("programs");
    fs::create_dir(&programs).unwrap();
    for (name, program) in [("context-inject", "inject-under-test"), ("ci", "ci-under-test")] {
        symlink(built(program).unwrap(), programs.join(name)).unwrap();
    }
    fs::write(court.project().join("login.py"), "def retry_login(user):\n    return\n").unwrap();
    let before = shown(&court);
    assert_eq!(before, "?? login.py\n");

    let script = Script::new().main(|_| bash("echo done"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    let client = court
        .client(&api)
        .arg("--plugin-dir")
        .arg(top().join("skill/context/plugin"))
        .env("CODEX_BRIDGE_BIN_DIR", &programs)
        .env("CI_AUTO_TOOLS_BUDGET_WALL_MS", "60000")
        .env("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", built("orchestrator-under-test").unwrap());
    ended_well(&client.prompt("why does retry_login in login.py return nothing?").await.unwrap());
    assert!(of_main(&api)[0].everything().contains("<repository-context>"), "the hook was asked");
    assert!(court.project().join(".claude/historian/cal.json").exists(), "the court was asked");
    assert_eq!(shown(&court), before);

    // What the user commits of it stays visible.
    court.git(&["add", "--force", ".claude/historian/cal.json"]).unwrap();
    assert!(shown(&court).contains("A  .claude/historian/cal.json"), "{}", shown(&court));
}

#[tokio::test]
async fn a_folder_that_was_committed_stays_as_visible_as_it_was() {
    let Some(court) = Court::new() else { return };
    let historian = court.project().join(".claude/historian");
    fs::create_dir_all(&historian).unwrap();
    fs::write(historian.join("notes.md"), "ours\n").unwrap();
    court.git(&["add", "."]).unwrap();
    court.git(&["commit", "-qm", "notes"]).unwrap();
    let api = MessagesApi::start(then_stop(Script::new().main(|_| Reply::text("done")))).await;
    ended_well(&court.client(&api.unwrap()).prompt("hello").await.unwrap());
    assert!(!historian.join(".gitignore").exists());
    assert!(shown(&court).contains("?? .claude/historian/"), "{}", shown(&court));
}
