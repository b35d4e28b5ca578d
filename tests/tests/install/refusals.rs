//! Errors are reported before anything is written.

use std::fs;

use crate::fixture::{Fresh, top};

fn check(options: &[&str], code: i32, text: &str) {
    let fresh = Fresh::new();
    let before = fresh.tree();
    let said = fresh.call(options);
    assert_eq!(said.code, Some(code), "{options:?}: {said:?}");
    assert!(said.err.contains(text), "{options:?}: {said:?}");
    assert_eq!(fresh.tree(), before, "{options:?}");
}

#[test]
fn a_wrong_command_line_is_2() {
    check(&["--prefx", "/x"], 2, "unknown option --prefx");
    check(&["--from"], 2, "--from needs a value");
    check(&["--user", "--pm2"], 2, "choose one of --systemd, --user and --pm2");
    check(&["--purge"], 2, "--purge goes with --uninstall");
    check(&["--from", "/usr/bin"], 2, "give --yes");
    check(&["--global"], 2, "--global and --project go with --with-hook");
    check(
        &["--with-hook", "--global", "--project", "/"],
        2,
        "choose one of --global and --project",
    );
}

#[test]
fn what_is_missing_is_said_first() {
    check(&["--yes", "--from", "/nonexistent"], 1, "/nonexistent/codex-bridge is no program");
    check(&["--yes", "--pm2"], 1, "pm2 is not on the PATH: npm install -g pm2");
    check(&["--yes", "--plugin"], 1, "claude is not on the PATH");
    check(&["--yes", "--uninstall"], 1, "nothing is installed below");
    check(&["--verify"], 1, "nothing is installed below");
    check(&["--yes", "--with-hook", "--project", "/nonexistent"], 1, "--project names no folder");
    check(
        &["--yes", "--prefix", "/tmp/with blank"],
        1,
        "has characters that unit files do not take",
    );
}

/// Claude Code's settings are looked at only when the plugin is asked for, and never touched where
/// they are broken.
#[test]
fn broken_settings_are_left_alone() {
    let fresh = Fresh::new();
    let settings = fresh.home().join(".claude/settings.json");
    fs::create_dir(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{ // mine\n}").unwrap();
    fresh.installs(&[]);
    let program = fresh.installed("bin/codex-bridge");
    let said = fresh.run(program.as_os_str(), &["setup", "claude-code"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("was left alone: line 1, column 3"), "{said:?}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{ // mine\n}");
    assert_eq!(fs::read_dir(settings.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn the_scripts_keep_to_what_every_shell_has() {
    let fresh = Fresh::new();
    let scripts = [
        "deploy/install.sh",
        "skill/advisor/plugin/bin/codex-advisor",
        "skill/advisor/plugin/bin/codex-bridge",
        "skill/plugin/hooks/augment-context-global.sh",
        ".githooks/pre-commit",
        "deploy/x-code",
        "skill/plugin/hooks/context-inject-global.sh",
        "skill/context/plugin/bin/ci",
        "skill/context/plugin/hooks/augment-context-global.sh",
        "skill/context/plugin/hooks/context-inject-global.sh",
        "skill/context/plugin/lib/prune-cache.sh",
    ];
    for script in scripts {
        let script = top().join(script);
        let script = script.to_str().unwrap();
        let said = fresh.run("sh".as_ref(), &["-n", script]);
        assert_eq!(said.code, Some(0), "{said:?}");
        if fresh.run("sh".as_ref(), &["-c", "command -v shellcheck"]).code != Some(0) {
            skipping::missing("shellcheck", "run `make debian`");
            continue;
        }
        let said = fresh.run(
            "shellcheck".as_ref(),
            &["--external-sources", "--source-path=SCRIPTDIR/..", script],
        );
        assert_eq!(said.code, Some(0), "{}", said.out);
    }
}
