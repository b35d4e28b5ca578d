//! Measures the daemon as a black box and compares the numbers with the goals. Everything runs in
//! one process on one machine: the real daemon, the pinned Codex or its stand-in, a
//! scripted model, and the callers, which share the processors with what they measure.
//!
//! Prints Markdown, for `docs/BENCHMARKS.md`. A missed goal is a result; only an invalid response
//! is an error.

mod added;
mod bare;
mod cancel;
mod crowd;
mod inside;
pub(crate) mod machine;
mod memory;
mod neighbour;
mod progress;
mod refuse;
mod report;
mod samples;
mod shell;
mod start;
mod window;
mod wire;

use std::fmt::Display;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, ValueEnum};
use codex_driver::version::{self, Version};
use supervise::Guard;

pub(crate) use report::{Goal, HEAD, Row};
pub(crate) use samples::Samples;
use tests::harness::{DaemonBuilder, built, codex_bin};

/// Measures, one part after the other, and prints a table.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only these parts; all of them when absent.
    #[arg(long, value_delimiter = ',', value_enum)]
    only: Vec<Part>,

    /// At most this many samples of each kind: for a quick look.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    samples: usize,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The time that the bridge adds to a run of Codex.
    Added,
    /// From the start of the daemon until it answers.
    Start,
    /// What the daemon keeps in memory while it has nothing to do.
    Memory,
    /// A thousand callers at once.
    Crowd,
    /// Another user's two thousand connections (as root).
    Neighbour,
    /// Requests that break the contract.
    Refuse,
    /// From a cancel until no process of the run is left.
    Cancel,
    /// What it takes to see how a model goes on.
    Progress,
    /// What watching a shell call takes.
    Shell,
    /// The pages over ten thousand runs.
    Window,
    /// Pure functions on the way of each request.
    Inside,
}

/// The `bench` command: exits 0 when everything could be measured.
#[must_use]
#[tokio::main]
pub async fn main() -> ExitCode {
    match bench(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn bench(arguments: &Arguments) -> anyhow::Result<()> {
    machine::claim_descriptors();
    for line in machine::describe()? {
        say(format!("- {line}"));
    }
    say(format!("- Codex: {}, the bridge {}", codex_version().await?, env!("CARGO_PKG_VERSION")));
    say(format!("\n{}", HEAD));
    for &part in Part::value_variants() {
        if arguments.only.is_empty() || arguments.only.contains(&part) {
            for row in part.measure(arguments.samples).await? {
                say(row);
            }
        }
    }
    say(format!("\nLoad after: {}", machine::load()?));
    Ok(())
}

impl Part {
    /// Runs all parts; each starts what it needs and cleans up.
    async fn measure(self, samples_max: usize) -> anyhow::Result<Vec<Row>> {
        let count = |wanted: usize| wanted.min(samples_max).max(1);
        match self {
            Self::Added => added::measure(count(60)).await,
            Self::Start => start::measure(count(30)).await,
            Self::Memory => memory::measure().await,
            Self::Crowd => crowd::measure(count(3)).await,
            Self::Neighbour => neighbour::measure(count(400)).await,
            Self::Refuse => refuse::measure(count(5)).await,
            Self::Cancel => cancel::measure(count(200)).await,
            Self::Progress => progress::measure(count(20)).await,
            Self::Shell => shell::measure(count(200)).await,
            Self::Window => window::measure(count(100)).await,
            Self::Inside => inside::measure(count(200)),
        }
    }
}

/// A daemon that uses the pinned Codex, and the path of that Codex.
fn with_codex() -> anyhow::Result<(DaemonBuilder, PathBuf)> {
    let codex = codex_bin().context("there is nothing to compare with")?;
    Ok((DaemonBuilder::new()?.codex(&codex), codex))
}

async fn codex_version() -> anyhow::Result<Version> {
    let codex = codex_bin().context("there is nothing to compare with")?;
    Ok(version::probe(&Guard::new(built("bridge-under-test")?), &codex).await?)
}

/// Prints a line; a closed stdout is not an error.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
