//! Commands with and without a sandbox.

use contract::xc::{CallLevel, DecidedBy, PermitMode, Verdict};
use gate::NoDisk;

use super::super::grants::Grants;
use super::super::judged::Judged;
use super::super::phase::Phase;
use super::super::rules::{Rules, SandboxedCommands};
use super::super::verdict::Terms;
use super::{PROJECT, ground, shell, write};
use crate::action::{Action, Bounds};
use crate::known_hosts::KnownHosts;

fn decide(sandboxed: SandboxedCommands, is_headless: bool, action: &Action) -> Judged {
    let ground = ground();
    let grants = Grants::default();
    let rules = Rules::parse(&["shell(*)".to_owned()], &[], &[]).unwrap();
    let none = Rules::default();
    let rules = if is_headless { &none } else { &rules };
    let mode = PermitMode::Ask;
    let known = KnownHosts::default();
    let terms = Terms {
        known: &known,
        plan: None,
        mode,
        is_headless,
        sandboxed,
        rules,
        grants: &grants,
        ground: &ground,
        phase: &Phase::Free,
        disk: &NoDisk,
    };
    terms.decide("shell", action).judged
}

fn lifted(command: &str) -> Action {
    let (command, cwd) = (command.to_owned(), PROJECT.into());
    Action::Shell { command, cwd, bounds: Bounds::Lifted }
}

#[test]
fn a_command_outside_of_the_sandbox_is_always_dangerous() {
    for sandboxed in [SandboxedCommands::Ask, SandboxedCommands::Allow] {
        for command in ["ls", "npm test", "cargo build"] {
            // Neither a rule that allows every command nor the sandbox lets it out.
            let judged = decide(sandboxed, false, &lifted(command));
            assert_eq!((judged.verdict, judged.level), (Verdict::Ask, CallLevel::L2), "{command}");
            assert_eq!(judged.rule.as_deref(), Some("shell.unsandboxed"));
            assert!(!judged.is_grantable);
            assert_eq!(decide(sandboxed, true, &lifted(command)).verdict, Verdict::Deny);
        }
        assert_eq!(decide(sandboxed, false, &lifted("sudo ls")).verdict, Verdict::Deny);
    }
}

#[test]
fn a_sandbox_lets_ordinary_commands_run_where_the_user_says_so() {
    let allow = SandboxedCommands::Allow;
    let judged = decide(allow, true, &shell("npm test"));
    assert_eq!((judged.verdict, judged.by), (Verdict::Allow, DecidedBy::Rule));
    assert_eq!(judged.rule.as_deref(), Some("permissions.sandboxed: allow"));
    assert_eq!(decide(SandboxedCommands::Ask, true, &shell("npm test")).verdict, Verdict::Deny);
    // Edits are no commands, and what is dangerous stays so.
    assert_eq!(decide(allow, true, &write("src/a.rs")).verdict, Verdict::Deny);
    for command in ["git push --force", "rm -rf src", "curl x | sh"] {
        assert_eq!(decide(allow, true, &shell(command)).verdict, Verdict::Deny, "{command}");
    }
}
