//! The arguments and their help texts.

use std::path::PathBuf;

use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use contract::id::{RunId, SessionId};
use contract::input::Phase;
use contract::run::RunState;

/// Ask Codex for a second opinion through codex-bridge: questions in, structured advice out.
#[derive(Debug, Parser)]
#[command(
    name = "codex-advisor",
    version = release::VERSION,
    styles = STYLES,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "\
Examples:
  codex-advisor template > question.yaml       a commented example to fill in
  codex-advisor ask question.yaml              ask, and wait for the advice
  codex-advisor ask --start < question.yaml    the same, and start the daemon if there is none
  codex-advisor wait RUN                       pick up a run that goes on
  codex-advisor status                         is the bridge running, and what is missing

Exit codes: 0 advice, 2 input_error (mend the question), 3 bridge_failure (go on without the
advisor), 4 codex_failure (no advice now), 5 the run goes on (standard output has the command that
picks it up). Standard output is one JSON document, or Markdown on a terminal.

The bridge is where CODEX_BRIDGE_URL says, else at the address that the daemon left in its state
folder, else at http://127.0.0.1:4517. No option chooses it. Under an agent, such as Claude Code,
only what you had set when you started the agent counts."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Bold headings, and colours from the terminal's palette only.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a question and wait for the advice
    ///
    /// The question is JSON (it begins with `{`) or YAML, from standard input or from a file of this
    /// project. Everything that is wrong with it is said at
    /// once, and no daemon is needed for that. The run outlives this command: when the timeout comes
    /// first, or SIGTERM, SIGHUP or Ctrl-C ends the command, the run goes on, and standard output
    /// has its id and the commands that pick it up or cancel it.
    #[command(after_help = "\
Examples:
  codex-advisor ask question.yaml
  codex-advisor ask --timeout 590 --json < question.json
  codex-advisor ask --phase final --session ID second.yaml
  codex-advisor template | codex-advisor ask")]
    Ask(AskArgs),

    /// Follow a run to its end
    Wait(WaitArgs),

    /// Print what is known of a run, without waiting
    Show(ShowArgs),

    /// List the runs of this project, newest first
    Runs(RunsArgs),

    /// Cancel a run; returns once nothing of it is alive
    Cancel(ShowArgs),

    /// Print a commented example of a question
    #[command(after_help = "\
Examples:
  codex-advisor template > question.yaml
  codex-advisor template --phase final > second.yaml")]
    Template(TemplateArgs),

    /// Show whether the bridge is running and what is missing; exit code 3 if it cannot answer
    Status(StatusArgs),

    /// Print the completion script of a shell
    #[command(after_help = "\
Examples:
  codex-advisor completions bash > ~/.local/share/bash-completion/completions/codex-advisor
  codex-advisor completions zsh  > ~/.zfunc/_codex-advisor
  codex-advisor completions fish > ~/.config/fish/completions/codex-advisor.fish")]
    Completions(CompletionsArgs),

    /// Print the manual pages, for who packages them
    #[command(hide = true)]
    Manual,
}

/// Which runs are seen.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ReachArgs {
    /// Also runs of other projects; for a person at a terminal
    #[arg(long)]
    pub(crate) all: bool,
}

/// How standard output looks.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormArgs {
    /// Print JSON; the default where standard output is no terminal
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,

    /// Print Markdown for people; the default on a terminal
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// How long is waited.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PatienceArgs {
    /// How long to wait for the advice; the run goes on after it [default: 110, or 10 s below
    /// BASH_DEFAULT_TIMEOUT_MS]
    ///
    /// Claude Code ends a command after 120 s unless it is told another limit, 600 s at most; stay
    /// below it.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) timeout: Option<u32>,

    /// How long a daemon that goes away half way may take to come back
    #[arg(long, value_name = "SECONDS", default_value_t = 15, hide_short_help = true)]
    pub(crate) reconnect: u32,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The question, a file of this project; `-` or nothing reads standard input
    pub(crate) file: Option<PathBuf>,

    /// Replaces the question's `phase`
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseArg>,

    /// Replaces the question's `session_id`: the session to continue
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<SessionId>,

    /// A name for this request: asking again under it gives the same run
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,

    /// Ask although the bridge has just tried twice for this round; for a person
    #[arg(long)]
    pub(crate) again: bool,

    /// Start the daemon if none answers; it stays
    #[arg(long)]
    pub(crate) start: bool,

    #[command(flatten)]
    pub(crate) patience: PatienceArgs,

    #[command(flatten)]
    pub(crate) form: FormArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    /// The run
    pub(crate) run: RunId,

    #[command(flatten)]
    pub(crate) patience: PatienceArgs,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,

    #[command(flatten)]
    pub(crate) form: FormArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run
    pub(crate) run: RunId,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,

    #[command(flatten)]
    pub(crate) form: FormArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Only runs in this state
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<RunState>,

    /// Only runs of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<SessionId>,

    /// Only runs older than this one
    #[arg(long, value_name = "RUN")]
    pub(crate) before: Option<RunId>,

    /// At most this many
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) limit: u16,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,

    #[command(flatten)]
    pub(crate) form: FormArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TemplateArgs {
    /// For the first round or the second
    #[arg(long, value_name = "PHASE", default_value = "initial")]
    pub(crate) phase: PhaseArg,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) form: FormArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// The two rounds, as words.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PhaseArg {
    /// Round 1: questions, assumptions, alternatives, risks
    Initial,
    /// Round 2: trade-offs and a recommendation
    Final,
}

impl From<PhaseArg> for Phase {
    fn from(phase: PhaseArg) -> Self {
        match phase {
            PhaseArg::Initial => Self::Initial,
            PhaseArg::Final => Self::Final,
        }
    }
}
