//! Builds the command line arguments of one `codex exec`. Pure; the prompt is not an argument.

use std::ffi::OsString;
use std::path::Path;

use contract::id::{ThreadId, TurnId};
use contract::input::ReasoningEffort;

/// The thread of a turn.
///
/// Only a [`ThreadId`] can be resumed: `codex exec resume` takes anything else as a name, starts
/// a new thread and exits 0 (codex 0.169).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversation {
    /// A new thread.
    Fresh,
    /// Continues this thread. Its last turn must have completed, because the prompt of a failed turn
    /// stays in it.
    Resume(ThreadId),
    /// Continues a copy of this thread, which stays unchanged. Needs
    /// [`crate::version::Version::supports_fork`].
    Fork {
        /// The thread.
        thread: ThreadId,
        /// The last turn of the copy, for the app-server; `codex exec` copies all turns.
        last_turn: Option<TurnId>,
    },
}

impl Conversation {
    /// The thread that Codex must report: the resumed one, `None` otherwise.
    #[must_use]
    pub fn resumed(&self) -> Option<ThreadId> {
        match *self {
            Self::Resume(thread_id) => Some(thread_id),
            Self::Fresh | Self::Fork { .. } => None,
        }
    }
}

/// Sandbox of the commands that Codex runs. Passed on every invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    /// Read everything, write nothing, no network.
    ReadOnly,
    /// Also write below the working folder and in the temp folder.
    WorkspaceWrite,
}

impl SandboxMode {
    /// Codex's name for it (codex 0.169).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
        }
    }
}

/// Input of the arguments.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// The thread of the turn.
    pub conversation: Conversation,
    /// The model, if one was chosen.
    pub model: Option<&'a str>,
    /// Reasoning effort, if one was chosen.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// File with the JSON Schema of the answer, if it has one.
    pub output_schema: Option<&'a Path>,
    /// Sandbox of its commands.
    pub sandbox: SandboxMode,
    /// Whether an unknown key of the configuration is an error.
    pub is_strict: bool,
    /// Settings that override those of the home, as `-c` takes them.
    pub overrides: &'a [String],
    /// Codex's working folder.
    pub workdir: &'a Path,
}

impl Invocation<'_> {
    /// The arguments after the program's name. The prompt is read from stdin (`-`), which must then
    /// be closed.
    ///
    /// Every option comes before `resume` and `fork`: after them codex 0.169 rejects `-s` and
    /// `-C`, and versions below 0.139 reject `--output-schema`. A thread does not remember its
    /// sandbox, so it is passed each time.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> =
            ["exec", "--json", "-s", self.sandbox.as_str(), "--skip-git-repo-check"]
                .map(OsString::from)
                .into();
        if self.is_strict {
            arguments.push("--strict-config".into());
        }
        if let Some(schema) = self.output_schema {
            arguments.push("--output-schema".into());
            arguments.push(schema.into());
        }
        for setting in self.overrides {
            arguments.push("-c".into());
            arguments.push(setting.into());
        }
        arguments.push("-C".into());
        arguments.push(self.workdir.into());
        if let Some(model) = self.model {
            // One argument, so that a name that begins with a dash is not parsed as an option.
            arguments.push(format!("--model={model}").into());
        }
        if let Some(effort) = self.reasoning_effort {
            arguments.push("-c".into());
            arguments.push(format!("model_reasoning_effort=\"{}\"", effort.as_str()).into());
        }
        let thread = match self.conversation {
            Conversation::Fresh => None,
            Conversation::Resume(thread_id) => Some(("resume", thread_id)),
            Conversation::Fork { thread, .. } => Some(("fork", thread)),
        };
        if let Some((subcommand, thread_id)) = thread {
            arguments.push(subcommand.into());
            arguments.push(thread_id.to_string().into());
        }
        arguments.push("-".into());
        arguments
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(
        conversation: Conversation,
        model: Option<&str>,
        effort: Option<ReasoningEffort>,
        expected: Expect,
    ) {
        let invocation = Invocation {
            conversation,
            model,
            reasoning_effort: effort,
            output_schema: Some(Path::new("/run/schema.json")),
            sandbox: SandboxMode::ReadOnly,
            is_strict: false,
            overrides: &[],
            workdir: Path::new("/run/empty dir"),
        };
        let arguments: Vec<_> =
            invocation.arguments().iter().map(|it| it.to_string_lossy().into_owned()).collect();
        expected.assert_eq(&arguments.join("\n"));
    }

    fn thread() -> ThreadId {
        "01A1FCCA-0698-7310-BA47-D388EE82EBCB".parse().unwrap()
    }

    #[test]
    fn a_fresh_thread() {
        check(
            Conversation::Fresh,
            None,
            None,
            expect![[r#"
            exec
            --json
            -s
            read-only
            --skip-git-repo-check
            --output-schema
            /run/schema.json
            -C
            /run/empty dir
            -"#]],
        );
    }

    #[test]
    fn a_resumed_thread_with_every_option() {
        check(
            Conversation::Resume(thread()),
            Some("--config=x"),
            Some(ReasoningEffort::High),
            expect![[r#"
                exec
                --json
                -s
                read-only
                --skip-git-repo-check
                --output-schema
                /run/schema.json
                -C
                /run/empty dir
                --model=--config=x
                -c
                model_reasoning_effort="high"
                resume
                01a1fcca-0698-7310-ba47-d388ee82ebcb
                -"#]],
        );
    }

    #[test]
    fn a_fork() {
        check(
            Conversation::Fork { thread: thread(), last_turn: None },
            None,
            None,
            expect![[r#"
            exec
            --json
            -s
            read-only
            --skip-git-repo-check
            --output-schema
            /run/schema.json
            -C
            /run/empty dir
            fork
            01a1fcca-0698-7310-ba47-d388ee82ebcb
            -"#]],
        );
    }

    #[test]
    fn a_turn_of_the_users_own() {
        let invocation = Invocation {
            conversation: Conversation::Fresh,
            model: None,
            reasoning_effort: None,
            output_schema: None,
            sandbox: SandboxMode::WorkspaceWrite,
            is_strict: false,
            overrides: &["model_provider=\"bridge\"".to_owned()],
            workdir: Path::new("/shop"),
        };
        let arguments: Vec<_> =
            invocation.arguments().iter().map(|it| it.to_string_lossy().into_owned()).collect();
        expect![[
            "exec --json -s workspace-write --skip-git-repo-check -c model_provider=\"bridge\" -C /shop -"
        ]]
        .assert_eq(&arguments.join(" "));
    }
}
