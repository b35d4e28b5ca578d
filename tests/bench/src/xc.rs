//! Times `xc` as a black box: its start, a run with a scripted model, a shell call, resuming a long session;
//! compared with peers if they are installed, in alternation and in one run. Prints Markdown, for
//! `docs/BENCHMARKS.md`. A missed goal is a result, not an error.

#![expect(clippy::disallowed_methods, reason = "the harness plays the user, who starts it")]

mod context;
mod past;
mod peer;
mod place;
mod pty;
mod screen;

use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Parser;
use mock_model::{Reply, Script, Turn};
use serde_json::json;
use tokio::process::Command;

use crate::service::{Goal, HEAD, Row, Samples, machine};
use peer::Peer;
use place::Place;

/// The longest time of `--version`, in milliseconds.
const VERSION_MAX: f64 = 10.0;
/// How much more time a run may take than the model, in milliseconds.
const RUN_MAX: f64 = 60.0;
/// How much more time a shell call may take than the bare command, in milliseconds.
const SHELL_MAX: f64 = 8.0;
/// How much resuming a long session may add, in milliseconds and in MB.
const RESUME_MAX: (f64, f64) = (500.0, 157.3);
/// The largest size of the program in bytes.
const SIZE_MAX: f64 = 40e6;
/// The number of shell calls in one answer; their additional time over one call is divided by one less.
const CALLS: usize = 21;
/// Rounds that are not counted.
const WARM_UP: usize = 2;

/// Times `xc`.
#[derive(Debug, Parser)]
struct Arguments {
    /// Rounds; each measures every way once.
    #[arg(long, default_value_t = 20)]
    rounds: usize,

    /// The program; beside this executable when absent.
    #[arg(long)]
    xc: Option<PathBuf>,

    /// One more peer, whose start and first frame are timed, as NAME=PATH; may be given more than once.
    #[arg(long)]
    peer: Vec<Peer>,

    /// What is measured: `print` (`xc -p`), `screen` (at the terminal) or `context` (the code that goes with a prompt); all
    /// of it when absent.
    #[arg(long)]
    only: Option<Part>,
}

/// A part of the measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Print,
    Screen,
    Context,
}

/// The `bench-xc` command: exits 0 when everything could be measured.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let measured = tokio::runtime::Runtime::new()
        .context("no runtime")
        .and_then(|runtime| runtime.block_on(bench(&arguments)));
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "bench-xc: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn bench(arguments: &Arguments) -> anyhow::Result<()> {
    let own = std::env::current_exe()?;
    let xc = arguments.xc.clone().unwrap_or_else(|| own.with_file_name("xc"));
    ensure!(xc.is_file(), "{} is missing: build it first (make bench-xc)", xc.display());
    // Runs are started in other folders, so the path must be absolute.
    let xc = xc.canonicalize()?;
    for line in machine::describe()? {
        say(format!("- {line}"));
    }
    say(format!("\n{HEAD}"));
    let bytes = std::fs::metadata(&xc)?.len() as f64;
    let size = Row::told("size of `xc`", format!("{:.1} MB", bytes / 1e6));
    say(size.with(Goal::at_most(bytes / 1e6, SIZE_MAX / 1e6, "MB")));
    let is_wanted = |part| arguments.only.is_none_or(|only| only == part);
    if is_wanted(Part::Print) {
        print(&xc, arguments.rounds, &arguments.peer).await?;
    }
    if is_wanted(Part::Context) {
        for row in context::measure(&xc, arguments.rounds).await? {
            say(row);
        }
    }
    if is_wanted(Part::Screen) {
        for row in screen::measure(&xc, arguments.rounds, &arguments.peer).await? {
            say(row);
        }
    }
    say(format!("\nLoad after: {}", machine::load()?));
    Ok(())
}

/// Runs of `xc -p`, reported part by part.
async fn print(xc: &Path, rounds: usize, named: &[Peer]) -> anyhow::Result<()> {
    let versions = versions(xc, rounds, named).await?;
    let parts = [versions, runs(xc, rounds).await?, shell(xc, rounds).await?];
    for row in parts.into_iter().flatten() {
        say(row);
    }
    for row in past::measure(xc, rounds).await? {
        say(row);
    }
    Ok(())
}

