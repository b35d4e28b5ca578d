//! Layers, faults, and what a project may not do.

use std::fs;
use std::path::Path;
use std::time::Duration;

use expect_test::{Expect, expect};
use gate::Policy;

use super::{DEFAULT_FILE, Enabled, Fail, Resolved, Verdict, resolve};
use crate::environment::Environment;
use crate::places::Places;

/// Resolves with these files and variables.
fn resolved(
    user: &str,
    project: &str,
    variables: &[(&str, &str)],
) -> (tempfile::TempDir, Resolved) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap();
    let mut environment = vec![("HOME", home), ("CLAUDE_PROJECT_DIR", home)];
    environment.extend(variables);
    let environment = Environment::of(environment);
    let places = Places::find(&environment, Path::new(home));
    for (path, text) in [(&places.user_config, user), (&places.project_config(), project)] {
        if !text.is_empty() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let resolved = resolve(&environment, &places);
    (folder, resolved)
}

fn faults(user: &str, project: &str, variables: &[(&str, &str)], expected: Expect) {
    let (folder, resolved) = resolved(user, project, variables);
    let lines: Vec<String> = resolved.faults.iter().map(ToString::to_string).collect();
    expected.assert_eq(&lines.join("\n").replace(folder.path().to_str().unwrap(), "~"));
}

#[test]
fn the_default_file_is_whole_and_right() {
    let (_folder, resolved) = resolved("", "", &[]);
    assert!(resolved.faults.is_empty(), "{:?}", resolved.faults);
    assert_eq!(resolved.config.deadline, Duration::from_millis(300));
    assert_eq!(resolved.config.packet_deadline, Duration::from_millis(2000));
    let (_folder, same) = self::resolved(DEFAULT_FILE, DEFAULT_FILE, &[]);
    assert!(same.faults.is_empty(), "{:?}", same.faults);
    assert_eq!(same.config, resolved.config);
}

#[test]
fn environment_goes_before_project_before_user() {
    let (_folder, resolved) = resolved(
        "[court]\nfail = \"closed\"\ndeadline_ms = 100\n[gate]\nl2 = \"ask\"",
        "[court]\ndeadline_ms = 200\n[gate]\npolicy = \"strict\"\nl2 = \"deny\"",
        &[("COURT_DEADLINE_MS", "250")],
    );
    assert!(resolved.faults.is_empty(), "{:?}", resolved.faults);
    let config = resolved.config;
    assert_eq!(
        (config.fail, config.deadline, config.policy, config.l2),
        (Fail::Closed, Duration::from_millis(250), Policy::Strict, Verdict::Deny)
    );
}

#[test]
fn a_project_cannot_loosen_what_the_user_has_set() {
    let user =
        "[court]\nenabled = true\nfail = \"closed\"\n[gate]\npolicy = \"strict\"\nl2 = \"deny\"";
    let loose =
        "[court]\nenabled = false\nfail = \"open\"\n[gate]\npolicy = \"graded\"\nl2 = \"ask\"";
    faults(
        user,
        loose,
        &[],
        expect![[r#"
            ~/.court/court.toml: court.enabled = false: a project cannot loosen what the user has set
            ~/.court/court.toml: court.fail = "open": a project cannot loosen what the user has set
            ~/.court/court.toml: gate.l2 = "ask": a project cannot loosen what the user has set
            ~/.court/court.toml: gate.policy = "graded": a project cannot loosen what the user has set"#]],
    );
    let (_folder, resolved) = resolved("", loose, &[]);
    assert_eq!(resolved.config.enabled, Enabled::No);
}

#[test]
fn all_faults_are_told_together_and_the_rest_holds() {
    faults(
        "[court]\nfial = \"closed\"\ndeadline_ms = 1\nreviewer = \"nobody\"\n[gate]\nscratch = \"x\"\n[zzz]\ny = 1",
        "[court]\nenabled = \"no\"\nfail =",
        &[("COURT_DEADLINE_MS", "soon"), ("COURT_POLICY", "lax")],
        expect![[r#"
            ~/.court/court.toml: is no TOML: TOML parse error at line 3, column 7
              |
            3 | fail =
              |       ^
            string values must be quoted, expected literal string
            COURT_DEADLINE_MS: `soon` is not a number from 20 to 60000
            ~/.config/codex-bridge/court.toml: court.deadline_ms: 1 is not a number from 20 to 60000
            ~/.config/codex-bridge/court.toml: unknown key `court.fial`; did you mean `court.fail`?
            ~/.config/codex-bridge/court.toml: court.reviewer: "nobody" is not "historian" or "codex"
            ~/.config/codex-bridge/court.toml: gate.scratch: "x" is not a list of texts
            ~/.config/codex-bridge/court.toml: unknown key `zzz.y`
            COURT_POLICY: gate.policy: "lax" is not "graded" or "strict""#]],
    );
}

#[test]
fn the_historian_is_known_alone_and_in_a_plugin() {
    let (_folder, resolved) = resolved("", "", &[]);
    for (kind, expected) in [
        ("historian", true),
        ("court:historian", true),
        ("general-purpose", false),
        ("historian2", false),
        ("", false),
    ] {
        assert_eq!(resolved.config.is_historian(kind), expected, "{kind}");
    }
}
