//! Scores how well an issue leads to the files that its fix changed, for our engine and its peers in
//! the same run. The engine is the command `ci`, as a black box; the peers are what an agent could use
//! instead. Prints Markdown, for `docs/BENCHMARKS.md`. A missed goal is a result, not an error.

mod aider;
mod bm25;
mod chain;
mod ci;
mod codegraph;
mod commits;
mod complexity;
mod data;
mod functions;
mod grep;
mod localisation;
mod method;
mod own_data;
mod program;
mod prompts;
mod score;
mod speed;
mod texts;
mod tree;
mod words;

use std::fmt::Display;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;

use method::Method;

/// Scores the engine's answers and its peers'.
#[derive(Debug, Parser)]
struct Arguments {
    /// Cases: a JSON Lines file, or a folder of them; made from Cargo's registry when absent.
    #[arg(long)]
    data: Option<PathBuf>,

    /// Where the clones are: a file with `owner/name path` a line.
    #[arg(long)]
    repos: Option<PathBuf>,

    /// Ask with the messages of at most this many commits of each clone, instead of `--data`.
    #[arg(long, value_name = "N", requires = "repos", conflicts_with = "data")]
    commits: Option<usize>,

    /// With `--commits`: at so many commits of each clone, ask with at most N of those that follow each.
    #[arg(long, value_name = "B", requires = "commits")]
    bases: Option<usize>,

    /// Write the cases to this file, and ask nothing.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Only these methods; all of them when absent.
    #[arg(long, value_delimiter = ',', value_enum)]
    only: Vec<Method>,

    /// At most this many cases of each group, spread over the data.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    limit: usize,

    /// Cases whose name holds one of these texts.
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,

    /// At most this many cases of each group for the slow peers (aider, codegraph), spread over the
    /// data. Ours is scored on them once more, to compare.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    slow_limit: usize,

    /// Also score which changed functions are within a budget of text.
    #[arg(long)]
    functions: bool,

    /// Score the orchestrator's whole chain instead: is the right file, and the right function, in the
    /// text that it puts before the issue?
    #[arg(long)]
    chain: bool,

    /// Score instead how the prompts of this file are told from everyday ones, on trees of REPOS.
    #[arg(long, value_name = "FILE", requires = "repos", conflicts_with = "data")]
    prompts: Option<PathBuf>,

    /// Measure speed and size on this folder instead; repeat it for more.
    #[arg(long, value_name = "FOLDER")]
    speed: Vec<PathBuf>,

    /// Hold `ci complexity` against lizard and rust-code-analysis on this folder instead; repeat it
    /// for more.
    #[arg(long, value_name = "FOLDER")]
    complexity: Vec<PathBuf>,

    /// Leave the history unread.
    #[arg(long)]
    no_history: bool,

    /// Print one JSON object for each case and method, and the scores, instead of tables.
    #[arg(long)]
    json: bool,

    /// Print each case's rank beside the tables.
    #[arg(long)]
    ranks: bool,

    /// The command under test; beside this executable when absent.
    #[arg(long)]
    ci: Option<PathBuf>,

    /// Where peers are installed.
    #[arg(long, default_value = ".tools")]
    tools: PathBuf,

    /// Where trees and indexes are kept between runs; below the system's temporary folder when
    /// absent.
    #[arg(long)]
    scratch: Option<PathBuf>,
}

/// The `bench-code-intel` command: exits 0 when everything could be measured.
#[must_use]
pub fn main() -> ExitCode {
    match bench(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench-code-intel: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> anyhow::Result<()> {
    let scratch = match &arguments.scratch {
        Some(scratch) => scratch.clone(),
        None => std::env::temp_dir().join("codex-bridge-bench-code-intel"),
    };
    std::fs::create_dir_all(&scratch).with_context(|| format!("{}", scratch.display()))?;
    let scratch = scratch.canonicalize()?;
    if let Some(prompts) = &arguments.prompts {
        prompts::measure(prompts, arguments, &scratch)
    } else if !arguments.speed.is_empty() {
        speed::measure(arguments, &scratch)
    } else if !arguments.complexity.is_empty() {
        complexity::measure(arguments, &scratch)
    } else if arguments.chain {
        chain::measure(arguments, &scratch)
    } else {
        localisation::measure(arguments, &scratch)
    }
}

impl Arguments {
    fn wants(&self, method: Method) -> bool {
        self.only.is_empty() || self.only.contains(&method)
    }

    fn tools(&self) -> PathBuf {
        self.tools.canonicalize().unwrap_or_else(|_| self.tools.clone())
    }

    fn ci(&self) -> anyhow::Result<PathBuf> {
        match &self.ci {
            Some(path) => Ok(path.canonicalize().with_context(|| format!("{}", path.display()))?),
            None => Ok(std::env::current_exe()?.with_file_name("ci")),
        }
    }
}

/// Prints a line; a closed stdout is not an error.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints progress for the user.
fn progress(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
