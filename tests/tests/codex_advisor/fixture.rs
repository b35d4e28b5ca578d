//! The fixture of these tests: the command in its environment, and a check of its output.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use contract::failure::Failure;
use contract::id::RunId;
use contract::outcome::Outcome;
use contract::run::RunKind;
use contract::schema;
use serde_json::Value;
use tests::harness::{Daemon, DaemonBuilder, StateDir, wait_until_some};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// A question that keeps the contract, as YAML. The stand-in for Codex reads its mode from it.
pub(crate) fn question(mode: &str) -> String {
    format!(
        "# a comment\nproblem: \"Which queue? fake-codex: {mode}\"\n\
         context: |\n  three services\n  {{\"one\": \"database\"}}\n\
         candidate_plans:\n  - name: outbox\n    description: Write, then publish.\n\
         \x20 - {{name: two-phase, description: Agree before writing.}}\nphase: initial\n"
    )
}

/// A daemon with the stand-in for Codex.
pub(crate) fn builder() -> DaemonBuilder {
    DaemonBuilder::with_fake_codex().unwrap()
}

/// The same, running.
pub(crate) async fn daemon() -> Daemon {
    builder().start().await.unwrap()
}

/// The command in the surroundings of one user.
#[derive(Debug, Clone)]
pub(crate) struct Advisor {
    program: OsString,
    folder: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A command that runs.
pub(crate) struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Advisor {
    /// The user whose home and state are those of `folder`.
    pub(crate) fn of(folder: &StateDir) -> Self {
        let advisor = Self {
            program: env!("CARGO_BIN_EXE_advisor-under-test").into(),
            folder: None,
            environment: Vec::new(),
        };
        advisor
            .env("CODEX_BRIDGE_STATE_DIR", folder.state())
            .env("HOME", folder.home())
            .env("TMPDIR", folder.temp())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
    }

    /// Another executable.
    pub(crate) fn program(mut self, path: &Path) -> Self {
        self.program = path.into();
        self
    }

    /// In another folder.
    pub(crate) fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the user, who starts it")]
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg0("codex-advisor")
            .args(args)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Starts the command and gives it its standard input.
    pub(crate) async fn start(&self, args: &[&str], stdin: &str) -> Running {
        let mut child = self.command(args).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A command that reads no input has closed the pipe.
        let _ = pipe.write_all(stdin.as_bytes()).await;
        drop(pipe);
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Running { child, stderr, said: String::new() }
    }

    /// Runs the command to its end.
    pub(crate) async fn tell(&self, args: &[&str], stdin: &str) -> Told {
        self.start(args, stdin).await.end().await
    }

    /// Runs the command and expects this exit code and a document that keeps its schema.
    pub(crate) async fn json(&self, args: &[&str], stdin: &str, code: i32) -> Value {
        self.tell(args, stdin).await.json(code)
    }
}

impl Running {
    /// The run that was started, once the daemon has taken it.
    pub(crate) async fn run_id(&mut self) -> RunId {
        loop {
            let mut line = String::new();
            let read = timeout(LIMIT, self.stderr.read_line(&mut line)).await.unwrap().unwrap();
            assert!(read > 0, "it said no run id: {}", self.said);
            self.said.push_str(&line);
            if let Some(id) = line.trim().strip_prefix("run_id: ") {
                return id.parse().unwrap();
            }
        }
    }

    pub(crate) fn pid(&self) -> i32 {
        self.child.id().unwrap().try_into().unwrap()
    }

    pub(crate) async fn end(mut self) -> Told {
        let mut stdout = self.child.stdout.take();
        let whole = async {
            let (mut out, mut error) = (String::new(), self.said);
            let reading = async {
                if let Some(pipe) = &mut stdout {
                    pipe.read_to_string(&mut out).await.unwrap();
                }
            };
            let (_, said) = tokio::join!(reading, self.stderr.read_to_string(&mut error));
            said.unwrap();
            let status = self.child.wait().await.unwrap();
            Told { code: status.code(), stdout: out, stderr: error }
        };
        timeout(LIMIT, whole).await.expect("the command does not end")
    }

    /// Closes the reading end of its standard output.
    pub(crate) fn close_stdout(&mut self) {
        drop(self.child.stdout.take());
    }
}

impl Told {
    /// The document on standard output, which keeps its schema.
    #[track_caller]
    pub(crate) fn json(self, code: i32) -> Value {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        let json: Value =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"));
        let judge = if json.get("error").is_some() {
            Some(&schema::FAILURE)
        } else if json.get("recommendation").is_some() {
            Some(&schema::REPORT)
        } else {
            None
        };
        if let Some(judge) = judge {
            assert!(judge.accepts(&json), "{:#?}", judge.violations(&json));
            let outcome =
                Outcome::failure(&json).or_else(|| Outcome::report(RunKind::Analyze, &json));
            assert!(outcome.is_some(), "{json:#}");
        }
        json
    }

    /// The failure on standard output: its type and code.
    #[track_caller]
    pub(crate) fn failure(self, code: i32) -> Failure {
        serde_json::from_value(self.json(code)).unwrap()
    }
}

/// Waits until Codex is at work on the run.
pub(crate) async fn at_work(daemon: &Daemon, run: RunId) {
    let path = format!("/runs/{run}");
    let running = wait_until_some(LIMIT, async || {
        let record = daemon.client().get(&path).await.ok()?;
        (record.body["run"]["state"] == "running").then_some(())
    });
    assert!(running.await.is_some(), "{run} does not run");
}

/// A mode that answers once [`release`] was called, whenever that is.
pub(crate) fn held(folder: &StateDir) -> String {
    format!("ok-when {}", folder.work().join("go").display())
}

/// Lets held runs go on.
pub(crate) fn release(folder: &StateDir) {
    std::fs::write(folder.work().join("go"), "").unwrap();
}
