//! Measures one hook or program repeatedly.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use supervise::{Exit, HelperCommand, HelperEnd, run_helper_with_input};

use crate::service::Samples;

use super::place::Place;

/// More than any hook may take: the client's own limit for one is 30 s (Claude Code 2.1.197).
const LIMIT: Duration = Duration::from_secs(120);
/// Rounds that are not counted: the first ones read executables and indexes into memory, and go on with a first index, which
/// takes several prompts in a large repository.
const WARM_UP: usize = 10;

/// A hook or program, and its times.
pub(super) struct Measured {
    /// Its name in the table.
    pub(super) what: String,
    program: Program,
    inputs: Vec<Vec<u8>>,
    command: HelperCommand,
    times: Vec<Duration>,
}

/// The program to start.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
}

impl Measured {
    /// A hook that gets these prompts in turn.
    pub(super) fn hook(what: &str, program: Program, place: &Place, prompts: &[&str]) -> Self {
        let inputs = prompts.iter().map(|prompt| place.call(prompt)).collect();
        Self::fed(what, program, place, inputs)
    }

    /// A program that gets these inputs in turn.
    pub(super) fn fed(what: &str, program: Program, place: &Place, inputs: Vec<Vec<u8>>) -> Self {
        let command = place.command(&program, LIMIT);
        Self { what: what.to_owned(), program, inputs, command, times: Vec::new() }
    }

    /// Runs it once; returns its output and its time.
    pub(super) fn once(&self, round: usize) -> anyhow::Result<(String, Duration)> {
        let command = HelperCommand { deadline: Instant::now() + LIMIT, ..self.command.clone() };
        let begun = Instant::now();
        let told = run_helper_with_input(&command, &self.inputs[round % self.inputs.len()])
            .with_context(|| format!("cannot run {}", self.program.path.display()))?;
        let took = begun.elapsed();
        let is_fine = matches!(told.end, HelperEnd::Exited(Exit::Code(0)));
        ensure!(is_fine, "{}: {:?}: {}", self.what, told.end, told.stderr);
        Ok((String::from_utf8_lossy(&told.stdout).into_owned(), took))
    }

    /// All times.
    pub(super) fn samples(&self) -> Samples {
        Samples::of(self.times.iter().copied())
    }
}

/// Measures all of them in alternation, so that a load peak affects all.
pub(super) fn measure(ways: &mut [Measured], rounds: usize) -> anyhow::Result<()> {
    let count = ways.len();
    for round in 0..rounds + WARM_UP {
        for step in 0..count {
            // Each is first equally often, so that none always follows the same other one.
            let way = &mut ways[(round + step) % count];
            let (_, took) = way.once(round)?;
            if round >= WARM_UP {
                way.times.push(took);
            }
        }
    }
    Ok(())
}
