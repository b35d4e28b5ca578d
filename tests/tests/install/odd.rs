//! Unusual names in the environment, manifests that name foreign files, and third-party checkouts: nothing
//! outside of the prefix is executed, written or removed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use tests::planted::{HOSTILE, HOSTILE_NAME, hidden};

use crate::fixture::{Fresh, Said, top};

/// Everything that a shell, `sed` or a list of words may trip over.
const ODD: &str = "-a b'c\"d#e&f|g;h$(touch pwned)`touch pwned`*?[j]\\k%s~ü{l,m}<n>(o)!";

/// Another user.
const NOBODY: u32 = 65_534;

/// A folder of this name beside the home folder.
fn beside(fresh: &Fresh, name: &str) -> PathBuf {
    let path = fresh.folder().work().join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipping::impossible("only root can give files to another user");
    }
    is_root
}

/// Lines that are added to the manifest of what is installed.
fn add_to_manifest(fresh: &Fresh, lines: &str) {
    let path = fresh.installed("share/codex-bridge/install-manifest");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{manifest}{lines}")).unwrap();
}

#[test]
fn odd_characters_in_every_variable_change_nothing() {
    let fresh = Fresh::new();
    let odd = beside(&fresh, ODD);
    let names = ["home", "config", "state", "temp"].map(|name| odd.join(name).join(ODD));
    for path in &names {
        fs::create_dir_all(path).unwrap();
    }
    // What a list of words would make of the state folder.
    let neighbour = beside(&fresh, "b'c\"d#e&f|g;h$(touch/codex-bridge");
    let [home, config, state, temp] = names;
    let prefix = fresh.installed("");
    let prefix = prefix.to_str().unwrap().trim_end_matches('/');
    let before = fresh.tree();
    let fresh = fresh
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", &config)
        .env("XDG_STATE_HOME", &state)
        .env("TMPDIR", &temp);
    let said = fresh.installs(&["--prefix", prefix]);
    assert!(said.contains(&format!("new     {prefix}/bin/codex-bridge\n")), "{said}");
    let program = fresh.installed("bin/codex-bridge");
    assert_eq!(fresh.run(program.as_os_str(), &["token"]).code, Some(0));
    assert!(state.join("codex-bridge/token").exists());
    fresh.uninstalls(&["--purge", "--prefix", prefix]);
    assert_eq!(fresh.tree(), before);
    assert!(!state.join("codex-bridge").exists() && neighbour.exists());
    let left: Vec<_> = fs::read_dir(&temp).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!fresh.folder().work().join("pwned").exists());

    // A prefix is written into unit files, which take fewer names.
    let said = fresh.install(&[]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("characters that unit files do not take"), "{said:?}");
}

/// A blank at a name's end is a part of it, and `cd -` would be another folder than `-`.
#[test]
fn the_hook_of_a_project_goes_to_no_neighbour() {
    let fresh = Fresh::new().with_entry();
    let [project, neighbour, earlier] =
        ["shop ", "shop", "earlier"].map(|name| beside(&fresh, name));
    let fresh = fresh.env("OLDPWD", &earlier);
    fresh.installs(&["--with-hook", "--project", project.to_str().unwrap()]);
    let settings = project.join(".claude/settings.local.json");
    assert!(settings.exists());
    let said = fresh.install(&["--with-hook", "--project", "-"]);
    assert!(said.code == Some(1) && said.err.contains("names no folder"), "{said:?}");
    fresh.uninstalls(&[]);
    assert!(!settings.exists());
    for folder in [&neighbour, &earlier] {
        assert!(!folder.join(".claude").exists(), "{}", folder.display());
    }
}

#[test]
fn what_cannot_be_written_down_is_refused() {
    for variable in
        ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_BRIDGE_STATE_DIR", "TMPDIR"]
    {
        let fresh = Fresh::new();
        let before = fresh.tree();
        let said = fresh.env(variable, "/tmp/a\nfile - /etc").call(&["--yes", "--verify"]);
        assert_eq!(said.code, Some(1), "{variable}: {said:?}");
        assert!(said.err.contains("control character"), "{variable}: {said:?}");
        assert_eq!(Fresh::new().tree().len(), before.len());
    }
    let fresh = Fresh::new();
    for prefix in ["/tmp/a/../b", "/tmp/./a", "/tmp//a", "../a"] {
        let said = fresh.install(&["--prefix", prefix]);
        assert_eq!(said.code, Some(1), "{prefix}: {said:?}");
        assert!(said.err.contains("lead elsewhere"), "{prefix}: {said:?}");
    }
}

