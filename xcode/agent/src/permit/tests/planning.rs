//! Plan mode with commands that look read-only. They are judged, never run.

use contract::xc::{DecidedBy, Verdict};

use super::super::rules::Rules;
use super::{TERMINAL_PLAN, decide, mcp, rules, shell};
use crate::action::{Action, Reach};

/// What a model could try to write with, while only reading is allowed.
const WRITES: &[&str] = &[
    // Redirections, also into the plan itself.
    "echo plan > .x-code/plans/a.md",
    "cat README.md >> .x-code/plans/a.md",
    "ls >| src/a.rs",
    "ls &> src/a.rs",
    "ls 2> src/a.rs",
    ": > src/a.rs",
    "> src/a.rs",
    "cat <<< x > src/a.rs",
    "cat src/a.rs <> src/b.rs",
    "exec > src/a.rs",
    "ls | tee src/a.rs",
    "ls > \"$(echo src/a.rs)\"",
    "{ ls; } > src/a.rs",
    "(ls) > src/a.rs",
    "if true; then ls; fi > src/a.rs",
    "f() { ls > src/a.rs; }; f",
    // Options that write.
    "sort -o src/a.rs src/b.rs",
    "sort --output=src/a.rs src/b.rs",
    "uniq src/b.rs src/a.rs",
    "git diff --output=src/a.rs",
    "git log --output src/a.rs",
    "git show --output=src/a.rs",
    "find . -name x -delete",
    "find . -fprint src/a.rs",
    "find . -fls src/a.rs",
    "find . -exec touch {} ;",
    "sed -i s/a/b/ src/a.rs",
    "sed -n 'w src/a.rs' src/b.rs",
    "sed 's/a/b/w src/a.rs' src/b.rs",
    "sed '1e touch x' src/b.rs",
    "awk '{ print > \"src/a.rs\" }' src/b.rs",
    "awk 'BEGIN { system(\"touch x\") }'",
    "xxd src/a.rs src/b.rs",
    "tree -o src/a.rs",
    "shuf -osrc/a.rs src/b.rs",
    "xmllint --output src/a.rs x.xml",
    "git diff --output src/a.rs",
    "file -C -m src/magic",
    "split src/a.rs",
    "date -s 2020-01-01",
    "hostname other",
    // Programs that a reading command starts.
    "git -c core.pager='touch x' log",
    "git -c diff.external='touch x' diff",
    "git grep -Otouch x",
    "rg --pre 'touch' x",
    "man -P 'touch x' ls",
    "env touch x",
    "xargs touch < src/a.rs",
    "time touch x",
    "command touch x",
    "GIT_EXTERNAL_DIFF='touch x' git diff",
    "PAGER='touch x' git log",
    "LD_PRELOAD=./x.so ls",
    "PATH=.:$PATH ls",
    "cat $(touch x)",
    "cat `touch x`",
    "cat <(touch x)",
    "echo ${x:=$(touch x)}",
    "ls; touch x",
    "ls & touch x",
    "ls || touch x",
    "ls\ntouch x",
    "eval 'touch x'",
    "source ./x.sh",
    "bash -c 'touch x'",
    "python3 -c 'open(\"x\", \"w\")'",
    "alias ls='touch x'; ls",
    "trap 'touch x' EXIT",
    // Subcommands that only sound like reading.
    "git branch new",
    "git tag new",
    "git remote add x y",
    "git stash",
    "git config core.pager x",
    "git symbolic-ref HEAD refs/heads/x",
    "git notes add -m x",
    "git fetch",
    "git worktree add x",
    "npm test",
    "cargo check",
    "make -n",
    "mkdir x",
    "ln -s a b",
    "cp src/a.rs .x-code/plans/a.md",
    "mv src/a.rs src/b.rs",
    "touch .x-code/plans/a.md",
    "chmod +x src/a.rs",
];

/// D-2: nothing is written in plan mode by a trick of the shell.
#[test]
fn a_command_that_writes_is_denied_whatever_it_looks_like() {
    let none = Rules::default();
    let ran: Vec<&str> = WRITES
        .iter()
        .filter(|command| {
            let judged = decide(TERMINAL_PLAN, &none, &shell(command));
            judged.verdict != Verdict::Deny
        })
        .copied()
        .collect();
    assert_eq!(ran, Vec::<&str>::new());
    for command in
        ["ls -la", "git status", "git log --oneline -5", "grep -rn x src", "wc -l src/a.rs"]
    {
        assert_eq!(
            decide(TERMINAL_PLAN, &none, &shell(command)).verdict,
            Verdict::Allow,
            "{command}"
        );
    }
}

/// A server may do anything, and a memory is a file: neither is for planning, whatever the settings allow.
#[test]
fn servers_and_memory_are_not_for_planning_and_no_setting_makes_them() {
    let allow = rules(&["mcp(shop, *)", "shell(npm test)", "edit(src/**)"], &[], &[]);
    for action in [
        mcp("{}"),
        Action::Remember { reach: Reach::Project },
        shell("npm test"),
        Action::Write { path: "/home/dev/app/src/a.rs".into() },
    ] {
        let judged = decide(TERMINAL_PLAN, &allow, &action);
        assert_eq!((judged.verdict, judged.by), (Verdict::Deny, DecidedBy::Plan), "{action:?}");
        assert!(judged.denial().starts_with("Permission denied by user. Plan mode is active."));
    }
}
