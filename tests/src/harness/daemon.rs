//! The real daemon as a child process of a test, with its own state; nothing of it remains afterwards.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use mock_model::MockModel;
use rustix::process::{Pid, Signal, kill_process};

use super::client::Client;
use super::folder::{StateDir, built};
use super::survivors::survivors;
use super::wait::{wait_until, wait_until_some};

/// The daemon's `main` in an executable of this package, so that it is built with the tests.
const EXECUTABLE: &str = "bridge-under-test";

/// How long a daemon may take to become ready on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(20);

/// How long its processes may survive it (the guaranteed limit is 2 s; a busy machine gets more).
const END_LIMIT: Duration = Duration::from_secs(5);

/// The polling interval in [`Daemon`]'s drop, which cannot await.
const DROP_INTERVAL: Duration = Duration::from_millis(10);

/// The variable that selects another driver of Codex for the tests.
const DRIVER: &str = "CODEX_DRIVER_UNDER_TEST";

/// Builds a daemon.
#[derive(Debug, Clone)]
pub struct DaemonBuilder {
    folder: Arc<StateDir>,
    launcher: Vec<OsString>,
    /// Its installed executable, if that is not the one beside these tests.
    installed: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    arguments: Vec<OsString>,
    self_test: SelfTest,
}

/// Whether the daemon must test its Codex before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelfTest {
    /// No: its state folder says that the test has passed.
    Assumed,
    /// Yes.
    Made,
}

/// A running daemon. Dropping it kills it, and fails the test if any of its processes survives.
#[derive(Debug)]
pub struct Daemon {
    builder: DaemonBuilder,
    child: Child,
    client: Client,
    /// The client with the token for `/orchestrate`.
    orchestrator: Client,
}