/// A name that acts on a terminal is refused where it would be written down, and shown to nobody as it is.
#[test]
fn no_name_acts_on_the_terminal() {
    let check = |said: &Said, what: &str| {
        assert_eq!(hidden(&said.out).or_else(|| hidden(&said.err)), None, "{what}: {said:?}");
    };
    let refused = |said: &Said, what: &str| {
        check(said, what);
        assert_eq!(said.code, Some(1), "{what}: {said:?}");
        assert!(said.err.contains("control character"), "{what}: {said:?}");
    };
    for name in [HOSTILE.trim_end(), HOSTILE_NAME, "a\u{202e}b", "a\u{9b}31m", "line\n"] {
        for variable in ["HOME", "XDG_STATE_HOME", "TMPDIR"] {
            let fresh = Fresh::new();
            let folder = beside(&fresh, &format!("odd{name}"));
            refused(&fresh.env(variable, &folder).install(&["--dry-run"]), variable);
        }
        // A checkout, called from elsewhere and from within, where its name is in no argument.
        let fresh = Fresh::new();
        let checkout = beside(&fresh, &format!("checkout{name}"));
        fs::create_dir(checkout.join("deploy")).unwrap();
        fs::write(checkout.join("Cargo.toml"), "").unwrap();
        let script = checkout.join("deploy/install.sh");
        fs::copy(top().join("deploy/install.sh"), &script).unwrap();
        refused(&fresh.run(script.as_os_str(), &["--yes", "--dry-run"]), "checkout");
        let within = "cd \"$0\" && exec sh deploy/install.sh --yes --dry-run";
        let folder = checkout.to_str().unwrap();
        refused(&fresh.run("sh".as_ref(), &["-c", within, folder]), "from within");
        let behind = "cd \"$0\"/deploy && exec sh ../../link/deploy/install.sh --yes --dry-run";
        symlink(&checkout, checkout.with_file_name("link")).unwrap();
        refused(&fresh.run("sh".as_ref(), &["-c", behind, folder]), "behind a link");
        check(&fresh.install(&[&format!("--{name}")]), "option");
        check(&fresh.install(&["--from", &format!("/nowhere/{name}")]), "folder of the programs");
    }
    // What a manifest names is another's text.
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let named = beside(&fresh, HOSTILE_NAME);
    add_to_manifest(
        &fresh,
        &format!("tree - {}\nfolder - \u{1b}[31m\u{9b}2J/x\n", named.display()),
    );
    let said = fresh.call(&["--yes", "--uninstall"]);
    check(&said, "manifest");
    assert!(said.out.contains("/x?1m????"), "it is named all the same: {said:?}");
}

/// Relative folders are no folders of the user's, and `cd` looks for nothing elsewhere.
#[test]
fn the_working_folder_plays_no_part() {
    let fresh = Fresh::new();
    let evil = beside(&fresh, "evil");
    for folder in ["deploy", "bin"] {
        fs::create_dir(evil.join(folder)).unwrap();
    }
    fs::write(evil.join("Cargo.toml"), "").unwrap();
    // Programs of the system's names that leave a trace.
    for name in ["dirname", "id", "mktemp", "sha256sum", "sed", "cp"] {
        let path = evil.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n: > '{}/pwned'\n", evil.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let script = format!(
        "cd '{}/bin' && PATH=:bin:.:$PATH CDPATH='{}' TMPDIR=-x XDG_CONFIG_HOME=-c \
         sh '{}/deploy/install.sh' --yes --dry-run --from '{}'",
        evil.display(),
        evil.display(),
        top().display(),
        fresh.programs().display()
    );
    let said = fresh.run("sh".as_ref(), &["-c", &script]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("/bin/codex-bridge\n"), "{said:?}");
    assert!(!evil.join("pwned").exists(), "a program of the working folder was run");
    let script = format!(
        "cd '{}' && CDPATH='{}' sh deploy/install.sh --yes --dry-run --from '{}'",
        top().display(),
        evil.display(),
        fresh.programs().display()
    );
    let said = fresh.run("sh".as_ref(), &["-c", &script]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("evil"), "{said:?}");
}

