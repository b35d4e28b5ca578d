//! A real folder: links, files that the session wrote, what is protected. Nothing is executed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use contract::xc::{CallLevel, PermitMode, Verdict};
use tempfile::TempDir;

use super::super::{Judged, Permit, Policy, Rules, SandboxedCommands};
use crate::action::{Action, Bounds, Reach};
use crate::known_hosts::KnownHosts;

/// A home folder with a project in it.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.at("app/src")).unwrap();
        fs::write(home.at("app/src/a.rs"), "").unwrap();
        fs::write(home.at("notes.txt"), "").unwrap();
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// Trusted, with nobody to ask: what runs is L0 or L1.
    fn permit(&self, began: SystemTime) -> Permit {
        let policy = Policy {
            known: KnownHosts::default(),
            sandboxed: SandboxedCommands::Ask,
            mode: PermitMode::Trust,
            is_headless: true,
            rules: Rules::default(),
            home: self.at(""),
            search: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
            protected: vec![self.at("app/keep")],
            began,
        };
        Permit::new(policy, &self.at("app"), &[self.at("lib")])
    }

    fn later(&self) -> Permit {
        self.permit(SystemTime::now() + Duration::from_secs(3600))
    }

    fn shell(&self, permit: &Permit, command: &str) -> Judged {
        let action = Action::Shell {
            command: command.to_owned(),
            cwd: self.at("app"),
            bounds: Bounds::Usual,
        };
        permit.judge("shell", &action)
    }

    fn write(&self, path: &str) -> Judged {
        self.later().judge("writeFile", &Action::Write { path: self.at(path) })
    }

    fn read(&self, path: &Path) -> Judged {
        self.later().judge("readFile", &Action::Read { path: path.to_owned() })
    }
}

#[test]
fn a_link_counts_as_where_it_leads() {
    let home = Home::new();
    symlink(home.at("notes.txt"), home.at("app/link")).unwrap();
    symlink(home.at(""), home.at("app/out")).unwrap();
    symlink("src", home.at("app/inside")).unwrap();
    fs::create_dir(home.at(".ssh")).unwrap();
    fs::write(home.at(".ssh/id_ed25519"), "").unwrap();
    symlink(home.at(".ssh/id_ed25519"), home.at("app/harmless.txt")).unwrap();
    for (path, level) in [
        ("app/src/a.rs", CallLevel::L1),
        ("app/inside/a.rs", CallLevel::L1),
        ("app/new/deep/file", CallLevel::L1),
        ("lib/a.rs", CallLevel::L1),
        ("app/link", CallLevel::L2),
        ("app/out/x", CallLevel::L2),
        ("app/out/app/src/a.rs", CallLevel::L1),
        ("notes.txt", CallLevel::L2),
    ] {
        assert_eq!(home.write(path).level, level, "{path}: {:?}", home.write(path).reasons);
    }
    for (path, level) in [
        ("app/src/a.rs", CallLevel::L0),
        ("app/link", CallLevel::L1),
        ("app/harmless.txt", CallLevel::L2),
        ("app/out/.ssh/id_ed25519", CallLevel::L2),
        ("lib/a.rs", CallLevel::L0),
    ] {
        let judged = home.read(&home.at(path));
        assert_eq!(judged.level, level, "{path}: {:?}", judged.reasons);
    }
}

#[test]
fn what_grants_or_remembers_something_is_not_changed_and_keys_are_not_read() {
    let home = Home::new();
    for path in [
        ".xcode/config.json",
        ".xcode/trust.json",
        "app/.x-code/config.json",
        "app/.x-code/sessions/x.jsonl",
        "app/.x-code/mcp.json",
        "lib/.x-code/config.json",
        "app/keep",
        "app/.git/config",
    ] {
        assert!(home.write(path).level >= CallLevel::L2, "{path}");
        let command = format!("echo x > {}", home.at(path).display());
        let judged = home.shell(&home.later(), &command);
        assert_eq!(judged.verdict, Verdict::Deny, "{command}: {:?}", judged.reasons);
    }
    for path in [".xcode/config.json", ".xcode/mcp.json", ".xcode/history.jsonl"] {
        assert_eq!(home.read(&home.at(path)).level, CallLevel::L2, "{path}");
        for command in ["cat", "cp", "grep key", "base64"] {
            let command = format!("{command} {} x", home.at(path).display());
            let judged = home.shell(&home.later(), &command);
            assert_eq!(judged.verdict, Verdict::Deny, "{command}: {:?}", judged.reasons);
        }
    }
    // What the model is to know is read.
    assert_eq!(home.read(&home.at("app/.x-code/knowledge.md")).level, CallLevel::L0);
}

