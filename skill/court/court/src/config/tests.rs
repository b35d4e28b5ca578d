//! Layers, faults, and what a project may not do.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use gate::Policy;

use super::keys::KEYS;
use super::{DEFAULT_FILE, Enabled, Fail, Resolved, Verdict, resolve};
use crate::environment::Environment;
use crate::places::Places;
use crate::records::{Accepted, Wish, digest};
use crate::store::Store;

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
    assert_eq!(resolved.config.deadline, Duration::from_millis(1000));
    assert_eq!(resolved.config.packet_deadline, Duration::from_millis(2000));
    let (_folder, same) = self::resolved(DEFAULT_FILE, DEFAULT_FILE, &[]);
    assert!(same.faults.is_empty(), "{:?}", same.faults);
    assert_eq!(same.config, resolved.config);
}

#[test]
fn environment_goes_before_project_before_user() {
    let (_folder, resolved) = resolved(
        "[court]\nfail = \"closed\"\ndeadline_ms = 100\n[gate]\nl2 = \"ask\"",
        "[gate]\npolicy = \"strict\"\nl2 = \"deny\"",
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
fn the_users_settings_count_where_no_other_user_could_write_them() {
    let (folder, _) = resolved("[court]\nenabled = false", "", &[]);
    let home = folder.path().to_str().unwrap();
    let environment = Environment::of([("HOME", home), ("CLAUDE_PROJECT_DIR", home)]);
    let places = Places::find(&environment, folder.path());
    for (mode, enabled, faults) in [(0o644, Enabled::No, 0), (0o666, Enabled::Yes, 1)] {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(&places.user_config, mode).unwrap();
        let resolved = resolve(&environment, &places);
        assert_eq!((resolved.config.enabled, resolved.faults.len()), (enabled, faults));
    }
}

/// For each key: a value of the user or `""` for the default, one of the project, and what holds.
#[test]
fn a_project_can_only_make_each_key_stricter() {
    let rows: &[(&str, &str, &str, &str)] = &[
        ("court.enabled", "", "false", "true"),
        ("court.enabled", "true", "false", "true"),
        ("court.enabled", "false", "true", "true"),
        ("court.fail", "", "\"closed\"", "\"closed\""),
        ("court.fail", "\"closed\"", "\"open\"", "\"closed\""),
        ("court.reviewer", "", "\"codex\"", "\"historian\""),
        ("court.reviewer", "\"codex\"", "\"historian\"", "\"codex\""),
        ("court.review", "", "\"off\"", "\"changes\""),
        ("court.review", "", "\"always\"", "\"always\""),
        ("court.review", "\"off\"", "\"changes\"", "\"changes\""),
        ("court.review", "\"always\"", "\"changes\"", "\"always\""),
        ("court.print_review", "", "\"always\"", "\"off\""),
        ("court.print_review", "\"changes\"", "\"off\"", "\"changes\""),
        ("court.deadline_ms", "", "20", "DEFAULT"),
        ("court.deadline_ms", "", "60000", "DEFAULT"),
        ("court.packet_deadline_ms", "", "20", "2000"),
        ("court.packet_deadline_ms", "900", "2000", "900"),
        ("gate.policy", "", "\"strict\"", "\"strict\""),
        ("gate.policy", "\"strict\"", "\"graded\"", "\"strict\""),
        ("gate.l2", "", "\"ask\"", "\"deny\""),
        ("gate.l2", "\"ask\"", "\"deny\"", "\"deny\""),
        ("gate.approver", "", "\"user\"", "\"user\""),
        ("gate.approver", "\"user\"", "\"any\"", "\"user\""),
        ("gate.scratch", "", "[\"/\"]", "[]"),
        ("gate.scratch", "", "[\"build-x\"]", "[]"),
        ("gate.scratch", "[\"w\"]", "[]", "[\"w\"]"),
        ("gate.protected", "[\"infra\"]", "[]", "[\"infra\"]"),
        ("gate.protected", "[\"infra\"]", "[\"src\"]", "[\"infra\", \"src\"]"),
        ("gate.allow", "", "[\"docker push *\"]", "[]"),
        ("gate.allow", "[\"docker push *\"]", "[]", "[\"docker push *\"]"),
        ("review.expires_s", "", "60", "60"),
        ("review.expires_s", "", "86400", "900"),
        ("review.expires_s", "30", "60", "30"),
        ("ledger.context_max", "", "500", "6000"),
        ("ledger.context_max", "", "9500", "6000"),
        ("packets.keep", "", "1", "50"),
        ("packets.keep", "", "10000", "50"),
        ("historian.agents", "", "[\"general-purpose\"]", "[\"court:historian\"]"),
        ("historian.agents", "", "[]", "[\"court:historian\"]"),
        ("historian.loops", "", "0", "5"),
        ("historian.loops", "1", "5", "1"),
    ];
    for key in KEYS {
        assert!(rows.iter().any(|row| row.0 == key.name), "{} has no row", key.name);
    }
    let (_folder, defaults) = resolved("", "", &[]);
    for (key, user, project, expected) in rows {
        let (section, name) = key.split_once('.').unwrap();
        let file = |value: &str| match value {
            "" => String::new(),
            value => format!("[{section}]\n{name} = {value}\n"),
        };
        let (_folder, resolved) = resolved(&file(user), &file(project), &[]);
        let held = |resolved: &Resolved| {
            let found = resolved.settings.iter().find(|(name, _, _)| name == key).unwrap();
            found.1.to_string()
        };
        let expected =
            if *expected == "DEFAULT" { held(&defaults) } else { (*expected).to_owned() };
        assert_eq!(held(&resolved), expected, "{key}: user {user}, project {project}");
        // What is not used is said, and nothing else is.
        let is_used = *project == expected || key == &"gate.protected";
        assert_eq!(resolved.faults.is_empty(), is_used, "{key} = {project}: {:?}", resolved.faults);
    }
}

#[test]
fn the_user_agrees_to_a_projects_settings_by_content() {
    let loose = "[court]\nenabled = false\n[gate]\nscratch = [\"work\"]\n";
    let (folder, resolved) = resolved("", loose, &[]);
    assert_eq!((resolved.config.enabled, resolved.faults.len()), (Enabled::Yes, 2));
    let home = folder.path().to_str().unwrap();
    let environment = Environment::of([("HOME", home), ("CLAUDE_PROJECT_DIR", home)]);
    let places = Places::find(&environment, folder.path());
    let store = Store::new(&places, Instant::now());
    store
        .update(|accepted: &mut Accepted| accepted.digests.insert(Wish::Settings, digest(loose)))
        .unwrap();
    let agreed = resolve(&environment, &places);
    assert_eq!((agreed.config.enabled, agreed.config.scratch.len()), (Enabled::No, 1));
    assert!(agreed.faults.is_empty(), "{:?}", agreed.faults);
    fs::write(places.project_config(), format!("{loose}# changed\n")).unwrap();
    assert_eq!(resolve(&environment, &places).config.enabled, Enabled::Yes);
}

#[test]
fn a_projects_list_of_allowed_commands_is_never_used_not_even_agreed_to() {
    let wanted = "[gate]\nallow = [\"docker push *\"]\n";
    let (folder, asked) = resolved("[gate]\nallow = [\"kubectl apply ...\"]", wanted, &[]);
    let home = folder.path().to_str().unwrap();
    let environment = Environment::of([("HOME", home), ("CLAUDE_PROJECT_DIR", home)]);
    let places = Places::find(&environment, folder.path());
    Store::new(&places, Instant::now())
        .update(|accepted: &mut Accepted| accepted.digests.insert(Wish::Settings, digest(wanted)))
        .unwrap();
    for resolved in [asked, resolve(&environment, &places)] {
        let allowed: Vec<String> = resolved.config.allow.iter().map(ToString::to_string).collect();
        assert_eq!(allowed, ["kubectl apply ..."]);
        let told: Vec<String> = resolved.faults.iter().map(ToString::to_string).collect();
        let [fault] = told.as_slice() else { panic!("{told:?}") };
        assert!(fault.contains(".court/court.toml: gate.allow is for your own file"), "{fault}");
    }
    let (_folder, other) = resolved("", "", &[("COURT_ALLOW", "docker push *")]);
    assert!(other.config.allow.is_empty());
}

#[test]
fn a_command_to_allow_that_is_none_is_told_of_with_its_place() {
    faults(
        "[gate]\nallow = [\"docker push *\", \"a && b\"]",
        "",
        &[],
        expect![[
            r#"~/.config/codex-bridge/court.toml: gate.allow: "a && b" is no command to allow: it has the sign '&': a pattern is one command's words, with * for any text"#
        ]],
    );
    for (list, what) in [
        ("[1]", "1 is not a text"),
        ("\"docker\"", "is not a list of commands"),
        ("[\" \"]", "it names no command"),
        ("[\"* push\"]", "its first word must be a program's whole name"),
        ("[\"A=1 docker push\"]", "its first word must be a program's whole name"),
        ("[\"docker ... x\"]", "only at the end"),
        ("[\"echo $(x)\"]", "it has the sign '$'"),
    ] {
        let (_folder, resolved) = resolved(&format!("[gate]\nallow = {list}\n"), "", &[]);
        let told: Vec<String> = resolved.faults.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1, "{list}: {told:?}");
        assert!(told[0].contains("gate.allow") && told[0].contains(what), "{list}: {told:?}");
        assert!(resolved.config.allow.is_empty(), "{list}");
    }
}

#[test]
fn a_settings_file_behind_a_link_is_not_read() {
    let (folder, _) = resolved("", "", &[]);
    let home = folder.path().to_str().unwrap();
    let environment = Environment::of([("HOME", home), ("CLAUDE_PROJECT_DIR", home)]);
    let places = Places::find(&environment, folder.path());
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let secret = folder.path().join("elsewhere/court.toml");
    fs::write(&secret, "token = \"tiger\"").unwrap();
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), places.court()).unwrap();
    let faults = resolve(&environment, &places).faults;
    assert_eq!(faults.len(), 1);
    let said = faults[0].to_string();
    assert!(said.contains("symbolic link") && !said.contains("tiger"), "{said}");
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
fn the_historian_is_the_plugins_own() {
    let (_folder, resolved) = resolved("", "", &[]);
    for (kind, expected) in [
        ("court:historian", true),
        ("historian", false),
        ("x:historian", false),
        ("general-purpose", false),
        ("historian2", false),
        ("", false),
    ] {
        assert_eq!(resolved.config.is_historian(kind), expected, "{kind}");
    }
}
