//! Other coding agents that are started from the shell: whether they keep their guards.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operand, Part, Verbs, Word};
use super::entry::{Case, Command, Said};
use super::words::words;
use crate::rules::execution;

pub(super) const COMMANDS: &[Command] = &[Command::said(
    words!(
        "claude codex gemini opencode amp droid aider cursor-agent copilot goose qwen crush \
         kiro-cli hermes openclaw auggie q cline pi"
    ),
    Said::cases(
        &[],
        &[&[
            // Options that switch guards, hooks or questions off.
            Case(
                Any(&[
                    Part(
                        "--dangerously-skip-permissions --allow-dangerously-skip-permissions \
                     --dangerously-bypass-approvals-and-sandbox --dangerously-allow-all --yolo \
                     --safe-mode --bare --pure --no-extensions --allow-all-tools --allow-all \
                     --yes-always --trust-all-tools --skip-permissions-unsafe --force --no-hooks \
                     --disable-hooks danger-full-access bypassPermissions --setting-sources \
                     --full-auto --ask-for-approval --approval-mode --auto-approve \
                     --dangerously-allow-all-builds --settings",
                    ),
                    Word("never auto_edit full-auto *disableAllHooks* *approval_policy*"),
                ]),
                &execution::UNGUARDED,
            ),
            Case(
                Any(&[
                    All(&[
                        Operand(2, "config hooks plugin"),
                        Word("set unset rm remove uninstall disable"),
                    ]),
                    // A server that is added is started with each session from then on.
                    All(&[Verbs("mcp"), Operand(3, "add*")]),
                ]),
                &execution::UNGUARDED,
            ),
            Case(Always, &execution::COMMAND),
        ]],
    )
    .also(&[
        Also(Verbs("sandbox linux|macos"), Act::Command(Pick::From(2))),
        Also(
            All(&[Verbs("sandbox"), Not(&Verbs("sandbox linux|macos"))]),
            Act::Command(Pick::From(1)),
        ),
    ]),
    [
        &[],
        &["-p hello", "mcp list", "config list", "--color=never -p hello", "sandbox linux ls"],
        &[
            "--dangerously-skip-permissions -p hello",
            "--sandbox=danger-full-access hello",
            "-c approval_policy=never hello",
            "mcp add x -- y",
            "config set a b",
            "sandbox rm -rf /srv/data",
            "sandbox linux rm -rf /srv/data",
        ],
        &[],
    ],
)];
