//! What these tests share: an installation with a repository, an orchestrator and a user, and the command in it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use mock_model::MockModel;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::harness::{StateDir, install, survivors, wait_until};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// What is said where the thread is lost.
pub(crate) const LOST: &str = "[Limits] session continuity unavailable; fallback to stateless exec";

/// Programs side by side, as they are installed, and a user in a repository who has no daemon.
pub(crate) struct Installed {
    pub(crate) folder: StateDir,
    pub(crate) repository: PathBuf,
    bin: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Installed {
    /// With the stand-in for Codex.
    pub(crate) fn new() -> Self {
        let folder = StateDir::new().unwrap();
        let (bin, repository) = (folder.work().join("bin"), folder.work().join("shop"));
        fs::create_dir(&bin).unwrap();
        fs::create_dir_all(repository.join(".git")).unwrap();
        fs::create_dir_all(repository.join("src")).unwrap();
        let link = |built: &str, name: &str| install(built, &bin.join(name)).unwrap();
        link(env!("CARGO_BIN_EXE_auto-under-test"), "codex-auto");
        link(env!("CARGO_BIN_EXE_bridge-under-test"), "codex-bridge");
        // Nobody can be there, and without it the default port would be asked.
        fs::write(folder.state().join("address"), "http://127.0.0.1:1\n").unwrap();
        // A sign-in that the stand-in calls good.
        let home = folder.home().join(".codex");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("auth.json"), "{}").unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let installed = Self { folder, repository, bin, environment: Vec::new() };
        let (state, home, temp) =
            (installed.folder.state(), installed.folder.home(), installed.folder.temp());
        installed
            .env("CODEX_BRIDGE_STATE_DIR", state)
            .env("HOME", home)
            .env("TMPDIR", temp)
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .env("CODEX_BRIDGE_CODEX_BIN", env!("CARGO_BIN_EXE_fake-codex"))
            .orchestrator("cat > /dev/null; exit 10")
    }

    /// With the real Codex and this provider.
    pub(crate) fn real(codex: &Path, mock: &MockModel) -> Self {
        Self::new()
            .env("CODEX_BRIDGE_CODEX_BIN", codex)
            .env("CODEX_BRIDGE_CODEX_BASE_URL", mock.base_url())
            .env("CODEX_BRIDGE_CODEX_API_KEY_ENV", "MOCK_MODEL_KEY")
            .env("MOCK_MODEL_KEY", "mock-model")
    }

    /// Sets a variable; a later value replaces an earlier one.
    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.retain(|(known, _)| known != name.as_ref());
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// The orchestrator is a script of this body.
    pub(crate) fn orchestrator(self, body: &str) -> Self {
        let path = self.bin.join("orchestrator");
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        self.env("CI_AUTO_TOOLS_ORCHESTRATOR_PATH", path)
    }

    /// The orchestrator finds this, and says so in a report on the repository.
    pub(crate) fn finds(self, context: &str) -> Self {
        let mut report = example("orchestrator-report-run");
        report["client"] = json!({ "name": "codex-cli", "event": "cli" });
        report["inputs"]["repo_root"] = json!(self.repository);
        report["fused_context"]["for_model"]["additional_context"] = json!(context);
        report["fused_context"]["for_user"]["limits_text"] = json!("");
        let path = self.bin.join("report.json");
        fs::write(&path, report.to_string()).unwrap();
        self.orchestrator(&format!("cat > /dev/null; cat '{}'", path.display()))
    }

    /// The program's path.
    pub(crate) fn program(&self) -> PathBuf {
        self.bin.join("codex-auto")
    }

    /// Removes an installed program.
    pub(crate) fn without(self, name: &str) -> Self {
        fs::remove_file(self.bin.join(name)).unwrap();
        self
    }

    /// Every variable of the user.
    pub(crate) fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The command, in the repository's `src`.
    #[expect(clippy::disallowed_methods, reason = "the test plays the user, who starts it")]
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.program());
        command
            .args(args)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.repository.join("src"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs the command to its end.
    pub(crate) async fn tell(&self, args: &[&str], stdin: &str) -> Told {
        let mut child = self.command(args).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // A command that reads no input has closed the pipe.
        let _ = pipe.write_all(stdin.as_bytes()).await;
        drop(pipe);
        let output = timeout(LIMIT, child.wait_with_output()).await;
        let output = output.expect("the command does not end").unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Told {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// The session file.
    pub(crate) fn session_file(&self) -> PathBuf {
        self.repository.join(".devbooks/cache/auto-tools/codex-session.json")
    }

    /// The thread that it names.
    pub(crate) fn thread(&self) -> Option<String> {
        let text = fs::read_to_string(self.session_file()).ok()?;
        let note: Value = serde_json::from_str(&text).ok()?;
        Some(note["session_id"].as_str()?.to_owned())
    }

    /// Waits until nothing that was started here is alive, and no state of a daemon is left.
    pub(crate) async fn is_clean(&self) {
        let mark = self.folder.root().display().to_string();
        let attached = self.folder.state().join("attached");
        let left = || fs::read_dir(&attached).map_or(0, Iterator::count);
        let clean = wait_until(LIMIT, || survivors(&mark).is_empty() && left() == 0).await;
        assert!(clean, "left alive: {:?}; state folders: {}", survivors(&mark), left());
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        for survivor in survivors(&self.folder.root().display().to_string()) {
            let pid = i32::try_from(survivor.pid).ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
        }
    }
}

impl Told {
    /// The document on standard output.
    #[track_caller]
    pub(crate) fn json(&self, code: i32) -> Value {
        assert_eq!(self.code, Some(code), "{self:#?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// An example of `schemas/examples/valid`.
pub(crate) fn example(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/examples/valid");
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}
