//! One turn: from the command line or a pipe, as text or JSON, and everything that can be wrong with it.

use std::fs;

use contract::schema::ORCHESTRATOR_REPORT;
use tests::harness::git;

use crate::fixture::{Installed, LOST, example};

#[tokio::test]
async fn one_turn_answers_on_standard_output_and_leaves_nothing() {
    let installed = Installed::new().finds("found: src/login.rs");
    let told = installed.tell(&["fake-codex: text It is here."], "").await;
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "It is here.\n"), "{told:#?}");
    assert!(told.stderr.contains("[Auto Tools] 1 · [Results] 1"), "{told:#?}");
    let thread = installed.thread().expect("the thread is noted");
    installed.is_clean().await;

    // The next day, and as JSON.
    let told = installed.tell(&["--json", "--prompt", "fake-codex: text Again."], "").await;
    let report = told.json(0);
    assert_eq!(ORCHESTRATOR_REPORT.violations(&report), [], "{report:#}");
    assert_eq!(
        (&report["answer"]["text"], &report["client"]["session_id"]),
        (&"Again.".into(), &thread.as_str().into())
    );
    assert_eq!(report["degraded"]["is_degraded"], false);
    installed.is_clean().await;
}

/// The thread is noted below the repository, and git has nothing to say of it.
#[tokio::test]
async fn a_turn_leaves_nothing_for_git_to_see() {
    let installed = Installed::new();
    let root = &installed.repository;
    let show = || git(root, &["status", "--porcelain", "--untracked-files=all"]);
    fs::remove_dir_all(root.join(".git")).unwrap();
    if git(root, &["init", "-q"]).is_none() {
        return;
    }
    fs::create_dir(root.join(".devbooks")).unwrap();
    fs::write(root.join(".devbooks/config.yaml"), "a: 1\n").unwrap();
    let before = show();
    assert_eq!(before.as_deref(), Some("?? .devbooks/config.yaml\n"));
    let told = installed.tell(&["fake-codex: text Here."], "").await;
    assert_eq!((told.code, installed.thread().is_some()), (Some(0), true), "{told:#?}");
    assert_eq!(show(), before);
}

#[tokio::test]
async fn a_pipe_is_a_prompt_or_belongs_to_one() {
    let installed = Installed::new();
    let told = installed.tell(&[], "fake-codex: text From a pipe.\n").await;
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "From a pipe.\n"), "{told:#?}");
    let told = installed.tell(&["--stdin", "read this"], "fake-codex: text Both.\n").await;
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "Both.\n"), "{told:#?}");
    installed.is_clean().await;
}

#[tokio::test]
async fn a_dry_run_shows_the_prompt_and_starts_nothing() {
    let plan = example("orchestrator-report-plan");
    let installed = Installed::new().without("codex-bridge");
    let path = installed.folder.work().join("plan.json");
    fs::write(&path, plan.to_string()).unwrap();
    let orchestrator =
        format!("cat > /dev/null; [ \"$CI_AUTO_TOOLS_MODE\" = plan ] && cat '{}'", path.display());
    let installed = installed.orchestrator(&orchestrator);
    let told = installed.tell(&["--dry-run", "fix the login"], "").await;
    assert_eq!(told.code, Some(0), "{told:#?}");
    assert!(told.stdout.ends_with("fix the login\n"), "{told:#?}");
    let json = installed.tell(&["--dry-run", "--json", "fix the login"], "").await.json(0);
    assert_eq!(json, plan);
    let by_variable = installed.env("CI_AUTO_TOOLS_MODE", "plan");
    let told = by_variable.tell(&["--json", "fix the login"], "").await;
    assert_eq!(told.json(0), plan);
    assert_eq!(by_variable.thread(), None);
    by_variable.is_clean().await;
}

#[tokio::test]
async fn a_broken_orchestrator_keeps_no_prompt_from_codex() {
    for (orchestrator, words) in [
        ("cat > /dev/null; exit 10", "orchestrator output invalid"),
        ("cat > /dev/null; echo nonsense", "orchestrator output invalid"),
        ("kill -9 $$", "orchestrator unavailable"),
    ] {
        let installed = Installed::new().orchestrator(orchestrator);
        let told = installed.tell(&["--context", "fake-codex: text Still."], "").await;
        assert_eq!((told.code, told.stdout.as_str()), (Some(0), "Still.\n"), "{told:#?}");
        assert!(told.stderr.contains(words), "{orchestrator}: {told:#?}");
    }
    let installed = Installed::new().env("CI_AUTO_TOOLS", "off").orchestrator("exit 10");
    let told = installed.tell(&["--context", "fake-codex: text Off."], "").await;
    assert_eq!(told.stdout, "Off.\n");
    assert!(told.stderr.contains("[Auto Tools] none"), "{told:#?}");
}