#[test]
fn a_file_of_this_session_counts_as_its_content_when_it_runs() {
    let home = Home::new();
    fs::write(home.at("app/run.sh"), "git push --force\n").unwrap();
    let told = |permit: &Permit| home.shell(permit, "sh run.sh").level;
    // Older than the session: it is a script of the project.
    assert_eq!(told(&home.later()), CallLevel::L1);
    assert_eq!(told(&home.permit(SystemTime::now() - Duration::from_secs(60))), CallLevel::L2);
    // Older, but a call of the session has written it.
    let permit = home.later();
    assert_eq!(home.shell(&permit, "echo 'git push --force' > run.sh").verdict, Verdict::Allow);
    assert_eq!(told(&permit), CallLevel::L2);
    // A call that was denied has written nothing.
    let permit = home.later();
    assert_eq!(home.shell(&permit, "cat .env > run.sh").verdict, Verdict::Deny);
    assert_eq!(told(&permit), CallLevel::L1);
}

#[test]
fn a_fetched_program_is_not_executed_under_trust() {
    let home = Home::new();
    fs::write(home.at("app/tool"), b"\x7fELF\0\0").unwrap();
    let permit = home.later();
    let judged = home.shell(&permit, "curl -so tool https://x.example/tool");
    assert_eq!(judged.verdict, Verdict::Allow, "{:?}", judged.reasons);
    assert_eq!(home.shell(&permit, "./tool").verdict, Verdict::Deny);
}

/// D-13: what a repository names is not started in a folder that was not agreed to.
#[test]
fn git_in_a_foreign_folder_starts_nothing_that_the_repository_names() {
    let home = Home::new();
    fs::create_dir(home.at("app/.git")).unwrap();
    let foreign = || home.later().in_foreign_folder();
    let level = |permit: Permit, command: &str| home.shell(&permit, command).level;
    let settle = |text: &str| fs::write(home.at("app/.git/config"), text).unwrap();
    settle("[core]\n\tbare = false\n");
    for command in ["git status", "git diff", "git log -p"] {
        assert_eq!(level(foreign(), command), CallLevel::L0, "{command}");
    }
    for command in ["git -C lib status", "cd lib && git diff", "git --git-dir=lib/.git log"] {
        assert!(level(foreign(), command) >= CallLevel::L2, "{command}");
    }
    settle("[diff]\n\texternal = ./theirs\n");
    for command in [
        "git status",
        "git diff",
        "git log -p | cat",
        "'git' diff",
        "g\"\"it diff",
        "/usr/bin/git show",
    ] {
        assert!(level(foreign(), command) >= CallLevel::L2, "{command}");
        assert_eq!(home.shell(&foreign(), command).verdict, Verdict::Deny, "{command}");
    }
    assert_eq!(level(foreign(), "ls -la"), CallLevel::L0);
    assert_eq!(level(home.later(), "git diff"), CallLevel::L0, "it was agreed to");
    let fact = |permit: Permit, reach| permit.judge("saveKnowledge", &Action::Remember { reach });
    assert_eq!(fact(foreign(), Reach::Project).verdict, Verdict::Allow);
    assert_eq!(fact(foreign(), Reach::Everywhere).rule.as_deref(), Some("memory.foreign-folder"));
    assert_eq!(fact(home.later(), Reach::Everywhere).verdict, Verdict::Allow);
}

#[test]
fn the_mode_may_change_and_grants_stay() {
    let home = Home::new();
    let mut permit = home.later();
    permit.set_mode(PermitMode::Plan);
    assert_eq!(permit.mode(), PermitMode::Plan);
    let test = Action::Shell {
        command: "npm test".to_owned(),
        cwd: home.at("app"),
        bounds: Bounds::Usual,
    };
    // Where nobody is asked, nothing can be granted.
    permit.grant("shell", &test);
    assert_eq!(permit.judge("shell", &test).verdict, Verdict::Deny);
    let policy = Policy { is_headless: false, mode: PermitMode::Ask, ..permit.policy.clone() };
    let mut permit = Permit::new(policy, &home.at("app"), &[]);
    assert!(permit.judge("shell", &test).is_grantable);
    permit.grant("shell", &test);
    assert_eq!(permit.judge("shell", &test).verdict, Verdict::Allow);
    permit.set_mode(PermitMode::Plan);
    assert_eq!(permit.judge("shell", &test).verdict, Verdict::Deny);
    permit.set_mode(PermitMode::Ask);
    assert_eq!(permit.judge("shell", &test).verdict, Verdict::Allow);
}
