//! The page of prompts: what the real hook and the real orchestrator leave in the daemon's state folder.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use supervise::{Exit, HelperCommand, HelperEnd, run_helper_with_input};
use tests::harness::{Daemon, built};

use crate::fixture::{Browser, LIMIT, daemon};

/// Asks the hook about the code below `project`, as Claude Code does.
fn prompted(daemon: &Daemon, project: &Path, session: &str, prompt: &str, keep: Option<&str>) {
    let call = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt,
        "transcript_path": "/nowhere", "cwd": project, "permission_mode": "default",
    });
    let env = [
        ("HOME", OsString::from(daemon.folder().home())),
        ("PATH", "/usr/bin:/bin".into()),
        ("CODEX_BRIDGE_STATE_DIR", daemon.state().into()),
        ("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", built("orchestrator-under-test").unwrap().into()),
        ("CI_AUTO_TOOLS_KEEP", keep.unwrap_or_default().into()),
    ];
    let hook = HelperCommand {
        program: built("inject-under-test").unwrap(),
        args: Vec::new(),
        env: env.map(|(name, value)| (name.into(), value)).to_vec(),
        current_dir: project.to_owned(),
        deadline: Instant::now() + LIMIT,
        stdout_max: 1 << 20,
    };
    let told = run_helper_with_input(&hook, call.to_string().as_bytes()).unwrap();
    assert!(matches!(told.end, HelperEnd::Exited(Exit::Code(0))), "{told:?}");
}

#[tokio::test]
async fn a_prompt_is_shown_with_what_was_chosen_found_and_left_out() {
    let daemon = daemon().await;
    let project = daemon.folder().home().join("shop");
    for folder in [".git/objects", ".git/refs", "src"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(project.join("src/login.py"), "def retry_login(name):\n    return None\n").unwrap();
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    let asked = format!(
        "why does retry_login in src/login.py return nothing with {secret}? <script>alert(1)</script>"
    );
    prompted(&daemon, &project, "s1", &asked, None);
    prompted(&daemon, &project, "s2", "retry_login 函数在哪里定义？", None);
    prompted(&daemon, &project, "s2", "good morning", None);
    prompted(&daemon, &project, "s3", "where is retry_login not_to_be_kept defined?", Some("0"));

    let folder = daemon.state().join("context");
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!fs::read_to_string(file.path()).unwrap().contains(&secret), "masked on the disk");
    }
    let browser = Browser::signed_in(&daemon).await;
    let list = browser.page("/window/context").await;
    assert!(list.contains("why does retry_login") && list.contains("函数在哪里定义"), "{list}");
    for absent in ["good morning", "not_to_be_kept", &secret] {
        assert!(!list.contains(absent), "{absent}: {list}");
    }
    assert!(!list.contains("<script>alert"), "{list}");
    let links = list.split("href=\"").filter(|link| link.starts_with("/window/context?prompt="));
    let mut whole = Vec::new();
    for link in links {
        whole.push(browser.page(link.split('"').next().unwrap()).await);
    }
    assert_eq!(whole.len(), 2, "{list}");
    let page = whole.iter().find(|page| page.contains("why does")).unwrap();
    for shown in ["ci_search", "retry_login:1-2", "code found", "claude-code"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains("<script>alert") && !page.contains(&secret), "{page}");
    for id in ["..%2ftoken", "20261122-000000-aaaaaa", "%00"] {
        assert_eq!(browser.get(&format!("/window/context?prompt={id}")).await.status, 404, "{id}");
    }
}

/// A session of the advisor's token sees no turns, and so no prompts.
#[tokio::test]
async fn the_advisors_token_opens_no_prompts() {
    let daemon = daemon().await;
    let project = daemon.folder().home();
    prompted(&daemon, &project, "s1", "where is retry_login defined?", None);
    assert_eq!(fs::read_dir(daemon.state().join("context")).unwrap().count(), 1);
    let browser = Browser::signed_in_by(&daemon, daemon.client()).await;
    let name = fs::read_dir(daemon.state().join("context")).unwrap().next().unwrap().unwrap();
    let name = name.file_name().into_string().unwrap();
    let one = format!("/window/context?prompt={}", name.trim_end_matches(".json"));
    for path in ["/window/context", &one] {
        let page = browser.page(path).await;
        assert!(!page.contains("retry_login") && page.contains("may not see prompts"), "{page}");
    }
}