/// `--version` of `xc` and of the peers, in alternation.
async fn versions(xc: &Path, rounds: usize, named: &[Peer]) -> anyhow::Result<Vec<Row>> {
    let own = Peer { name: "xc".to_owned(), program: xc.to_owned() };
    let all = std::iter::once(own).chain(peer::all(named));
    let mut ways: Vec<(Peer, Vec<Duration>)> = all.map(|it| (it, Vec::new())).collect();
    for round in 0..rounds + WARM_UP {
        for (way, times) in &mut ways {
            let mut command = Command::new(&way.program);
            command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null());
            let took = timed(&mut command).await?;
            if round >= WARM_UP {
                times.push(took);
            }
        }
    }
    let rows = ways.into_iter().map(|(way, times)| {
        let samples = Samples::of(times);
        let row = Row::times(format!("`{} --version`", way.name), &samples);
        if way.name == "xc" {
            row.with(Goal::at_most(samples.median(), VERSION_MAX, "ms"))
        } else {
            row
        }
    });
    Ok(rows.collect())
}

/// `xc -p` with a model that answers at once: it reads, edits and answers.
async fn runs(xc: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let (mut times, mut over) = (Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let path = "a.txt";
        let edit = json!({ "filePath": path, "oldString": "one", "newString": "two" });
        let script = Script::sequence(
            [
                Turn::call("readFile", &json!({ "filePath": path })).into(),
                Turn::call("edit", &edit).into(),
                Turn::text("Done.").into(),
            ],
            Reply::Empty,
        );
        let place = Place::new(xc, script).await?;
        let file = place.write(path, "one\n")?;
        let took = place.run(&["-p", "-t", "change it"]).await?;
        ensure!(std::fs::read_to_string(&file)? == "two\n", "the file was not edited");
        let model = place.model_time(3).await?;
        if round >= WARM_UP {
            times.push(took);
            over.push(took.saturating_sub(model));
        }
    }
    let (times, over) = (Samples::of(times), Samples::of(over));
    Ok(vec![
        Row::times("`xc -p`, instant model, one read and one edit", &times),
        Row::times("the same over the model's time", &over).with(Goal::at_most(
            over.median(),
            RUN_MAX,
            "ms",
        )),
    ])
}

/// The time of one more shell call, compared with the same command in a shell.
async fn shell(xc: &Path, rounds: usize) -> anyhow::Result<Vec<Row>> {
    let (mut each, mut bare) = (Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let one = calls(xc, 1).await?;
        let many = calls(xc, CALLS).await?;
        let mut command = Command::new("bash");
        let alone = timed(command.args(["-c", "true"]).stdin(Stdio::null())).await?;
        if round >= WARM_UP {
            each.push(many.saturating_sub(one) / (CALLS as u32 - 1));
            bare.push(alone);
        }
    }
    let (each, bare) = (Samples::of(each), Samples::of(bare));
    let over = each.median() - bare.median();
    let told = format!("{over:.2} ms (between the medians)");
    Ok(vec![
        Row::times("`bash -c true` alone", &bare),
        Row::times(format!("a shell call of `true`, mean of {} in one run", CALLS - 1), &each),
        Row::told("a shell call over the bare command", told)
            .with(Goal::at_most(over, SHELL_MAX, "ms")),
    ])
}

/// A run whose first answer has this many shell calls.
async fn calls(xc: &Path, count: usize) -> anyhow::Result<Duration> {
    // Each call differs, since repeating the same call would be stopped.
    let command = |call| json!({ "command": format!("true {call}") });
    let turn = (0..count).fold(Turn::empty(), |turn, call| turn.and_call("shell", &command(call)));
    let script = Script::sequence([turn.into(), Turn::text("Done.").into()], Reply::Empty);
    let place = Place::new(xc, script).await?;
    let took = place.run(&["-p", "-t", "run them"]).await?;
    let request = place.mock.requests().pop().context("no request")?;
    let ran = String::from_utf8_lossy(&request.body).matches("exit code: 0").count();
    ensure!(ran == count, "{ran} of {count} calls ran");
    Ok(took)
}

/// The time from the start of a process to its successful end.
async fn timed(command: &mut Command) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let status = command.status().await?;
    let took = begun.elapsed();
    ensure!(status.success(), "{command:?}: {status}");
    Ok(took)
}

fn say(line: impl Display) {
    // A closed stdout is not an error.
    let _ = writeln!(std::io::stdout(), "{line}");
}
