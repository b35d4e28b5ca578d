//! Runs `xc` as a real process, and the project's test.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use host::{Environment, streams};
use mock_model::MockModel;
use rustix::process::{Pid, Signal, kill_process};
use supervise::{
    Chunk, Command, Exit, Guard, HelperCommand, HelperEnd, Limits, WatchBounds, run_helper, watch,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::DemoError;
use super::project::Project;

/// How long one run may take; each takes less than a second.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// How much of a run's output is read, in bytes.
const OUTPUT_MAX: u64 = 16 << 20;

/// The environment that the runs share.
pub(super) struct Stage<'s> {
    pub(super) project: &'s Project,
    pub(super) model: &'s MockModel,
    guard: Guard,
    program: PathBuf,
    path: OsString,
}

/// When a run ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    /// By itself.
    End,
    /// By SIGKILL as soon as it has printed this.
    Printed(&'static str),
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub(super) struct Ran {
    /// Its exit code; none where a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// What the project's test printed, and its exit code.
#[derive(Debug)]
pub(super) struct Tested {
    pub(super) code: i32,
    pub(super) text: String,
}

impl<'s> Stage<'s> {
    /// Finds this program.
    ///
    /// # Errors
    /// [`DemoError::NotRun`] without a mounted `/proc`.
    pub(super) fn new(project: &'s Project, model: &'s MockModel) -> Result<Self, DemoError> {
        let not_run = |error: std::io::Error| DemoError::NotRun("xc", error.to_string());
        let guard = Guard::current_exe().map_err(not_run)?;
        let program = std::env::current_exe().map_err(not_run)?;
        let environment = Environment::of_process();
        let path = environment.get(host::environment::PATH).map(ToOwned::to_owned);
        let path = path.unwrap_or_else(|| "/usr/bin:/bin".into());
        Ok(Self { project, model, guard, program, path })
    }

    /// Runs `xc` with these arguments, shows its output, and waits until it ends.
    ///
    /// # Errors
    /// [`DemoError::NotRun`].
    pub(super) async fn xc(&self, words: &[&str], until: Until) -> Result<Ran, DemoError> {
        streams::print(&format!("$ xc {}", quoted(words)));
        let command = Command {
            program: self.program.clone(),
            args: words.iter().map(OsString::from).collect(),
            env: self.variables(),
            current_dir: self.project.root(),
            stdin: Vec::new(),
        };
        let bounds = WatchBounds {
            deadline: Instant::now() + RUN_LIMIT,
            output_max: OUTPUT_MAX,
            grace: Duration::from_secs(2),
            limits: Limits::NONE,
        };
        let cancel = CancellationToken::new();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (mut shown_stdout, mut shown_stderr) = (Vec::new(), Vec::new());
        let mut pid = None;
        let watched = watch(&self.guard, command, bounds, &cancel, |chunk| match chunk {
            Chunk::Started(number) => pid = Pid::from_raw(i32::try_from(number).unwrap_or(0)),
            Chunk::Stderr(bytes) => {
                show(&mut shown_stderr, bytes);
                stderr.extend_from_slice(bytes);
            }
            Chunk::Stdout(bytes) => {
                stdout.extend_from_slice(bytes);
                match until {
                    Until::End => show(&mut shown_stdout, bytes),
                    Until::Printed(text) => {
                        let is_there = String::from_utf8_lossy(&stdout)
                            .lines()
                            .any(|line| line.contains(r#""type":"output""#) && line.contains(text));
                        if let Some(pid) = pid.take_if(|_| is_there) {
                            // If the process is gone already, the step fails.
                            let _ = kill_process(pid, Signal::KILL);
                        }
                    }
                }
            }
        })
        .await
        .map_err(|error| DemoError::NotRun("xc", error.to_string()))?;
        let code = match watched.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) => None,
        };
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ran { code, stdout: text(stdout), stderr: text(stderr) })
    }

    /// Runs the project's test.
    ///
    /// # Errors
    /// [`DemoError::NotRun`].
    pub(super) fn test(&self) -> Result<Tested, DemoError> {
        let command = HelperCommand {
            program: "/bin/sh".into(),
            args: vec!["test.sh".into()],
            env: vec![("PATH".into(), self.path.clone())],
            current_dir: self.project.root(),
            deadline: std::time::Instant::now() + RUN_LIMIT,
            stdout_max: 4096,
        };
        let not_run = |error: String| DemoError::NotRun("the test", error);
        let output = run_helper(&command).map_err(|error| not_run(error.to_string()))?;
        let HelperEnd::Exited(Exit::Code(code)) = output.end else {
            return Err(not_run("it did not end by itself".to_owned()));
        };
        Ok(Tested { code, text: String::from_utf8_lossy(&output.stdout).into_owned() })
    }

    /// The environment variables of a run: of the user's own, only `PATH`.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), self.path.clone()),
            ("HOME".into(), self.project.home().into()),
            ("LANG".into(), "C.UTF-8".into()),
        ];
        variables.extend(settings(self.model).map(|(name, value)| (name.into(), value.into())));
        variables
    }
}

/// The variables that make `xc` use the scripted model.
pub(super) fn settings(model: &MockModel) -> [(&'static str, String); 3] {
    [
        ("OPENAI_COMPATIBLE_API_KEY", "sk-demo-that-opens-nothing".to_owned()),
        ("OPENAI_COMPATIBLE_BASE_URL", model.base_url()),
        ("X_CODE_MODEL", "custom:scripted".to_owned()),
    ]
}

/// Prints the complete lines of a run's output, and keeps the rest for later; the run has
/// already escaped the text.
fn show(rest: &mut Vec<u8>, bytes: &[u8]) {
    rest.extend_from_slice(bytes);
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line: Vec<u8> = rest.drain(..=end).collect();
        streams::print(&format!("    {}", String::from_utf8_lossy(&line[..end])));
    }
}

/// The arguments as they would be typed.
fn quoted(words: &[&str]) -> String {
    let word = |word: &&str| match word.contains([' ', '.']) {
        true => format!("'{word}'"),
        false => (*word).to_owned(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
