//! A pm2 of the test's own, with nothing left of it afterwards.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::harness::{Client, StateDir, Survivor, survivors, wait_until, wait_until_some};
pub(crate) use tests::harness::{of_run, record};

/// Longest wait for something that must happen; pm2 starts Node.js for each command.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// How long what pm2 started may outlive it on a busy machine.
const END_LIMIT: Duration = Duration::from_secs(20);

/// How often [`Pm2`]'s drop looks again; it cannot await.
const DROP_INTERVAL: Duration = Duration::from_millis(20);

/// The settings that users get.
pub(crate) fn ecosystem() -> PathBuf {
    top().join("ecosystem.config.js")
}

/// The daemon of this package.
pub(crate) fn daemon() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_bridge-under-test"))
}

/// The stand-in for Codex.
pub(crate) fn fake_codex() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fake-codex"))
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// One pm2 with its own home. Dropping it ends it, and fails the test if anything stays alive.
#[derive(Debug)]
pub(crate) struct Pm2 {
    program: PathBuf,
    folder: StateDir,
    /// PM2_HOME. In the temp folder, because pm2 listens on sockets in it, whose paths must be
    /// shorter than 108 bytes.
    home: TempDir,
    environment: Vec<(OsString, OsString)>,
}

/// The daemon as pm2 sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct App {
    pub(crate) pid: u32,
    pub(crate) status: String,
    pub(crate) restarts: u64,
}

impl Pm2 {
    /// A pm2 that runs nothing yet, with settings for a daemon on the stand-in for Codex. `None`
    /// says on stderr that the test is skipped.
    pub(crate) fn new() -> Option<Self> {
        let Some(program) = installed() else {
            skipping::missing("pm2", tests::peers::INSTALL);
            return None;
        };
        let folder = StateDir::new().unwrap();
        let home = tempfile::Builder::new()
            .prefix("pm2-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .unwrap();
        let key = folder.work().join("api-key");
        fs::write(&key, "sk-of-pm2-test\n").unwrap();
        fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
        let (state, temp) = (folder.state(), folder.temp());
        let (own, users) = (home.path().to_owned(), folder.home());
        // A stand-in asks no model.
        codex_bridge::proof::assume(&state, fake_codex(), None).unwrap();
        let pm2 = Self { program, folder, home, environment: Vec::new() };
        Some(
            pm2.env("PATH", std::env::var_os("PATH").unwrap_or_default())
                .env("HOME", users)
                .env("TMPDIR", temp)
                .env("PM2_HOME", own)
                .env("PM2_DISABLE_VERSION_CHECK", "1")
                .env("CODEX_BRIDGE_BIN", daemon())
                .env("CODEX_BRIDGE_LISTEN", "127.0.0.1:0")
                .env("CODEX_BRIDGE_STATE_DIR", state)
                .env("CODEX_BRIDGE_CODEX_BIN", fake_codex())
                .env("CODEX_BRIDGE_CODEX_API_KEY_FILE", key),
        )
    }

    /// Sets a variable of the shell that calls pm2; a later value replaces an earlier one.
    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// The folders of the daemon.
    pub(crate) fn folder(&self) -> &StateDir {
        &self.folder
    }

    /// PM2_HOME.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Starts a command of pm2; what it prints goes to a file.
    #[expect(clippy::disallowed_methods, reason = "the test plays the user, who calls pm2")]
    pub(crate) fn spawn(&self, arguments: &[&OsStr]) -> Child {
        let printed = File::options().create(true).append(true).open(self.printed()).unwrap();
        Command::new(&self.program)
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.work())
            .stdin(Stdio::null())
            .stdout(printed.try_clone().unwrap())
            .stderr(printed)
            .spawn()
            .unwrap()
    }

