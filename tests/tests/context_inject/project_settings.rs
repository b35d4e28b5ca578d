//! The `env` of a project's own settings of the client, which come with a clone, has no effect.

use std::fs;

use serde_json::{Map, Value, json};

use crate::fixture::{ABOUT_CODE, Entry};

#[test]
fn a_projects_settings_start_no_program_and_choose_no_place() {
    let entry = Entry::with_script(": > \"$MARK\"");
    let (root, work) = (entry.repository(), entry.folder.work());
    let (mark, state) = (work.join("started"), root.join("state"));
    let set = [
        ("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", work.join("orchestrator.sh")),
        ("CI_AUTO_TOOLS_REPO_ROOT", work.clone()),
        ("CI_AUTO_TOOLS_TIER_MAX", "2".into()),
        ("CODEX_BRIDGE_STATE_DIR", state.clone()),
        ("PATH", work.clone()),
    ];
    // The client gives a hook what the settings say, and where the project is.
    let entry = set
        .iter()
        .fold(entry, |entry, (name, value)| entry.with(name, value))
        .with("CLAUDE_PROJECT_DIR", &root)
        .with("MARK", &mark);
    let settings = root.join(".claude/settings.json");
    fs::create_dir(root.join(".claude")).unwrap();
    let env: Map<String, Value> =
        set.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    fs::write(&settings, json!({ "env": env }).to_string()).unwrap();

    let said = entry.hook(ABOUT_CODE, &root);
    let message = said.object()["systemMessage"].as_str().unwrap().to_owned();
    assert!(!mark.exists() && !state.exists(), "{said:?}");
    for (name, _) in &set {
        assert!(message.contains(name), "{name}: {message}");
    }

    // What the user has set counts.
    fs::write(&settings, "{}").unwrap();
    entry.hook(&format!("{ABOUT_CODE} And here?"), &root);
    assert!(mark.exists());
}