#[tokio::test]
async fn a_session_file_that_is_of_no_use_is_said_and_written_anew() {
    let installed = Installed::new();
    for wrong in ["", "{\"session_id\": ", "{}", "{\"session_id\":\"last\"}"] {
        fs::create_dir_all(installed.session_file().parent().unwrap()).unwrap();
        fs::write(installed.session_file(), wrong).unwrap();
        let report = installed.tell(&["--json", "fake-codex: text Anew."], "").await.json(0);
        let limits = report["fused_context"]["for_user"]["limits_text"].as_str().unwrap();
        assert!(limits.lines().any(|line| line == LOST), "{wrong}: {limits}");
        assert!(limits.contains("[Limits] the session file"), "{wrong}: {limits}");
        assert_eq!(report["degraded"]["is_degraded"], true);
        assert_eq!(installed.thread().as_deref(), report["client"]["session_id"].as_str());
    }
    // A thread that Codex does not know.
    let unknown = "{\"session_id\":\"0199a213-81c0-7800-8aa1-bbab2a035a53\"}";
    fs::write(installed.session_file(), unknown).unwrap();
    let told = installed.tell(&["fake-codex: text Lost."], "").await;
    assert_eq!(told.stdout, "Lost.\n");
    assert!(told.stderr.contains(LOST), "{told:#?}");
    assert_ne!(installed.thread().as_deref(), Some("0199a213-81c0-7800-8aa1-bbab2a035a53"));

    let before = installed.thread();
    let told = installed.tell(&["--new", "fake-codex: text New."], "").await;
    assert!(!told.stderr.contains(LOST), "{told:#?}");
    assert_ne!(installed.thread(), before);
}

#[tokio::test]
async fn what_is_wrong_with_the_call_or_the_machine_has_its_exit_code() {
    let code = |told: &crate::fixture::Told, code: i32| {
        told.json(code)["error"]["code"].as_str().unwrap().to_owned()
    };
    let installed = Installed::new();
    let empty = installed.tell(&["--json"], " \n").await;
    assert_eq!(code(&empty, 2), "contract_violation");
    let folder = installed.tell(&["--json", "--cwd", "/nonexistent", "x"], "").await;
    assert_eq!(code(&folder, 2), "contract_violation");
    let option = installed.tell(&["--jsn", "x"], "").await;
    assert_eq!(option.code, Some(2));
    assert!(option.stderr.contains("--json"), "{option:#?}");
    let port = installed.tell(&["--json", "--url", "http://127.0.0.1:1", "x"], "").await;
    assert_eq!(code(&port, 3), "bridge_unreachable");
    let failing =
        installed.tell(&["--json", "fake-codex: turnfailed usage limit reached"], "").await;
    assert_eq!(code(&failing, 4), "quota");

    let installed = installed.env("CODEX_BRIDGE_CODEX_BIN", "/nonexistent/codex");
    let missing = installed.tell(&["--json", "x"], "").await;
    assert_eq!(code(&missing, 3), "codex_not_found");
    let installed = installed.without("codex-bridge").env("PATH", "/usr/bin:/bin");
    let missing = installed.tell(&["x"], "").await;
    assert_eq!(missing.code, Some(3));
    assert!(missing.stderr.contains("install it beside this program"), "{missing:#?}");
    installed.is_clean().await;
}

#[tokio::test]
async fn help_version_and_completions_need_nothing() {
    let installed = Installed::new().without("codex-bridge");
    let help = installed.tell(&["--help"], "").await;
    assert!(help.code == Some(0) && help.stdout.contains("codex-session.json"), "{help:#?}");
    assert!(installed.tell(&["--version"], "").await.stdout.starts_with("codex-auto "));
    let script = installed.tell(&["completions", "bash"], "").await;
    assert!(script.stdout.contains("complete -F"), "{script:#?}");
}
