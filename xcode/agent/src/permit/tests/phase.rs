//! XC-110: the court's manifest of phases binds xc, and only tightens.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use contract::xc::{DecidedBy, PermitMode, Verdict};
use serde_json::json;
use tempfile::TempDir;

use super::super::{Binding, Permit, Policy};
use super::rules;
use crate::action::{Action, Bounds, Reach};
use crate::known_hosts::KnownHosts;
use crate::permit::SandboxedCommands;

struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("app/.git")).unwrap();
        Self { folder }
    }

    /// With a manifest whose phase allows these tools.
    fn allowing(tools: &[&str]) -> Self {
        let project = Self::new();
        let phase = json!({ "allowed_tools": tools });
        let phases =
            json!({ "current": "look\u{1b}[1m", "definitions": { "look\u{1b}[1m": phase } });
        project.manifest(&json!({ "task_id": "t", "phases": phases }).to_string());
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("app").canonicalize().unwrap()
    }

    fn manifest(&self, text: &str) {
        fs::create_dir_all(self.root().join(".court")).unwrap();
        fs::write(self.root().join(".court/manifest.json"), text).unwrap();
    }

    /// Everything is allowed by the user, so that nothing but the manifest denies.
    fn permit(&self, root: &Path) -> Permit {
        let policy = Policy {
            mode: PermitMode::Trust,
            is_headless: false,
            rules: rules(&["shell(*)", "edit(*)", "mcp(shop, *)"], &[], &[]),
            home: self.folder.path().join("home"),
            search: Vec::new(),
            protected: Vec::new(),
            known: KnownHosts::default(),
            sandboxed: SandboxedCommands::Allow,
            began: SystemTime::now(),
        };
        Permit::new(policy, root, &[])
    }

    /// The calls that the manifest denies, by their words.
    fn denied(&self) -> Vec<&'static str> {
        let (root, permit) = (self.root(), self.permit(&self.root()));
        let shell = |command: &str| Action::Shell {
            command: command.to_owned(),
            cwd: root.clone(),
            bounds: Bounds::Usual,
        };
        let mcp = Action::Mcp {
            server: "shop".to_owned(),
            tool: "list".to_owned(),
            arguments: "{}".to_owned(),
        };
        let fetch = Action::Fetch { url: "https://example.com/".to_owned() };
        let file = root.join("a.rs");
        let calls = [
            ("read", "readFile", Action::Read { path: file.clone() }),
            ("grep", "grep", Action::Read { path: root.clone() }),
            ("glob", "glob", Action::Read { path: root.clone() }),
            ("list", "listDir", Action::Read { path: root.clone() }),
            ("search", "ci_search", Action::Nothing),
            ("write", "writeFile", Action::Write { path: file.clone() }),
            ("edit", "edit", Action::Write { path: file }),
            ("looks", "shell", shell("git log | head -3")),
            ("reads", "shell", shell("stat a.rs")),
            ("runs", "shell", shell("make")),
            ("fetch", "webFetch", fetch),
            ("fact", "saveKnowledge", Action::Remember { reach: Reach::Project }),
            ("mcp", "mcp__shop__list", mcp),
            ("asks", "askUser", Action::Nothing),
            ("advice", "consultAdvisor", Action::Nothing),
        ];
        let denied = calls.iter().filter(|(_, tool, action)| {
            let judged = permit.judge(tool, action);
            let by_manifest = judged.by == DecidedBy::Manifest;
            assert_eq!(judged.verdict == Verdict::Deny, by_manifest, "{tool}: {judged:?}");
            by_manifest
        });
        denied.map(|(word, ..)| *word).collect()
    }
}

#[test]
fn a_phase_denies_what_it_does_not_list_whatever_else_allows_it() {
    assert_eq!(Project::new().denied(), Vec::<&str>::new());
    let rest = ["fetch", "fact", "mcp", "advice"];
    for (tools, expected) in [
        (&["Read", "Grep", "Glob"][..], &["write", "edit", "reads", "runs"][..]),
        (&["Grep"], &["read", "glob", "list", "write", "edit", "reads", "runs"]),
        (&["Read", "Bash"], &["grep", "glob", "list", "search", "write", "edit"]),
        (&["Read", "Edit", "Glob"], &["grep", "search", "write", "reads", "runs"]),
        (&["*"], &[]),
    ] {
        let denied = Project::allowing(tools).denied();
        let is_all = tools == ["*"];
        let all = expected.iter().chain(rest.iter().filter(|_| !is_all));
        assert_eq!(denied, all.copied().collect::<Vec<_>>(), "{tools:?}");
    }
    let denied =
        Project::allowing(&["readFile", "mcp__shop__*", "consultAdvisor", "Web*"]).denied();
    let expected =
        ["grep", "glob", "list", "search", "write", "edit", "looks", "reads", "runs", "fact"];
    assert_eq!(denied, expected, "by our own names, too");
}

#[test]
fn a_manifest_that_cannot_be_read_lets_reading_through_alone() {
    let expected = ["write", "edit", "reads", "runs", "fetch", "fact", "mcp"];
    for broken in ["{", "[]", "{\"task_id\": \"t\", \"phases\": {}}"] {
        let project = Project::new();
        project.manifest(broken);
        assert_eq!(project.denied(), expected, "{broken}");
        let binding = project.permit(&project.root()).binding();
        assert!(matches!(binding, Some(Binding::Unusable(_))), "{binding:?}");
    }
}

#[test]
fn the_phase_is_that_of_now_and_of_the_project_around_the_workspace() {
    let project = Project::allowing(&["Read"]);
    let below = project.root().join("src");
    fs::create_dir_all(&below).unwrap();
    let permit = project.permit(&below);
    let told = Binding::Phase { name: "look".to_owned(), tools: "Read".to_owned() };
    assert_eq!(permit.binding(), Some(told));
    let write = Action::Write { path: below.join("a.rs") };
    let judged = permit.judge("writeFile", &write);
    assert_eq!((judged.verdict, judged.rule.as_deref()), (Verdict::Deny, Some("manifest.phase")));
    let told = judged.denial();
    let words = "Permission denied by user. The manifest of the court does not allow it. Rule: manifest.phase.";
    assert!(told.starts_with(words), "{told}");
    fs::remove_file(project.root().join(".court/manifest.json")).unwrap();
    assert_eq!(permit.judge("writeFile", &write).verdict, Verdict::Allow);
    assert_eq!(permit.binding(), None);
}
