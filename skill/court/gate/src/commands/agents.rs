//! Other coding agents that are started from the shell: whether they keep their guards.

use super::entry::Command;
use super::words::words;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!(
        "claude codex gemini opencode amp droid aider cursor-agent copilot goose qwen crush \
             kiro-cli hermes openclaw auggie q cline pi"
    ),
    agent,
    [&[], &["-p hello"], &["--dangerously-skip-permissions -p hello"], &[]],
)];

/// Options that switch guards, hooks or questions off.
const UNGUARDED: &[&str] = words!(
    "--dangerously-skip-permissions --allow-dangerously-skip-permissions \
     --dangerously-bypass-approvals-and-sandbox --dangerously-allow-all --yolo --safe-mode \
     --bare --pure --no-extensions --allow-all-tools --allow-all --yes-always \
     --trust-all-tools --skip-permissions-unsafe --force --no-hooks --disable-hooks \
     danger-full-access bypassPermissions --setting-sources --full-auto \
     --ask-for-approval --approval-mode --auto-approve --dangerously-allow-all-builds \
     --settings"
);

fn agent(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let name = words[0].text.clone();
    let unguarded = words[1..].iter().any(|word| {
        let option = word.text.split('=').next().unwrap_or_default();
        let value = word.text.rsplit('=').next().unwrap_or_default();
        UNGUARDED.contains(&option)
            || UNGUARDED.contains(&value.trim_matches('"'))
            || word.text.contains("disableAllHooks")
            || word.text.contains("approval_policy")
            || matches!(word.text.as_str(), "never" | "auto_edit" | "full-auto")
    });
    let changes = words[1..]
        .iter()
        .take(2)
        .any(|word| matches!(word.text.as_str(), "config" | "hooks" | "plugin"))
        && words[1..].iter().any(|word| {
            matches!(
                word.text.as_str(),
                "set" | "unset" | "rm" | "remove" | "uninstall" | "disable"
            )
        });
    // A server that is added is started with each session from then on.
    let adds = words[1..].first().is_some_and(|word| word.text == "mcp")
        && words[1..].iter().take(3).any(|word| word.text.starts_with("add"));
    let changes = changes || adds;
    let rule = if unguarded || changes { &execution::UNGUARDED } else { &execution::COMMAND };
    walker.found(rule, &name);
    if words.get(1).is_some_and(|word| word.text == "sandbox") {
        let at = words
            .iter()
            .skip(2)
            .position(|word| !word.is_option() && !matches!(word.text.as_str(), "linux" | "macos"));
        let from = at.map_or(words.len(), |at| at + 2);
        walker.run(&words[from..], io)?;
    }
    Ok(Flow::unknown())
}
