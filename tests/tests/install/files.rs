//! What is installed, updated, kept and removed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::fixture::{Fresh, Said, top};

/// Names in a folder that begin so.
fn backups(fresh: &Fresh, folder: &str, name: &str) -> Vec<String> {
    let entries = fs::read_dir(fresh.installed(folder)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|each| each.starts_with(&format!("{name}.bak-"))).collect()
}

#[test]
fn installed_twice_and_removed_without_a_trace() {
    let fresh = Fresh::new();
    let before = fresh.tree();
    let said = fresh.installs(&[]);
    assert!(said.contains("==> codex-bridge doctor") && said.contains("installed"), "{said}");

    let Said { code, out, .. } =
        fresh.run(fresh.installed("bin/codex-bridge").as_os_str(), &["--version"]);
    assert_eq!((code, out.split(' ').next()), (Some(0), Some("codex-bridge")));
    for (path, text) in [
        ("share/bash-completion/completions/codex-bridge", "codex-bridge"),
        ("share/bash-completion/completions/codex-advisor", "codex-advisor"),
        ("share/zsh/site-functions/_codex-bridge", "#compdef codex-bridge"),
        ("share/fish/vendor_completions.d/codex-advisor.fish", "codex-advisor"),
        ("share/codex-bridge/ecosystem.config.js", "wait_ready"),
        ("share/codex-bridge/OPERATIONS.md", "# Operations"),
        ("share/codex-bridge/plugin/.claude-plugin/plugin.json", "\"codex-bridge\""),
        ("share/codex-bridge/.claude-plugin/marketplace.json", "\"./plugin\""),
    ] {
        let content = fs::read_to_string(fresh.installed(path)).unwrap();
        assert!(content.contains(text), "{path}: {content}");
    }
    let unit = fresh.installed("share/codex-bridge/systemd/codex-bridge.service");
    let program = fresh.installed("bin/codex-bridge").display().to_string();
    let unit = fs::read_to_string(unit).unwrap();
    assert!(unit.contains(&format!("\nExecStart={program} serve\n")), "{unit}");
    let shim = fresh.installed("share/codex-bridge/plugin/bin/codex-advisor");
    assert_eq!(fs::metadata(&shim).unwrap().permissions().mode() & 0o777, 0o755);
    let found = fresh.run(shim.as_os_str(), &["--version"]);
    assert!(found.out.starts_with("codex-advisor "), "the plugin finds the program: {found:?}");

    let installed = fresh.tree();
    let said = fresh.installs(&[]);
    assert!(said.contains("nothing to do"), "{said}");
    assert_eq!(fresh.tree(), installed, "the second time changes nothing");

    // What a call that was killed leaves is taken away as well.
    fs::create_dir(fresh.installed("share/codex-bridge/.doctor")).unwrap();
    // The installed copy of the installer is enough.
    let own = fresh.installed("share/codex-bridge/install.sh");
    let said = fresh.run(own.as_os_str(), &["--uninstall", "--yes"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(fresh.tree(), before, "{}", said.out);
}

#[test]
fn what_somebody_changed_is_kept_beside() {
    let fresh = Fresh::new();
    let (settings, folder) = ("share/codex-bridge/ecosystem.config.js", "share/codex-bridge");
    // A program of somebody else's is in the way.
    fs::write(fresh.installed("bin/codex-advisor"), "theirs").unwrap();
    let said = fresh.installs(&[]);
    assert!(said.contains("bin/codex-advisor (kept as codex-advisor.bak-"), "{said}");
    let theirs = backups(&fresh, "bin", "codex-advisor");
    let [theirs] = theirs.as_slice() else { panic!("{theirs:?}") };
    assert_eq!(fs::read_to_string(fresh.installed(&format!("bin/{theirs}"))).unwrap(), "theirs");

    let ours = fs::read_to_string(fresh.installed(settings)).unwrap();
    fs::write(fresh.installed(settings), "// mine\n").unwrap();
    let said = fresh.installs(&[]);
    assert!(said.contains("ecosystem.config.js (kept as ecosystem.config.js.bak-"), "{said}");
    assert_eq!(fs::read_to_string(fresh.installed(settings)).unwrap(), ours);
    let mine = backups(&fresh, folder, "ecosystem.config.js");
    let [mine] = mine.as_slice() else { panic!("{mine:?}") };
    let mine = fresh.installed(&format!("{folder}/{mine}"));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "// mine\n");

    // Changed again: not even the removal takes it away.
    fs::write(fresh.installed("share/codex-bridge/LICENSE"), "changed").unwrap();
    let said = fresh.uninstalls(&[]);
    assert!(said.contains("LICENSE (changed since; now LICENSE.bak-"), "{said}");
    assert_eq!(backups(&fresh, folder, "LICENSE").len(), 1);
    assert!(mine.exists() && !fresh.installed("bin/codex-bridge").exists());
}

/// What was there already, to the letter, is not ours to take away.
#[test]
fn an_equal_file_of_somebody_else_stays() {
    let fresh = Fresh::new();
    fs::create_dir_all(fresh.installed("share/codex-bridge")).unwrap();
    let license = fresh.installed("share/codex-bridge/LICENSE");
    fs::copy(top().join("LICENSE"), &license).unwrap();
    let before = fresh.tree();
    let said = fresh.installs(&[]);
    assert!(said.contains("LICENSE (it was there already"), "{said}");
    fresh.uninstalls(&[]);
    assert_eq!(fresh.tree(), before);
}

#[test]
fn a_newer_version_takes_the_place_of_ours_without_a_copy() {
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let program = fresh.programs().join("codex-bridge");
    let mut newer = fs::read(&program).unwrap();
    newer.extend_from_slice(b"newer");
    // Not through the link to what was built.
    fs::remove_file(&program).unwrap();
    fs::write(&program, &newer).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let said = fresh.installs(&[]);
    assert!(said.contains("  update  ") && said.contains("1 change(s)"), "{said}");
    assert_eq!(fs::read(fresh.installed("bin/codex-bridge")).unwrap(), newer);
    assert_eq!(backups(&fresh, "bin", "codex-bridge"), Vec::<String>::new());
}

#[test]
fn a_dry_run_writes_nothing() {
    let fresh = Fresh::new();
    let before = fresh.tree();
    let said = fresh.installs(&["--dry-run", "--user"]);
    assert!(said.contains("bin/codex-bridge") && said.contains("user/codex-bridge.service"));
    assert_eq!(fresh.tree(), before);
    fresh.installs(&[]);
    let installed = fresh.tree();
    let said = fresh.uninstalls(&["--dry-run"]);
    assert!(said.contains("  remove  ") && said.contains("bin/codex-bridge"), "{said}");
    assert_eq!(fresh.tree(), installed);
}

/// Without a service manager the unit is in place all the same, and the next step is told.
#[test]
fn the_unit_of_a_user_is_installed_and_removed() {
    let fresh = Fresh::new();
    let before = fresh.tree();
    let said = fresh.install(&["--user"]);
    if said.err.contains("there is no systemctl here") {
        assert_eq!(fresh.tree(), before);
        return;
    }
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("systemctl --user enable --now codex-bridge.service"), "{said:?}");
    let unit = fresh.home().join(".config/systemd/user/codex-bridge.service");
    let unit = fs::read_to_string(unit).unwrap();
    let program = fresh.installed("bin/codex-bridge").display().to_string();
    assert!(unit.contains(&format!("\nExecStart={program} serve\n")), "{unit}");
    // An update without the option leaves the service alone.
    let said = fresh.installs(&[]);
    assert!(said.contains("nothing to do"), "{said}");
    fresh.uninstalls(&[]);
    assert_eq!(fresh.tree(), before);
}

#[test]
fn the_state_folder_stays_unless_it_is_purged() {
    let fresh = Fresh::new();
    let before = fresh.tree();
    fresh.installs(&[]);
    let program = fresh.installed("bin/codex-bridge");
    assert_eq!(fresh.run(program.as_os_str(), &["token"]).code, Some(0));
    let said = fresh.uninstalls(&[]);
    let state = fresh.home().join(".local/state/codex-bridge");
    assert!(said.contains("--purge removes it") && state.join("token").exists(), "{said}");
    fresh.installs(&[]);
    fresh.uninstalls(&["--purge"]);
    assert!(!state.exists());
    fs::remove_dir(fresh.home().join(".local/state")).unwrap();
    assert_eq!(fresh.tree(), before);
}
