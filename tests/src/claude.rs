//! The real Claude Code client as a child process of a test: one prompt in print mode, against the scripted
//! Messages API, without the user's own configuration.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::harness::StateDir;
use crate::messages_api::MessagesApi;
use crate::peers::{INSTALL, peers};

/// More than any test's run takes on a busy machine: a client that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(150);

/// Builds a client.
#[derive(Debug, Clone)]
pub struct Claude {
    executable: PathBuf,
    home: PathBuf,
    project: PathBuf,
    environment: Vec<(OsString, OsString)>,
    arguments: Vec<OsString>,
}

/// The output of a client, and its exit code.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The lines of its stdout that are JSON: the events of `--output-format stream-json`.
    pub events: Vec<Value>,
    /// Its stdout.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
}

/// The native executable of the pinned client, which `make test` installs below `tests/peers`.
///
/// `None` prints on stderr that the test is skipped, and why. In CI no test is skipped.
///
/// # Panics
/// If `CI` is set and there is no client.
#[must_use]
pub fn claude_bin() -> Option<PathBuf> {
    let scope = peers().join("node_modules/@anthropic-ai");
    let packages = fs::read_dir(scope).into_iter().flatten().flatten();
    let found = packages.map(|package| package.path().join("claude")).find(|path| path.is_file());
    if found.is_none() {
        skipping::missing("Claude Code", INSTALL);
    }
    found
}

impl Claude {
    /// A client with the folders of this test, and no API yet.
    ///
    /// # Errors
    /// The project folder cannot be created.
    pub fn new(executable: &Path, folder: &StateDir) -> io::Result<Self> {
        let home = folder.root().join("claude-home");
        let project = folder.root().join("project");
        for folder in [&home, &project] {
            fs::create_dir_all(folder)?;
        }
        let claude = Self {
            executable: executable.to_owned(),
            environment: Vec::new(),
            arguments: Vec::new(),
            home: home.clone(),
            project,
        };
        Ok(claude
            .env("HOME", &home)
            .env("CLAUDE_CONFIG_DIR", home.join(".claude"))
            .env("TMPDIR", folder.temp())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("ANTHROPIC_API_KEY", "mock-model")
            // Only the scripted API is contacted.
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("CLAUDE_CODE_MAX_RETRIES", "1"))
    }

    /// Sets the API.
    #[must_use]
    pub fn api(self, api: &MessagesApi) -> Self {
        self.env("ANTHROPIC_BASE_URL", api.url())
    }

    /// Sets a variable; a later value replaces an earlier one.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, |claude, argument| claude.arg(argument))
    }

    /// Sets another working folder.
    #[must_use]
    pub fn in_folder(mut self, project: &Path) -> Self {
        self.project = project.to_owned();
        self
    }

    /// The user's home folder of this client.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Its working folder.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Runs one prompt in print mode, and returns every event.
    ///
    /// # Errors
    /// As [`Claude::run`].
    pub async fn prompt(&self, prompt: &str) -> anyhow::Result<Finished> {
        let words = ["--output-format", "stream-json", "--verbose", "-p", prompt];
        self.clone().args(words).run().await
    }

    /// Sends these messages by `--input-format stream-json`, each when the previous one is answered, and returns
    /// every event.
    ///
    /// # Errors
    /// It cannot be started, or does not end.
    pub async fn messages(&self, texts: &[&str]) -> anyhow::Result<Finished> {
        let words = ["--input-format", "stream-json", "--output-format", "stream-json"];
        let claude = self.clone().args(words).args(["--verbose", "-p"]);
        let Ok(finished) = tokio::time::timeout(LIMIT, claude.converse(texts)).await else {
            bail!("Claude Code does not end within {LIMIT:?}");
        };
        finished
    }

    async fn converse(&self, texts: &[&str]) -> anyhow::Result<Finished> {
        let mut child = self.spawn(Stdio::piped())?;
        let mut stdin = child.stdin.take().context("no stdin")?;
        let mut stderr = child.stderr.take().context("no stderr")?;
        let mut lines = BufReader::new(child.stdout.take().context("no stdout")?).lines();
        let complaints = tokio::spawn(async move {
            let mut text = String::new();
            // Partial output is better than none.
            let _ = stderr.read_to_string(&mut text).await;
            text
        });
        let mut stdout = String::new();
        for text in texts {
            let message = json!({"role": "user", "content": text});
            let line = format!("{}\n", json!({"type": "user", "message": message}));
            stdin.write_all(line.as_bytes()).await?;
            while let Some(line) = lines.next_line().await? {
                stdout.push_str(&line);
                stdout.push('\n');
                if serde_json::from_str::<Value>(&line).is_ok_and(|event| event["type"] == "result")
                {
                    break;
                }
            }
        }
        drop(stdin);
        while let Some(line) = lines.next_line().await? {
            stdout.push_str(&line);
            stdout.push('\n');
        }
        let status = child.wait().await?;
        Ok(Finished::new(status.code(), stdout, complaints.await?))
    }

    /// Runs it with the arguments so far.
    ///
    /// # Errors
    /// It cannot be started, or does not end.
    pub async fn run(&self) -> anyhow::Result<Finished> {
        let child = self.spawn(Stdio::null())?;
        let Ok(output) = tokio::time::timeout(LIMIT, child.wait_with_output()).await else {
            bail!("Claude Code does not end within {LIMIT:?}");
        };
        let output = output?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Finished::new(output.status.code(), stdout, stderr))
    }

    #[expect(clippy::disallowed_methods, reason = "the harness plays the user, who starts it")]
    fn spawn(&self, stdin: Stdio) -> anyhow::Result<Child> {
        Command::new(&self.executable)
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.project)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start Claude Code")
    }
}

impl Finished {
    fn new(code: Option<i32>, stdout: String, stderr: String) -> Self {
        let events = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self { code, events, stdout, stderr }
    }

    /// The event that lists what was loaded.
    ///
    /// # Errors
    /// There is no such event.
    pub fn init(&self) -> anyhow::Result<&Value> {
        self.event(|event| event["type"] == "system" && event["subtype"] == "init")
    }

    /// The event with the run's result.
    ///
    /// # Errors
    /// There is no such event.
    pub fn result(&self) -> anyhow::Result<&Value> {
        self.event(|event| event["type"] == "result")
    }

    fn event(&self, wanted: impl Fn(&Value) -> bool) -> anyhow::Result<&Value> {
        let found = self.events.iter().find(|event| wanted(event));
        found.with_context(|| format!("no such event in {}\n{}", self.stdout, self.stderr))
    }
}
