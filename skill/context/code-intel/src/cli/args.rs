//! The arguments of the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::cache::CacheArgs;
use super::call_chain::CallChainArgs;
use super::complexity::ComplexityArgs;
use super::hotspot::HotspotArgs;
use super::impact::ImpactArgs;
use super::options::Options;
use crate::tools::search::Mode;

const MCP_HELP: &str = "\
Examples:
  claude mcp add --scope user ci -- ci mcp
  codex mcp add ci -- ci mcp
  {\"mcpServers\": {\"ci\": {\"command\": \"ci\", \"args\": [\"mcp\", \"--root\", \"/src/shop\"]}}}";

/// Read-only questions about one repository, answered from an index that keeps itself up to date.
#[derive(Debug, Parser)]
#[command(
    name = "ci",
    version = release::VERSION,
    after_help = "Exit codes: 0 something was found, 1 nothing was found, 2 the question is not valid, \
                  3 there is no such folder or no place for the index.\n\
                  The index lies in CODE_INTEL_CACHE_DIR, else in codex-bridge/code-intel in your cache \
                  folder; nothing is written into the repository."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What the index holds, how fresh it is, and what it costs
    #[command(alias = "index_status")]
    IndexStatus,
    /// Find text, names and paths; ranked
    Search(SearchArgs),
    /// From a prompt to the definitions it is about, their callers, callees, imports and tests
    #[command(alias = "graph_rag")]
    GraphRag(GraphRagArgs),
    /// From an error text, a stack trace or an issue to suspect files, functions and lines
    #[command(alias = "bug_locate")]
    BugLocate(BugLocateArgs),
    /// Who calls a symbol and what it calls, with the way there
    #[command(alias = "call_chain")]
    CallChain(CallChainArgs),
    /// What a change of a file, a symbol or the working diff can break, and which tests to run
    Impact(ImpactArgs),
    /// Cyclomatic and cognitive complexity by function, worst first
    Complexity(ComplexityArgs),
    /// Where complicated code changes most: churn times complexity, from git
    Hotspot(HotspotArgs),
    /// Serve all of these as MCP tools (ci_search, ci_graph_rag, ...) on standard input and output
    ///
    /// About the one root above; no argument of a call leads out of it. --timeout-ms bounds each call.
    #[command(after_help = MCP_HELP)]
    Mcp,
    /// The indexes on disk: list them, or drop what nobody uses
    Cache(CacheArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Bring what history says of the files up to date; is started behind an answer
    #[command(hide = true)]
    History,
    /// Print the manual pages, for who packages them
    #[command(hide = true)]
    Manual,
}

/// How a query of `search` is meant.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ModeArg {
    /// Exactly this text
    Literal,
    /// A regular expression (Rust's syntax), line by line
    Regex,
    /// A name: where it is defined and used
    Identifier,
    /// Words: an issue, a question
    Words,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Literal => Self::Literal,
            ModeArg::Regex => Self::Regex,
            ModeArg::Identifier => Self::Identifier,
            ModeArg::Words => Self::Words,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for; `-` reads standard input. "quoted" is literal, /slashes/ a regular expression,
    /// one identifier a name, everything else words
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: String,
    /// How the query is meant [default: as it is written]
    #[arg(long, short, value_enum)]
    pub(crate) mode: Option<ModeArg>,
    /// How many items
    #[arg(long, short, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Show lines
    #[arg(long, short)]
    pub(crate) snippets: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GraphRagArgs {
    /// The prompt; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) prompt: String,
    /// How many steps to go from what fits: 0, 1 or 2
    #[arg(long, short, default_value_t = 1)]
    pub(crate) depth: u32,
    /// How many files that fit are taken
    #[arg(long, short, default_value_t = 10)]
    pub(crate) limit: usize,
    /// How much text is wanted, in tokens
    #[arg(long, short, default_value_t = 8_000, value_name = "TOKENS")]
    pub(crate) budget: usize,
    /// Print the text that a prompt hook puts before the prompt: files, functions by name and line, tests
    #[arg(long)]
    pub(crate) context: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BugLocateArgs {
    /// An error text, a stack trace or an issue; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: String,
    /// How many items
    #[arg(long, short, default_value_t = 10)]
    pub(crate) limit: usize,
    /// Show lines
    #[arg(long, short)]
    pub(crate) snippets: bool,
}
