//! `--with-hook`: the hook in Claude Code's settings, brought up to date, verified, and taken out again.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::fixture::Fresh;

fn settings(fresh: &Fresh) -> PathBuf {
    fresh.home().join(".claude/settings.json")
}

fn shim(fresh: &Fresh) -> PathBuf {
    fresh.home().join(".claude/hooks/context-inject-global.sh")
}

#[test]
fn the_hook_is_installed_upgraded_verified_and_removed_without_a_trace() {
    let fresh = Fresh::new().with_entry();
    fs::create_dir(fresh.home().join(".claude")).unwrap();
    let own = "{ \"model\": \"opus\",  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}}";
    fs::write(settings(&fresh), own).unwrap();
    let before = all_but_settings(&fresh);

    let said = fresh.installs(&["--with-hook", "--global"]);
    assert!(said.contains("==> putting the hook into Claude Code"), "{said}");
    assert!(said.contains("==> context-inject verify (user)"), "{said}");
    let text = fs::read_to_string(settings(&fresh)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let entry = &value["hooks"]["UserPromptSubmit"][0]["hooks"][0];
    assert_eq!(entry["command"].as_str().unwrap(), shim(&fresh).display().to_string());
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "mine");
    let program = fresh.installed("bin/context-inject").display().to_string();
    let code = fs::read_to_string(shim(&fresh)).unwrap();
    assert!(code.contains(&format!("\nexec '{program}' \"$@\"\n")), "{code}");

    // What was installed works: the shim finds the entry, and the entry its orchestrator.
    for name in ["context-inject-global.sh", "augment-context-global.sh"] {
        let path = shim(&fresh).with_file_name(name);
        let args = ["--plan", "--format", "json", "--prompt", "fix the bug in src/main.rs"];
        let said = fresh.run(path.as_os_str(), &args);
        assert!(said.code == Some(0) && said.out.contains("\"plan-"), "{said:?}");
    }

    // An update without the option brings the hook along; one that is damaged is mended.
    fs::write(shim(&fresh), format!("{code}# changed\n")).unwrap();
    let verified = fresh.call(&["--verify"]);
    assert_eq!(verified.code, Some(1), "{verified:?}");
    assert!(verified.out.contains("is another version's, or changed"), "{verified:?}");
    let said = fresh.installs(&[]);
    assert!(said.contains("  update  ") && said.contains("nothing to do"), "{said}");
    assert_eq!(fs::read_to_string(shim(&fresh)).unwrap(), code);
    let verified = fresh.call(&["--verify"]);
    assert!(
        verified.out.contains("ok    hook") && verified.out.contains("ok    report"),
        "{verified:?}"
    );
    assert!(!verified.out.contains("fail  re"), "{verified:?}");

    let said = fresh.uninstalls(&[]);
    assert!(said.contains("==> taking the hook out of Claude Code"), "{said}");
    assert_eq!(all_but_settings(&fresh), before, "{said}");
    assert_eq!(fs::read_to_string(settings(&fresh)).unwrap(), own, "to the byte");
}

/// Settings are replaced in one step, so that their file is another one afterwards.
fn all_but_settings(fresh: &Fresh) -> BTreeMap<String, String> {
    let mut tree = fresh.tree();
    assert!(tree.remove(&settings(fresh).display().to_string()).is_some());
    tree
}

/// The advisor's plugin had the hook once, and Claude Code uses the plugin where it lies.
#[test]
fn an_update_takes_the_hook_out_of_the_advisors_plugin() {
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let share = fresh.installed("share/codex-bridge");
    let (old, manifest) = (share.join("plugin/hooks/hooks.json"), share.join("install-manifest"));
    assert!(!old.exists() && share.join("context-plugin/hooks/hooks.json").exists());
    fs::write(&old, "{}").unwrap();
    let sum = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let listed = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("{listed}file {sum} {}\n", old.display())).unwrap();
    let said = fresh.installs(&[]);
    assert!(!old.exists() && said.contains("  remove  "), "{said}");
    // Settings that name the hook where it was go on with it.
    let program = fresh.installed("share/codex-bridge/plugin/hooks/context-inject-global.sh");
    let args = ["--plan", "--format", "json", "--prompt", "fix the bug in src/main.rs"];
    let said = fresh.run(program.as_os_str(), &args);
    assert!(said.code == Some(0) && said.out.contains("\"plan-"), "{said:?}");
}

#[test]
fn one_project_alone_may_have_the_hook() {
    let fresh = Fresh::new().with_entry();
    let before = fresh.tree();
    let project = fresh.home().join("shop");
    fs::create_dir(&project).unwrap();
    fresh.installs(&["--with-hook", "--project", project.to_str().unwrap()]);
    let own = project.join(".claude/settings.local.json");
    assert!(fs::read_to_string(&own).unwrap().contains("context-inject-global.sh"));
    assert!(!settings(&fresh).exists());
    fresh.uninstalls(&[]);
    fs::remove_dir(&project).unwrap();
    assert_eq!(fresh.tree(), before);
}

#[test]
fn settings_that_are_broken_are_left_alone_and_told() {
    let fresh = Fresh::new().with_entry();
    fs::create_dir(fresh.home().join(".claude")).unwrap();
    fs::write(settings(&fresh), "{ \"hooks\": [] }").unwrap();
    let said = fresh.install(&["--with-hook"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("was left alone: expected an object at \"/hooks\""), "{said:?}");
    assert_eq!(fs::read_to_string(settings(&fresh)).unwrap(), "{ \"hooks\": [] }");
    assert!(!shim(&fresh).exists() && fresh.installed("bin/context-inject").exists());
    // Once they are mended, the rest is done; and all of it goes.
    fs::write(settings(&fresh), "{}").unwrap();
    fresh.installs(&["--with-hook"]);
    assert!(shim(&fresh).exists());
    fresh.uninstalls(&[]);
    assert!(!shim(&fresh).exists());
}