impl DaemonBuilder {
    /// A daemon with a new state folder, on a free port, without a Codex and a provider.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new() -> io::Result<Self> {
        let folder = Arc::new(StateDir::new()?);
        let (launcher, arguments) = (Vec::new(), vec!["serve".into()]);
        let (environment, self_test) = (Vec::new(), SelfTest::Assumed);
        let installed = None;
        let builder = Self { folder, launcher, installed, environment, arguments, self_test };
        let builder = match std::env::var_os(DRIVER) {
            Some(driver) => builder.env("CODEX_BRIDGE_CODEX_DRIVER", driver),
            None => builder,
        };
        let (state, temp, home) =
            (builder.folder.state(), builder.folder.temp(), builder.folder.home());
        Ok(builder
            .env("CODEX_BRIDGE_LISTEN", "127.0.0.1:0")
            .env("CODEX_BRIDGE_STATE_DIR", state)
            .env("TMPDIR", temp)
            .env("HOME", home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default()))
    }

    /// The same with this package's stand-in for Codex.
    ///
    /// # Errors
    /// The folder cannot be created, or the stand-in was not built.
    pub fn with_fake_codex() -> io::Result<Self> {
        Ok(Self::new()?.codex(&built("fake-codex")?))
    }

    /// Uses this Codex, real or fake.
    #[must_use]
    pub fn codex(self, executable: &Path) -> Self {
        self.env("CODEX_BRIDGE_CODEX_BIN", executable)
    }

    /// Uses this scripted provider, with a key that it does not check.
    #[must_use]
    pub fn mock_model(self, mock: &MockModel) -> Self {
        self.env("CODEX_BRIDGE_CODEX_BASE_URL", mock.base_url())
            .env("CODEX_BRIDGE_CODEX_API_KEY_ENV", "MOCK_MODEL_KEY")
            .env("MOCK_MODEL_KEY", "mock-model")
    }

    /// Sets a variable; a later value replaces an earlier one.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Adds an argument after `serve`.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Starts the daemon through a command that executes it, such as `prlimit --nofile=32`.
    #[must_use]
    pub fn through<W: AsRef<OsStr>>(mut self, command: impl IntoIterator<Item = W>) -> Self {
        self.launcher = command.into_iter().map(|word| word.as_ref().to_owned()).collect();
        self
    }

    /// Starts this installed executable, for tests of what the daemon finds beside itself.
    #[must_use]
    pub fn installed(self, executable: &Path) -> Self {
        Self { installed: Some(executable.to_owned()), ..self }
    }

    /// This daemon's folders.
    #[must_use]
    pub fn folder(&self) -> &StateDir {
        &self.folder
    }

    /// Starts the process without waiting until it is ready: for daemons that are expected to fail.
    ///
    /// # Errors
    /// The process cannot be started.
    #[expect(clippy::disallowed_methods, reason = "the harness plays the user, who starts it")]
    pub fn spawn(&self) -> io::Result<Child> {
        self.assume_proven()?;
        let log = File::options().create(true).append(true).open(self.log_path())?;
        let executable = self.installed.clone().map_or_else(|| built(EXECUTABLE), Ok)?;
        let mut command = match self.launcher.split_first() {
            None => Command::new(&executable),
            Some((launcher, words)) => {
                let mut command = Command::new(launcher);
                command.args(words).arg(&executable);
                command
            }
        };
        if self.launcher.is_empty() {
            command.arg0("codex-bridge");
        }
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.work())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
    }

    /// Lets the daemon run its self-test, which takes another second at its start.
    #[must_use]
    pub fn unproven(self) -> Self {
        Self { self_test: SelfTest::Made, ..self }
    }

    /// Marks Codex as tested in the state folder: a stand-in uses no model, and the real one is tested
    /// elsewhere.
    fn assume_proven(&self) -> io::Result<()> {
        let set = |name: &str| {
            let mut set = self.environment.iter().rev();
            set.find(|(known, _)| known == name).map(|(_, value)| value)
        };
        let codex = set("CODEX_BRIDGE_CODEX_BIN").map(Path::new).filter(|path| path.is_file());
        let (Some(codex), SelfTest::Assumed) = (codex, self.self_test) else { return Ok(()) };
        let state = self.folder.state();
        if state.is_file() {
            return Ok(());
        }
        fs::create_dir_all(&state)?;
        let model = set("CODEX_BRIDGE_CODEX_MODEL").and_then(|model| model.to_str());
        codex_bridge::proof::assume(&state, codex, model)?;
        // The owner differs for a daemon that runs as another user.
        let owner = fs::metadata(&state)?;
        for file in fs::read_dir(&state)?.flatten().filter(|file| file.path().is_file()) {
            chown(file.path(), Some(owner.uid()), Some(owner.gid()))?;
        }
        Ok(())
    }

    /// Starts the daemon and waits until it responds.
    ///
    /// # Errors
    /// It ended, or did not respond within [`START_LIMIT`]; its log is part of the error.
    pub async fn start(self) -> anyhow::Result<Daemon> {
        let address_file = self.folder.state().join("address");
        // A killed daemon leaves its address file behind, which must not be taken for the new one.
        let _ = fs::remove_file(&address_file);
        let mut child = self.spawn().context("cannot start the daemon")?;
        let state = seen_by(child.id(), &self.folder.state());
        let mut ended = None;
        let clients = wait_until_some(START_LIMIT, async || {
            ended = child.try_wait().ok().flatten();
            if ended.is_some() {
                return Some(None);
            }
            let address = fs::read_to_string(state.join("address")).ok()?;
            let token = fs::read_to_string(state.join("token")).unwrap_or_default();
            let address = address.trim().trim_start_matches("http://").trim_end_matches('/');
            let more = fs::read_to_string(state.join("token-orchestrate")).unwrap_or_default();
            let client = Client::new(address, token.trim()).ok()?;
            let orchestrator = Client::new(address, more.trim()).ok()?;
            let health = client.get("/healthz").await.ok()?;
            (health.status == 200).then_some(Some((client, orchestrator)))
        })
        .await
        .flatten();
        let Some((client, orchestrator)) = clients else {
            let _ = child.kill();
            let _ = child.wait();
            bail!("the daemon is not ready ({ended:?}); its log:\n{}", self.log());
        };
        Ok(Daemon { builder: self, child, client, orchestrator })
    }

    /// The output of its daemons so far, stdout and stderr together.
    #[must_use]
    pub fn log(&self) -> String {
        let text = fs::read(self.log_path()).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    fn log_path(&self) -> PathBuf {
        self.folder.root().join("daemon.log")
    }
}