    /// Has Debian's logrotate rotate by this configuration now, in the environment in which pm2 is called.
    #[expect(clippy::disallowed_methods, reason = "the test plays the user's crontab")]
    pub(crate) fn rotate(&self, logrotate: &Path, configuration: &Path) {
        let beside = self.program.parent().unwrap().display().to_string();
        let search = std::env::var("PATH").unwrap_or_default();
        let state = self.folder.work().join("logrotate.state");
        let said = Command::new(logrotate)
            .args(["--force", "--state"])
            .args([&state, configuration])
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("PATH", format!("{beside}:{search}"))
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success() && !complaint.contains("error:"), "{said:?}");
    }

    /// Waits for the end of a command.
    pub(crate) async fn ended(&self, mut child: Child) -> ExitStatus {
        let status = wait_until_some(LIMIT, async || child.try_wait().unwrap()).await;
        if status.is_none() {
            let _ = child.kill();
            let _ = child.wait();
        }
        status.unwrap_or_else(|| panic!("pm2 does not end:\n{}", self.printed_text()))
    }

    /// Runs a command of pm2 to its good end.
    pub(crate) async fn run(&self, arguments: &[&str]) {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let status = self.ended(self.spawn(&arguments)).await;
        assert!(status.success(), "pm2 {arguments:?}: {status}\n{}", self.printed_text());
    }

    /// Starts the daemon by the settings that users get.
    pub(crate) async fn start(&self) {
        self.run(&["start", ecosystem().to_str().unwrap()]).await;
    }

    /// The daemon as pm2 lists it.
    pub(crate) async fn app(&self) -> App {
        let before = self.printed_text().len();
        self.run(&["jlist"]).await;
        let printed = self.printed_text();
        let list = printed[before..].lines().find(|line| line.starts_with("[{"));
        let list: Value = serde_json::from_str(list.unwrap_or("[]")).unwrap();
        let app = &list[0];
        assert_eq!(app["name"], "codex-bridge", "{printed}");
        App {
            pid: u32::try_from(app["pid"].as_u64().unwrap()).unwrap(),
            status: app["pm2_env"]["status"].as_str().unwrap().to_owned(),
            restarts: app["pm2_env"]["restart_time"].as_u64().unwrap(),
        }
    }

    /// Waits for another daemon than that of `old`.
    pub(crate) async fn next(&self, old: &App) -> App {
        let next = wait_until_some(LIMIT, async || {
            let app = self.app().await;
            (app.pid != old.pid && app.status == "online").then_some(app)
        });
        next.await.unwrap_or_else(|| panic!("no new daemon; its log:\n{}", self.log()))
    }

    /// A client of the running daemon, if it answers now.
    pub(crate) async fn client_now(&self) -> Option<Client> {
        let read = |name| fs::read_to_string(self.folder.state().join(name)).ok();
        let (address, token) = (read("address")?, read("token")?);
        let client = Client::new(address.trim().strip_prefix("http://")?, token.trim()).ok()?;
        // With the token: the port may be another daemon's by now.
        let answer = client.get("/runs?limit=1").await.ok()?;
        (answer.status == 200).then_some(client)
    }

    /// A client of the daemon, as soon as it answers.
    pub(crate) async fn client(&self) -> Client {
        let client = wait_until_some(LIMIT, async || self.client_now().await).await;
        client.unwrap_or_else(|| panic!("the daemon does not answer; its log:\n{}", self.log()))
    }

    /// What the daemon logged, as pm2 wrote it down.
    pub(crate) fn log(&self) -> String {
        let path = self.home().join("logs/codex-bridge-error.log");
        String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
    }

    /// Waits until the log holds a text.
    pub(crate) async fn logs(&self, text: &str) {
        let found = wait_until(LIMIT, || self.log().contains(text)).await;
        assert!(found, "no {text:?} in the log:\n{}", self.log());
    }

    /// Everything that pm2 and the daemon started, and they themselves.
    fn alive(&self) -> Vec<Survivor> {
        survivors(&self.folder.root().display().to_string())
    }

    fn printed(&self) -> PathBuf {
        self.folder.root().join("pm2.log")
    }

    /// What pm2 printed so far.
    pub(crate) fn printed_text(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.printed()).unwrap_or_default()).into_owned()
    }
}

impl Drop for Pm2 {
    fn drop(&mut self) {
        let mut kill = self.spawn(&[OsStr::new("kill")]);
        let end = Instant::now() + LIMIT;
        while kill.try_wait().is_ok_and(|status| status.is_none()) && Instant::now() < end {
            pause();
        }
        let _ = kill.kill();
        let _ = kill.wait();
        let end = Instant::now() + END_LIMIT;
        let mut left = self.alive();
        while !left.is_empty() && Instant::now() < end {
            pause();
            left = self.alive();
        }
        for survivor in &left {
            signal(survivor.pid, Signal::KILL);
        }
        if std::thread::panicking() {
            let _ = writeln!(io::stderr(), "pm2:\n{}\n{}", self.printed_text(), self.log());
        } else {
            assert!(left.is_empty(), "outlived pm2: {left:?}");
        }
    }
}

/// pm2 as `make test` installs it, else the one on the PATH.
fn installed() -> Option<PathBuf> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let pinned = top().join("tests/peers/node_modules/.bin");
    let folders = std::iter::once(pinned).chain(std::env::split_paths(&search));
    folders.map(|folder| folder.join("pm2")).find(|path| path.is_file())
}

/// A question that the stand-in answers as told.
pub(crate) fn question(mode: &str) -> Value {
    json!({
        "problem": format!("fake-codex: {mode}"),
        "context": "An order service.",
        "candidate_plans": [{ "name": "Outbox", "description": "Write, then publish." }],
        "phase": "initial",
    })
}

/// Waits for a run that Codex is at work on; its id.
pub(crate) async fn run_in_turn(client: &Client) -> String {
    let run = wait_until_some(LIMIT, async || {
        let running = client.get("/runs?state=running").await.ok()?.body;
        let run_id = running["runs"][0]["run_id"].as_str()?.to_owned();
        let works = of_run(&run_id).iter().any(|each| each.command.contains(" exec "));
        works.then_some(run_id)
    });
    run.await.expect("a run in its turn")
}

/// Nothing of the run is alive, or soon will be.
pub(crate) async fn gone(run_id: &str) {
    tests::harness::gone(run_id, END_LIMIT).await;
}

/// Sends a signal; the process may have ended by itself.
pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).unwrap();
    let _ = kill_process(pid, signal);
}

#[expect(clippy::disallowed_methods, reason = "drop cannot await, and polls a condition")]
fn pause() {
    std::thread::sleep(DROP_INTERVAL);
}