#[test]
fn a_manifest_removes_nothing_outside_of_the_prefix() {
    let fresh = Fresh::new();
    let victim = beside(&fresh, "victim");
    let file = victim.join("file");
    fs::write(&file, "mine").unwrap();
    let empty = beside(&fresh, "empty");
    let prefix = fresh.home().join(".local");
    fresh.installs(&[]);
    let link = fresh.installed("share/codex-bridge/out");
    symlink(&victim, &link).unwrap();
    let sum = fresh.run("sha256sum".as_ref(), &[file.to_str().unwrap()]).out[..64].to_owned();
    // From the prefix up to the folder that holds the home folder, and down again.
    let beside_home = victim.strip_prefix(fresh.folder().root()).unwrap();
    let up = prefix.join("../..").join(beside_home).join("file");
    let paths = [file.clone(), up, link.join("file"), PathBuf::from("victim/file")];
    let mut lines: String =
        paths.iter().map(|path| format!("file {sum} {}\n", path.display())).collect();
    for path in [&victim, &link, &fresh.home().join(".local/bin/mine"), Path::new("../victim")] {
        lines.push_str(&format!("tree - {0}\nlink - {0}\n", path.display()));
    }
    lines.push_str(&format!("folder - {}\n", empty.display()));
    add_to_manifest(&fresh, &lines);
    // An update removes what a later version has no more, by the same manifest.
    let said = fresh.installs(&[]);
    assert!(said.contains("is not below"), "{said}");
    assert!(file.exists(), "{said}");
    add_to_manifest(&fresh, &lines);
    let said = fresh.uninstalls(&[]);
    assert!(said.contains("is not below"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine", "{said}");
    assert!(empty.exists() && fresh.installed("bin/mine").exists(), "{said}");
    assert!(!fresh.installed("bin/codex-bridge").exists());
}

#[test]
fn a_folder_that_is_no_state_is_not_purged() {
    let fresh = Fresh::new();
    let checkout = beside(&fresh, "codex-bridge");
    fs::create_dir(checkout.join(".git")).unwrap();
    fs::write(checkout.join("token"), "a file of this name").unwrap();
    let named = beside(&fresh, "other/codex-bridge");
    fs::write(named.join("notes"), "mine").unwrap();
    for folder in [&checkout, &named] {
        fresh.installs(&[]);
        let folder_text = folder.to_str().unwrap();
        let options = ["--yes", "--uninstall", "--purge"];
        let script = top().join("deploy/install.sh");
        let mut arguments = vec!["CODEX_BRIDGE_STATE_DIR=".to_owned() + folder_text];
        arguments.push(script.to_str().unwrap().to_owned());
        arguments.extend(options.map(str::to_owned));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let said = fresh.run("env".as_ref(), &arguments);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.contains("does not look like a state folder of ours"), "{said:?}");
    }
    assert!(checkout.join("token").exists() && named.join("notes").exists());
}

/// What root follows is root's.
#[test]
fn an_installation_of_somebody_else_is_left_to_them() {
    if !is_root() {
        return;
    }
    let fresh = Fresh::new();
    fresh.installs(&[]);
    let before = fresh.tree();
    for path in ["share/codex-bridge/install-manifest", "share/codex-bridge", "bin"] {
        let path = fresh.installed(path);
        chown(&path, Some(NOBODY), None).unwrap();
        for options in [&["--yes", "--uninstall"][..], &["--verify"]] {
            let said = fresh.call(options);
            assert_eq!(said.code, Some(1), "{said:?}");
            assert!(said.err.contains("belongs to user 65534"), "{said:?}");
        }
        let said = fresh.install(&[]);
        assert!(said.code == Some(1) && said.err.contains("call this as that user"), "{said:?}");
        chown(&path, Some(0), None).unwrap();
    }
    assert_eq!(fresh.tree(), before);
}

#[test]
fn root_builds_nothing_in_a_checkout_of_somebody_else() {
    if !is_root() {
        return;
    }
    let fresh = Fresh::new();
    let checkout = beside(&fresh, "checkout");
    fs::create_dir(checkout.join("deploy")).unwrap();
    let script = checkout.join("deploy/install.sh");
    fs::copy(top().join("deploy/install.sh"), &script).unwrap();
    fs::write(checkout.join("Cargo.toml"), "").unwrap();
    let cargo = beside(&fresh, "tools").join("cargo");
    let trace = fresh.folder().work().join("built");
    fs::write(&cargo, format!("#!/bin/sh\n: > '{}'\n", trace.display())).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let fresh = fresh.with_program("cargo", &cargo);
    for path in [&checkout, &checkout.join("Cargo.toml"), &checkout.join("deploy")] {
        chown(path, Some(NOBODY), None).unwrap();
        let said = fresh.run(script.as_os_str(), &["--yes"]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("belongs to user 65534"), "{said:?}");
        assert!(said.err.contains("--from"), "it says what to do: {said:?}");
        assert!(!trace.exists());
        chown(path, Some(0), None).unwrap();
    }
    fresh.run(script.as_os_str(), &["--yes"]);
    assert!(trace.exists(), "in a checkout of its own it builds");
}