impl Daemon {
    /// A client with its token.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A client with the token that also permits `/orchestrate`.
    #[must_use]
    pub fn orchestrator(&self) -> &Client {
        &self.orchestrator
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its folders.
    #[must_use]
    pub fn folder(&self) -> &StateDir {
        &self.builder.folder
    }

    /// Its state folder in its own mount namespace, where a launcher may have mounted something.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        seen_by(self.pid(), &self.folder().state())
    }

    /// Its output so far, stdout and stderr together.
    #[must_use]
    pub fn log(&self) -> String {
        self.builder.log()
    }

    /// Its child processes: every process with its mark except itself.
    #[must_use]
    pub fn children(&self) -> Vec<super::Survivor> {
        let mut found = survivors(&self.mark());
        found.retain(|survivor| survivor.pid != self.pid());
        found
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// It has ended.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        kill_process(pid, signal).map_err(io::Error::from)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It did not end within the limit.
    pub async fn exit(&mut self, limit: Duration) -> anyhow::Result<ExitStatus> {
        let child = &mut self.child;
        let status = wait_until_some(limit, async || child.try_wait().ok().flatten()).await;
        status.with_context(|| format!("the daemon lives on after {limit:?}"))
    }

    /// Waits until it has no child processes any more; returns whether that was within the limit.
    pub async fn is_idle_within(&self, limit: Duration) -> bool {
        wait_until(limit, || self.children().is_empty()).await
    }

    /// Kills it with SIGKILL and waits for its end; its child processes may take a moment longer.
    ///
    /// # Errors
    /// It had ended before, or does not end.
    pub async fn kill(&mut self) -> anyhow::Result<()> {
        self.signal(Signal::KILL)?;
        self.exit(END_LIMIT).await.map(drop)
    }

    /// Ends it, if it still runs, and starts it again with the same state.
    ///
    /// # Errors
    /// As [`DaemonBuilder::start`].
    ///
    /// # Panics
    /// If a process of the old one survives, as in its drop.
    pub async fn restart(self) -> anyhow::Result<Self> {
        let builder = self.builder.clone();
        drop(self);
        builder.start().await
    }

    /// The same with a variable set.
    ///
    /// # Errors
    /// As [`DaemonBuilder::start`].
    ///
    /// # Panics
    /// As [`Daemon::restart`].
    pub async fn restart_with(mut self, name: &str, value: &str) -> anyhow::Result<Self> {
        self.builder = self.builder.clone().env(name, value);
        self.restart().await
    }

    /// The mark in the environment of its processes: the path of its state folder.
    fn mark(&self) -> String {
        self.folder().root().display().to_string()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let end = Instant::now() + END_LIMIT;
        let mut left = self.children();
        while !left.is_empty() && Instant::now() < end {
            pause();
            left = self.children();
        }
        for survivor in &left {
            let pid = i32::try_from(survivor.pid).ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        }
        if std::thread::panicking() {
            let _ = writeln!(io::stderr(), "the daemon's log:\n{}", self.log());
        } else {
            assert!(left.is_empty(), "outlived the daemon: {left:?}");
        }
    }
}

/// An absolute path as seen in the mount namespace of a process.
fn seen_by(pid: u32, path: &Path) -> PathBuf {
    let root = Path::new("/proc").join(pid.to_string()).join("root");
    root.join(path.strip_prefix("/").unwrap_or(path))
}

#[expect(clippy::disallowed_methods, reason = "drop cannot await, and polls a condition")]
fn pause() {
    std::thread::sleep(DROP_INTERVAL);
}
