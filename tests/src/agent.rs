//! What a test and its `fake-agent` say to one another: a command line, and what came of it.

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

/// What came of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// How many processes it left behind.
    pub left: u32,
}

/// Has a fresh agent, which was given `env` and works in `folder`, run the lines.
///
/// # Errors
/// The agent cannot be started, or breaks off.
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
