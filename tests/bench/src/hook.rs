//! Times the whole process of the prompt hook, from its start to its end, compared with a C program
//! that does nothing and with third-party hooks, in alternation and in one run. Prints Markdown, for
//! `docs/BENCHMARKS.md`. A missed goal is a result, not an error.

mod court;
mod measured;
mod peers;
mod place;

use std::fmt::Display;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Parser;

use crate::service::{Goal, HEAD, Row, Samples, machine};
use measured::{Measured, measure};
use place::Place;

/// How much more time a prompt without code may take than a process that does nothing, in milliseconds.
const OVER_NOTHING_MAX: f64 = 2.0;
/// The median time for a prompt about code, with an existing index, in milliseconds.
const CODE_MEDIAN_MAX: f64 = 45.0;
/// The same for the 99th percentile.
const CODE_P99_MAX: f64 = 90.0;
/// The largest size of the program in bytes.
const SIZE_MAX: f64 = 2_000_000.0;

/// A prompt that is not about code.
const CHAT: &str = "thank you, that was very kind; have a nice weekend";
/// Prompts about code, in both languages.
const CODE: [&str; 4] = [
    "fix the wrong sign in the derivative of Abs in sympy/functions/elementary/complexes.py",
    "why does simplify() return nan for 0**0?",
    "修复 solve 在线性方程组无解时抛出 IndexError 的问题",
    "where is the printer for Matrix in LaTeX implemented, and which settings does it take?",
];
/// The client's own prompt when a background task has ended.
const NEWS: &str = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>";

/// Times the hook.
#[derive(Debug, Parser)]
struct Arguments {
    /// The repository that the prompts are about.
    #[arg(long, value_name = "FOLDER")]
    tree: PathBuf,

    /// Rounds; each measures every way once.
    #[arg(long, default_value_t = 100)]
    rounds: usize,

    /// Rounds of the peers, which take seconds.
    #[arg(long, default_value_t = 5)]
    peer_rounds: usize,

    /// The entry, built with the profile it is delivered with; below `target/client` when absent.
    #[arg(long)]
    inject: Option<PathBuf>,

    /// Time this program as the court's hook instead.
    #[arg(long)]
    court: Option<PathBuf>,

    /// The orchestrator; beside this executable when absent.
    #[arg(long)]
    orchestrator: Option<PathBuf>,

    /// Where peers are installed.
    #[arg(long, default_value = ".tools")]
    tools: PathBuf,
}

/// The `bench-hook` command: exits 0 when everything could be measured.
#[must_use]
pub fn main() -> ExitCode {
    match bench(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench-hook: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(court) = &arguments.court {
        for line in machine::describe()? {
            say(line);
        }
        say(format!("\n{HEAD}"));
        for row in court::rows(court, &arguments.tree, &arguments.tools, arguments.rounds)? {
            say(row);
        }
        return Ok(());
    }
    let own = std::env::current_exe()?;
    let beside = |name: &str| own.with_file_name(name);
    let target = own.parent().and_then(|folder| folder.parent()).context("no target folder")?;
    let inject = arguments.inject.clone().unwrap_or_else(|| target.join("client/context-inject"));
    let orchestrator =
        arguments.orchestrator.clone().unwrap_or_else(|| beside("auto-tool-orchestrator"));
    for path in [&inject, &orchestrator] {
        ensure!(path.is_file(), "{} is missing: build it first (make bench-hook)", path.display());
    }
    let place = Place::new(
        &[(&inject, "context-inject"), (&orchestrator, "auto-tool-orchestrator")],
        &arguments.tree,
    )?;
    for line in machine::describe()? {
        say(line);
    }
    say(format!("\n{HEAD}"));
    let bytes = std::fs::metadata(&inject)?.len() as f64;
    let size = Row::told("size of `context-inject`", format!("{:.2} MB", bytes / 1e6));
    say(size.with(Goal::at_most(bytes / 1e6, SIZE_MAX / 1e6, "MB")));
    for row in ours(&place, arguments.rounds)? {
        say(row);
    }
    for row in peers::rows(&place, &arguments.tools, arguments.peer_rounds)? {
        say(row);
    }
    Ok(())
}

fn ours(place: &Place, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let paste = format!("{CHAT}\n{}", "and so on, and so forth. ".repeat(8_000));
    let entry = |what: &str, prompts: &[&str]| Measured::hook(what, place.entry(), place, prompts);
    let mut ways = vec![
        entry("the hook, a prompt without code", &[CHAT]),
        entry("the same with 200 kB pasted behind it", &[&paste]),
        entry("the client's own news (no orchestrator)", &[NEWS]),
        Measured::hook(
            "a prompt without code, through the shell shim",
            place.shim(),
            place,
            &[CHAT],
        ),
        entry("the hook, prompts about code, warm index", &CODE),
    ];
    let nothing = place.nothing()?;
    if let Some(nothing) = nothing {
        ways.insert(0, Measured::hook("a C program that does nothing", nothing, place, &[CHAT]));
    } else {
        progress("SKIPPED: no C compiler, so nothing to hold the hook against");
    }
    // The first question builds the index, which is not measured.
    let context = place.until_context(CODE[0])?;
    progress(format!("a context of {} characters, for example", context.len()));
    measure(&mut ways, rounds)?;
    let samples: Vec<Samples> = ways.iter().map(Measured::samples).collect();
    let over = |index: usize| samples[index].median() - samples[0].median();
    let has_nothing = ways.len() == 6;
    let mut rows = Vec::new();
    for (way, samples) in ways.iter().zip(&samples) {
        rows.push(Row::times(way.what.clone(), samples));
    }
    if has_nothing {
        for (index, what) in
            [(1, "a prompt without code"), (2, "the paste"), (3, "the client's news")]
        {
            let row = Row::told(
                format!("{what}, over the C program, between the medians"),
                format!("{:.2} ms", over(index)),
            );
            rows.push(if index == 1 {
                row.with(Goal::at_most(over(index), OVER_NOTHING_MAX, "ms"))
            } else {
                row
            });
        }
    }
    let code = samples.last().context("nothing was measured")?;
    for (what, value, limit) in
        [("median", code.median(), CODE_MEDIAN_MAX), ("p99", code.percentile(99), CODE_P99_MAX)]
    {
        let row = Row::told(format!("prompts about code, {what}"), format!("{value:.1} ms"));
        rows.push(row.with(Goal::at_most(value, limit, "ms")));
    }
    Ok(rows)
}

/// Prints a line; a closed stdout is not an error.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints progress for the user.
fn progress(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
