//! The protocol between a test and its `fake-agent`: a command line, and its result.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::harness::built;

/// A command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The file that is its standard input.
    pub stdin: PathBuf,
}

/// The result of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// How many processes it left running.
    pub left: u32,
}

/// Runs the lines in a new agent with the environment `env` in `folder`.
///
/// # Errors
/// The agent cannot be started, or ends early.
#[expect(clippy::disallowed_methods, reason = "the test plays the user, who starts the agent")]
pub fn play(lines: &[Line], env: &[(&str, &OsStr)], folder: &Path) -> io::Result<Vec<Told>> {
    let mut agent = Command::new(built("fake-agent")?)
        .env_clear()
        .envs(env.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let taken = |stream: Option<_>| stream.ok_or(io::ErrorKind::BrokenPipe);
    let mut input = taken(agent.stdin.take())?;
    let output = agent.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let told = std::thread::scope(|scope| {
        scope.spawn(move || {
            for line in lines {
                let line = serde_json::to_string(line)?;
                input.write_all(line.as_bytes())?;
                input.write_all(b"\n")?;
            }
            Ok::<_, io::Error>(())
        });
        let lines = BufReader::new(output).lines();
        lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<io::Result<Vec<Told>>>()
    })?;
    let status = agent.wait()?;
    if !status.success() || told.len() != lines.len() {
        let message = format!("the agent ended with {status} after {} lines", told.len());
        return Err(io::Error::other(message));
    }
    Ok(told)
}
