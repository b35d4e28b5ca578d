//! The plugins' shims: they execute the installed programs, whatever else they could find.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use crate::fixture::{Fresh, Said, top};

/// What a planted program says.
const PLANTED: &str = "planted";

/// Writes a program that says who it is.
fn program(path: &Path, says: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A copy of the plugin, as a client keeps one.
fn copied(plugin: &str, to: &Path) -> PathBuf {
    for file in ["lib/installed.sh", "bin/codex-advisor", "bin/court"] {
        let from = top().join("skill").join(plugin).join("plugin").join(file);
        if from.exists() {
            fs::create_dir_all(to.join(file).parent().unwrap()).unwrap();
            fs::copy(from, to.join(file)).unwrap();
        }
    }
    to.to_owned()
}

/// Runs a shim with this PATH, before the system's, from a folder.
fn shim(fresh: &Fresh, shim: &Path, path: &str, from: &Path) -> Said {
    let script = format!(
        "cd '{}' && PATH='{path}:/usr/bin:/bin' && export PATH && exec '{}' --version",
        from.display(),
        shim.display()
    );
    fresh.run("/bin/sh".as_ref(), &["-c", &script])
}

#[track_caller]
fn finds_nothing(said: &Said, what: &str) {
    assert_eq!(said.code, Some(3), "{what}: {said:?}");
    assert!(said.out.contains("bridge_unreachable"), "{what}: {said:?}");
}

#[test]
fn a_search_path_does_not_make_a_shim_another_program() {
    let fresh = Fresh::new();
    let work = fresh.folder().work();
    let plugin = copied("advisor", &work.join("cache/plugin"));
    let at = plugin.join("bin/codex-advisor");
    let project = work.join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(project.join("src")).unwrap();
    let planted = project.join("bin");
    for folder in [&planted, &project, &project.join("src"), &project.join("src/bin")] {
        program(&folder.join("codex-advisor"), PLANTED);
    }
    let linked = work.join("linked");
    symlink(&planted, &linked).unwrap();
    let open = work.join("open");
    program(&open.join("codex-advisor"), PLANTED);
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    program(&open.join("inner/codex-advisor"), PLANTED);
    let writable = work.join("writable");
    program(&writable.join("codex-advisor"), PLANTED);
    let everyones = fs::Permissions::from_mode(0o757);
    fs::set_permissions(writable.join("codex-advisor"), everyones).unwrap();
    let renamed = work.join("renamed");
    fs::create_dir(&renamed).unwrap();
    symlink("/bin/echo", renamed.join("codex-advisor")).unwrap();
    let mut paths = vec![
        String::new(),
        ".".to_owned(),
        "bin".to_owned(),
        "./bin".to_owned(),
        "../project/bin".to_owned(),
    ];
    let absolute = [&planted, &linked, &open, &open.join("inner"), &writable, &renamed];
    paths.extend(absolute.map(|folder| folder.display().to_string()));
    if rustix::process::geteuid().is_root() {
        let foreign = work.join("foreign");
        program(&foreign.join("codex-advisor"), PLANTED);
        chown(&foreign, Some(65_534), None).unwrap();
        paths.push(foreign.display().to_string());
        let given = work.join("given");
        program(&given.join("codex-advisor"), PLANTED);
        chown(given.join("codex-advisor"), Some(65_534), None).unwrap();
        paths.push(given.display().to_string());
    } else {
        skipping::impossible("only root can give files to another user");
    }
    for path in &paths {
        for from in [&project, &project.join("src")] {
            finds_nothing(&shim(&fresh, &at, path, from), &format!("{path:?} in {from:?}"));
        }
    }
    // An absolute folder of this user's, outside of the project, counts; what is installed counts first.
    let good = work.join("good bin");
    program(&good.join("codex-advisor"), "good");
    let good = good.display().to_string();
    assert_eq!(shim(&fresh, &at, &good, &project).out, "good\n");
    program(&fresh.installed("bin/codex-advisor"), "installed");
    assert_eq!(shim(&fresh, &at, &good, &project).out, "installed\n");
}

#[test]
fn a_checkout_does_not_bring_the_program_that_a_shim_becomes() {
    let fresh = Fresh::new();
    let work = fresh.folder().work();
    // Three folders above a plugin in a checkout is whoever's the parent is.
    let plugin = copied("advisor", &work.join("checkout/skill/advisor/plugin"));
    for folder in ["bin", "checkout/bin", "checkout/skill/bin"] {
        program(&work.join(folder).join("codex-advisor"), PLANTED);
    }
    let at = plugin.join("bin/codex-advisor");
    finds_nothing(&shim(&fresh, &at, "", &work), "a checkout");
    // Nor does a variable name the shim's own library.
    let evil = work.join("evil");
    program(&evil.join("lib/installed.sh"), "planted; exit 0");
    let court = copied("court", &work.join("cache/court")).join("bin/court");
    let script =
        format!("CLAUDE_PLUGIN_ROOT='{}' exec '{}' doctor", evil.display(), court.display());
    let said = fresh.run("/bin/sh".as_ref(), &["-c", &script]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("court is not installed") && said.out.is_empty(), "{said:?}");
}

#[test]
fn an_installed_plugin_knows_its_programs_by_the_prefix() {
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let share = fresh.installed("share/codex-bridge/plugin");
    let prefix = fresh.home().join(".local").display().to_string();
    assert_eq!(fs::read_to_string(share.join("lib/prefix")).unwrap(), format!("{prefix}\n"));
    // A client copies the plugin elsewhere; the prefix goes along, and nothing comes before it.
    let work = fresh.folder().work();
    let copy = copied("advisor", &work.join("cache/plugin"));
    fs::copy(share.join("lib/prefix"), copy.join("lib/prefix")).unwrap();
    program(&work.join("other/codex-advisor"), PLANTED);
    let other = work.join("other").display().to_string();
    let fresh = fresh.env("HOME", "/nonexistent").env("CODEX_BRIDGE_BIN_DIR", &other);
    for at in [copy, share.clone()] {
        let said = shim(&fresh, &at.join("bin/codex-advisor"), &other, &work);
        assert!(said.out.starts_with("codex-advisor "), "{said:?}");
    }
    fs::remove_file(share.join("lib/prefix")).unwrap();
    let said = shim(&fresh, &share.join("bin/codex-advisor"), &other, &work);
    assert!(said.out.starts_with("codex-advisor "), "by where it lies: {said:?}");
}

/// Odd characters in the places that are searched.
#[test]
fn shims_find_programs_below_odd_names() {
    let odd = "-a b'c\"d#e&f|g;h$(touch pwned)`touch pwned`*?[j]\\k%s~ü\nl";
    let fresh = Fresh::new();
    let work = fresh.folder().work();
    let home = work.join(odd);
    program(&home.join(".local/bin/codex-advisor"), "found");
    let plugin = copied("advisor", &home.join("cache/plugin"));
    let fresh = fresh.env("HOME", &home);
    let said = fresh.run(plugin.join("bin/codex-advisor").as_os_str(), &[]);
    assert_eq!(said.out, "found\n", "{said:?}");
    assert!(!work.join("pwned").exists());
}
