//! Shells other than bash: syntax that they interpret differently is dangerous. The commands of the first two lists were run with
//! zsh 5.9 and dash 0.5.12, with harmless words in their places, and did what bash does not do.

use contract::xc::CallLevel;
use gate::NoDisk;

use super::super::dialect::Dialect;
use super::super::grants::Grants;
use super::super::phase::Phase;
use super::super::rules::{Rules, SandboxedCommands};
use super::super::verdict::Terms;
use super::{TERMINAL, ground, shell};
use crate::known_hosts::KnownHosts;

const ZSH: &[&str] = &[
    "functions[ls]='rm -rf src'; ls",
    "aliases[ls]='rm -rf src'; eval ls",
    "commands[ls]=/bin/rm; ls src",
    "=rm -rf src",
    "echo =rm",
    "noglob rm -rf src",
    "repeat 1 rm -rf src",
    "foreach x (1) rm -rf src; end",
    "echo x >! src/main.rs",
    "echo a.rs(e:'rm -rf src':)",
    "zmodload zsh/files",
    "zf_rm -r src",
    "x='$(rm -rf src)'; echo ${(e)x}",
    "typeset 'functions[ls]=rm -rf src'; ls",
    "READNULLCMD=rm",
    "for x in 1 2; rm -rf src",
    "trap 'functions[ls]=x' EXIT",
];

const SH: &[&str] = &[
    "((rm -rf src))",
    "[[ a > src/main.rs ]]",
    "echo x &> src/main.rs",
    "$'ls' x",
    "function f { rm -rf src; }",
];

/// What means the same in both.
const PLAIN: &[&str] = &[
    "ls -la",
    "npm test 2>&1 | tail -5",
    "cargo build && cargo test",
    "git commit -m 'a message (with signs) [of] its $own'",
    "bash -c 'for each in a b; do echo $each; done'",
];

fn level(dialect: Dialect, command: &str) -> CallLevel {
    let mut ground = ground();
    ground.dialect = dialect;
    let terms = Terms {
        sandboxed: SandboxedCommands::Ask,
        known: &KnownHosts::default(),
        mode: TERMINAL.mode,
        is_headless: false,
        rules: &Rules::default(),
        grants: &Grants::default(),
        plan: None,
        ground: &ground,
        phase: &Phase::Free,
        disk: &NoDisk,
    };
    terms.decide("shell", &shell(command)).judged.level
}

#[test]
fn what_another_shell_reads_otherwise_is_dangerous() {
    for (kind, commands) in [("zsh", ZSH), ("sh", SH), ("dash", SH)] {
        for command in commands {
            let level = level(Dialect::named(kind), command);
            assert!(level >= CallLevel::L2, "{kind}: {command}: {level:?}");
        }
    }
    for command in PLAIN {
        for kind in ["zsh", "sh", "bash"] {
            let expected = level(Dialect::Bash, command);
            assert!(expected < CallLevel::L2, "{command}: {expected:?}");
            assert_eq!(level(Dialect::named(kind), command), expected, "{kind}: {command}");
        }
    }
    let arithmetic = "echo $((1 + 2))";
    assert_eq!(level(Dialect::Sh, arithmetic), CallLevel::L0);
}
