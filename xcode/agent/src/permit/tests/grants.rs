//! What a yes for the session covers.

use std::path::{Path, PathBuf};

use contract::xc::{DecidedBy, PermitMode, Verdict};
use gate::NoDisk;

use super::super::grants::Grants;
use super::super::phase::Phase;
use super::super::rules::{Rules, SandboxedCommands};
use super::super::verdict::Terms;
use super::{PROJECT, ground, mcp, read, rules, shell, write};
use crate::action::{Action, Bounds};
use crate::known_hosts::KnownHosts;

/// Whether a call runs after another one was granted, and whether that one could be.
fn granted(first: (&str, &Action), then: (&str, &Action), by: &Rules) -> (bool, bool) {
    let ground = ground();
    let mut grants = Grants::default();
    let decide = |grants: &Grants, (tool, action): (&str, &Action)| {
        let terms = Terms {
            sandboxed: SandboxedCommands::Ask,
            known: &KnownHosts::default(),
            mode: PermitMode::Ask,
            is_headless: false,
            rules: by,
            grants,
            plan: None,
            ground: &ground,
            phase: &Phase::Free,
            disk: &NoDisk,
        };
        terms.decide(tool, action)
    };
    let asked = decide(&grants, first);
    let can = asked.judged.is_grantable;
    if let Some(parts) = asked.asked.filter(|_| can) {
        grants.add(parts);
    }
    let judged = decide(&grants, then).judged;
    let runs = judged.verdict == Verdict::Allow && judged.by == DecidedBy::Grant;
    (can, runs)
}

fn commands(first: &str, then: &str) -> (bool, bool) {
    granted(("shell", &shell(first)), ("shell", &shell(then)), &Rules::default())
}

#[test]
fn a_grant_is_for_the_same_program_and_sub_command() {
    for (first, then) in [
        ("npm test", "npm test"),
        ("npm test", "npm test -- --watch=false"),
        ("cargo test -p a", "cargo test -p b name"),
        ("cargo nextest run -p a", "cargo nextest run"),
        ("npm run build", "npm run build -- --x"),
        ("cargo build && cargo test", "cargo test"),
        ("cargo build 2>&1 | tail -5", "cargo build && ls"),
        ("tsc --noEmit", "tsc --noEmit"),
        ("make test", "make test"),
    ] {
        assert_eq!(commands(first, then), (true, true), "{first} -> {then}");
    }
    for (first, then) in [
        ("npm test", "npm install"),
        ("npm run build", "npm run deploy"),
        ("cargo test", "cargo build"),
        ("cargo test", "cargo install x"),
        ("cargo test", "cargo test && cargo build"),
        ("tsc --noEmit", "tsc --outDir x"),
        ("make test", "make test deploy"),
        ("touch a", "touch b"),
        ("npm test", "npm test > src/a.js"),
        ("npm test", "X=1 npm test"),
        ("npm test", "cd .. && npm test"),
        ("npm test", "npm test &"),
        ("npm test", "npm test $(touch x)"),
        ("npm test", "sudo npm test"),
        ("npm test", "/tmp/npm test"),
        ("npm test", "npm test; rm -rf src"),
        ("git commit -m x", "git push --force"),
    ] {
        assert_eq!(commands(first, then), (true, false), "{first} -> {then}");
    }
}

#[test]
fn wrappers_interpreters_and_unknown_words_are_never_granted() {
    for command in [
        "python3 build.py",
        "python3.12 build.py",
        "node build.js",
        "bash build.sh",
        "./build.sh",
        "sed -i s/a/b/ src/a.rs",
        "env X=1 npm test",
        "timeout 5 npm test",
        "xargs touch < list",
        "find . -name x -exec touch {} +",
        "npx prettier --write src",
        "npm exec prettier",
        "cargo run",
        "uv run pytest",
        "bundle exec rake",
        "docker run x",
        "npm test $x",
        "npm \"$(cat x)\"",
        "bash -c 'npm test'",
        "cd sub && npm test",
        "npm test &",
        "npm test > out.txt",
        "git rebase -x 'npm test' main",
        "cat .env",
        "git push --force",
        "ls",
    ] {
        let judged = super::decide(super::TERMINAL, &Rules::default(), &shell(command));
        assert!(!judged.is_grantable, "{command}: {:?}", judged.reasons);
        assert_eq!(commands(command, command), (false, false), "{command}");
    }
}

#[test]
fn a_grant_is_for_one_folder_and_one_tool() {
    let none = Rules::default();
    let elsewhere = Action::Shell {
        command: "npm test".to_owned(),
        cwd: Path::new(PROJECT).join("other"),
        bounds: Bounds::Usual,
    };
    assert_eq!(granted(("shell", &shell("npm test")), ("shell", &elsewhere), &none), (true, false));
    let in_src = write("/home/dev/app/src/a.rs");
    for (tool, path, runs) in [
        ("edit", "/home/dev/app/src/b.rs", true),
        ("edit", "/home/dev/app/src/deep/b.rs", false),
        ("edit", "/home/dev/app/b.rs", false),
        ("edit", "/home/dev/app/src/.env", false),
        ("writeFile", "/home/dev/app/src/b.rs", false),
    ] {
        let then = write(path);
        assert_eq!(granted(("edit", &in_src), (tool, &then), &none), (true, runs), "{tool} {path}");
    }
    let other = Action::Mcp {
        server: "shop".to_owned(),
        tool: "delete_order".to_owned(),
        arguments: "{}".to_owned(),
    };
    assert_eq!(granted(("m", &mcp("{}")), ("m", &mcp("{\"a\": 1}")), &none), (true, true));
    assert_eq!(granted(("m", &mcp("{}")), ("m", &other), &none), (true, false));
    let outside = read("/srv/data.txt");
    assert_eq!(granted(("readFile", &outside), ("readFile", &outside), &none), (false, false));
}

#[test]
fn a_question_of_the_configuration_is_asked_each_time() {
    let asks = rules(&[], &["shell(npm)"], &[]);
    let test = shell("npm test");
    assert_eq!(granted(("shell", &test), ("shell", &test), &asks), (false, false));
}

/// Whatever is granted, nothing above L1 runs by it.
#[test]
fn a_grant_never_reaches_what_is_dangerous() {
    for command in ["cat .env", "git push --force", "rm -rf src", "sudo ls", "echo 'x"] {
        let action = shell(command);
        let ground = ground();
        let mut grants = Grants::default();
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let cwd = PathBuf::from(PROJECT);
        grants.add(vec![super::super::grants::Grant::Command { words, cwd }]);
        let terms = Terms {
            sandboxed: SandboxedCommands::Ask,
            known: &KnownHosts::default(),
            mode: PermitMode::Trust,
            is_headless: false,
            rules: &Rules::default(),
            grants: &grants,
            plan: None,
            ground: &ground,
            phase: &Phase::Free,
            disk: &NoDisk,
        };
        assert_ne!(terms.decide("shell", &action).judged.verdict, Verdict::Allow, "{command}");
    }
}
