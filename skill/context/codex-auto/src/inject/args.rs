//! The command line of `context-inject`, its help, and the report for an invalid one.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use host::environment::Environment;
use orchestration::exit::Exit;
use orchestration::limits;

use super::input::Shape;
use super::{empty, message, output};

/// Puts the code that a prompt is about before the prompt.
///
/// Without options it is Claude Code's UserPromptSubmit hook: it reads the hook's JSON on standard
/// input and prints what Claude Code takes. The same input may be a wrapper's JSON, {"prompt": TEXT,
/// "cwd"?: FOLDER, "session_id"?: ID}, or plain text. The prompt always goes through: where there is
/// no context, the output says so and is empty.
#[derive(Debug, Parser)]
#[command(
    name = "context-inject",
    version = release::VERSION,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = AFTER
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// Use this prompt instead of standard input
    #[arg(long, value_name = "TEXT")]
    pub(super) prompt: Option<String>,

    /// How to print [default: hook for JSON on standard input; else json, or text on a terminal]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,

    /// Only say which tools would run (the same as CI_AUTO_TOOLS_MODE=plan)
    #[arg(long)]
    pub(super) plan: bool,

    /// Ask about this folder instead of the input's or the working directory
    #[arg(long, value_name = "FOLDER")]
    pub(super) cwd: Option<PathBuf>,

    /// Refused: only the orchestrator runs tools
    #[arg(long, value_name = "NAME", hide = true)]
    pub(super) tool: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make the hook part of Claude Code, or bring it up to date
    ///
    /// Puts context-inject-global.sh and augment-context-global.sh into ~/.claude/hooks, and one entry
    /// into the settings. What is not ours stays as it is.
    Install(PlaceArgs),

    /// Say whether the hook is in order, and what mends it; exit code 1 where it is not
    Verify(VerifyArgs),

    /// Take the hook out again
    Uninstall(PlaceArgs),

    /// Print the completion script of a shell
    Completions(CompletionsArgs),

    /// Print the manual pages, for who packages them
    #[command(hide = true)]
    Manual,
}

#[derive(Debug, Args)]
pub(super) struct PlaceArgs {
    /// Only in this project (its .claude/settings.local.json) instead of all of yours
    #[arg(long, value_name = "FOLDER")]
    pub(super) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    pub(super) place: PlaceArgs,

    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    pub(super) shell: Shell,
}

/// How the answer looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The whole report, one JSON object
    Json,
    /// The block for the model, or nothing
    Text,
    /// What Claude Code takes from a UserPromptSubmit hook
    Hook,
    /// The prompt with the block before it, for `codex exec`
    Prompt,
}

const AFTER: &str = "\
Examples:
  context-inject --prompt 'why does login retry twice?'
  context-inject install
  codex exec \"$(context-inject --format prompt --prompt 'fix the login')\"
  context-inject --plan --format json --prompt '修复登录错误'
  CI_AUTO_TOOLS=off                     switches it off
  CI_AUTO_TOOLS_SHOW=off|line|full      what you see of it in Claude Code (line)

Settings: CI_AUTO_TOOLS=auto|on|off and the others of auto-tool-orchestrator (see its --help), and
  CI_AUTO_TOOLS_ORCHESTRATOR_PATH=PROGRAM
                                        the orchestrator, instead of the one beside this program or
                                        on the PATH

Exit codes: 0 done, 10 no orchestrator, 20 wrong settings or command line, 30 unreadable input or
  report, 40 no tool of use answered, 50 not in time. Standard output is usable in every case.";

impl Cli {
    /// The invocation by a hook: no arguments.
    pub(super) fn hook() -> Self {
        Self { command: None, prompt: None, format: None, plan: false, cwd: None, tool: None }
    }
}

impl Format {
    /// The default format: a hook's answer for JSON input, which hooks and their wrappers pass; for a plain prompt, text on
    /// a terminal and JSON otherwise.
    pub(super) fn usual(shape: Shape) -> Self {
        match shape {
            Shape::Object => Self::Hook,
            Shape::Words if io::stdout().is_terminal() => Self::Text,
            Shape::Words => Self::Json,
        }
    }
}

/// Even an invalid command line gets an empty report; help and version are not errors.
pub(super) fn refuse(error: &clap::Error, environment: &Environment) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return output::write(error.render().to_string().as_bytes(), Exit::Done);
    }
    // Errors writing to stderr are ignored.
    let text = error.render().to_string();
    let _ = write!(io::stderr().lock(), "{}", redact::visible(&text));
    let enriched = if names_a_tool(error) {
        empty(environment, limits::BYPASS, "", Exit::Misconfigured)
    } else {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        empty(environment, "command line", first, Exit::Misconfigured)
    };
    output::print(Format::Hook, &enriched, "", &message::once(&enriched))
}

/// Whether the unknown argument is the name of a tool: they all begin with the same two letters.
fn names_a_tool(error: &clap::Error) -> bool {
    let kinds =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidArg, ContextKind::InvalidValue];
    let words = kinds.into_iter().filter_map(|kind| error.get(kind)).map(ToString::to_string);
    words.into_iter().any(|word| {
        word.trim_start_matches('-').split_once(['_', '-']).is_some_and(|(first, _)| first == "ci")
    })
}
