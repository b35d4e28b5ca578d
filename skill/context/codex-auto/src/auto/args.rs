//! The command line of `codex-auto` and its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use client::{ConnectOptions, Remote};
use contract::input::ReasoningEffort;
use contract::orchestrate::Sandbox;

use super::output::Form;

/// Talk to your own Codex; each prompt gets the code that it is about first.
///
/// Without a prompt, on a terminal, it is a conversation. With one, or with text on standard input, it
/// is one turn. The conversation goes on where it was left, also the next day: its thread is noted in
/// .devbooks/cache/auto-tools/codex-session.json below the repository's root.
#[derive(Debug, Parser)]
#[command(
    name = "codex-auto",
    version = release::VERSION,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  codex-auto                               a conversation; /help lists its commands
  codex-auto 'why does the login retry?'   one turn
  git diff | codex-auto --stdin 'review this'
  codex-auto --sandbox workspace-write     a conversation in which Codex may change files
  codex-auto --dry-run 'fix the login'     what Codex would get; it is not started
  codex-auto --json 'fix the login' | jq -r .answer.text

Exit codes: 0 an answer, 2 input_error (mend the call), 3 bridge_failure, 4 codex_failure (no answer
now, or the turn was cancelled). CI_AUTO_TOOLS=off switches the context off; its other settings are
those of auto-tool-orchestrator."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// What to ask; without it a conversation, or standard input where that is no terminal
    #[arg(value_name = "PROMPT", conflicts_with = "prompt")]
    pub(super) words: Option<String>,

    /// The same as PROMPT
    #[arg(long, value_name = "TEXT")]
    pub(super) prompt: Option<String>,

    /// Append standard input to the prompt
    #[arg(long)]
    pub(super) stdin: bool,

    /// Start a new conversation
    #[arg(long)]
    pub(super) new: bool,

    /// Print the prompt that Codex would get, and run nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Print the whole report as JSON
    #[arg(long)]
    pub(super) json: bool,

    /// Show what Auto Tools, Results and Limits say, in full, on standard error
    #[arg(long)]
    pub(super) context: bool,

    /// The folder to work in [default: the working directory]
    #[arg(long, value_name = "FOLDER")]
    pub(super) cwd: Option<PathBuf>,

    /// The model to ask
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,

    /// The reasoning effort of the model
    #[arg(long, value_name = "EFFORT")]
    pub(super) effort: Option<Effort>,

    /// What Codex may do with files: only read them, or write below the folder as well
    ///
    /// More than the bridge allows is refused: `codex.orchestrate_sandbox` of its operator, who is you
    /// where the bridge is started for this program.
    #[arg(long, value_name = "MODE")]
    pub(super) sandbox: Option<SandboxArg>,

    /// How long a turn may take [default: the bridge's, an hour]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) timeout: Option<u64>,

    #[command(flatten)]
    pub(super) place: PlaceArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print the completion script of a shell
    #[command(after_help = "\
Examples:
  codex-auto completions bash > ~/.local/share/bash-completion/completions/codex-auto")]
    Completions(CompletionsArgs),

    /// Print the manual pages, for who packages them
    #[command(hide = true)]
    Manual,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    pub(super) shell: Shell,
}

/// Where the bridge is. Without any of these, one is started for this program where none runs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bridge")]
pub(super) struct PlaceArgs {
    /// Where the bridge is: http://HOST:PORT or unix:PATH
    ///
    /// Else CODEX_BRIDGE_URL, else the address that the daemon left in its state folder, else
    /// http://127.0.0.1:4517.
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,

    /// The file that holds the bridge's token for `/orchestrate`
    ///
    /// Else CODEX_BRIDGE_ORCHESTRATE_TOKEN, else the file `token-orchestrate` in the daemon's state folder.
    /// Like that one it has to be yours and closed to others, and holds 32 to 512 letters, digits and signs
    /// of `-._~+/=`.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,

    /// Accept an address on another machine; the token then travels in the clear
    #[arg(long)]
    pub(super) allow_remote: bool,
}

/// The reasoning effort, as words.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Effort {
    /// No reasoning beyond the minimum the model has
    Minimal,
    /// Quick
    Low,
    /// The usual default
    Medium,
    /// Slow and thorough
    High,
    /// The most a model offers
    Xhigh,
}

impl From<Effort> for ReasoningEffort {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Minimal => Self::Minimal,
            Effort::Low => Self::Low,
            Effort::Medium => Self::Medium,
            Effort::High => Self::High,
            Effort::Xhigh => Self::Xhigh,
        }
    }
}

/// What Codex may do with files, as words. There is no word for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SandboxArg {
    /// Read them
    ReadOnly,
    /// Write below the folder to work in, too
    WorkspaceWrite,
}

impl From<SandboxArg> for Sandbox {
    fn from(mode: SandboxArg) -> Self {
        match mode {
            SandboxArg::ReadOnly => Self::ReadOnly,
            SandboxArg::WorkspaceWrite => Self::WorkspaceWrite,
        }
    }
}

impl Cli {
    /// The prompt on the command line, from either option.
    pub(super) fn given_prompt(&self) -> Option<&str> {
        self.words.as_deref().or(self.prompt.as_deref())
    }

    /// How answers are printed.
    pub(super) fn form(&self) -> Form {
        match (self.json, self.context) {
            (true, _) => Form::Json,
            (false, true) => Form::Open,
            (false, false) => Form::Folded,
        }
    }
}

impl PlaceArgs {
    /// The options in the form that discovery takes.
    pub(super) fn wishes(&self) -> ConnectOptions {
        let remote = if self.allow_remote { Remote::Allowed } else { Remote::Refused };
        ConnectOptions { url: self.url.clone(), token_file: self.token_file.clone(), remote }
    }
}
