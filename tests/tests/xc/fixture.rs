//! A home folder, a project, a scripted model, and `xc` as a process between them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use mock_model::{MockModel, Reply, Script, Turn};
use serde_json::Value;
use tests::harness::StateDir;
pub(crate) use tests::xc::KEY;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

/// How long one run may take on a machine that is busy.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// From this age on a file was there before a session that begins now.
const OLD: Duration = Duration::from_millis(60);

/// The program as it is built for tests.
pub(crate) const XC: &str = env!("CARGO_BIN_EXE_xc-under-test");

/// Where `xc` runs.
pub(crate) struct Place {
    pub(crate) folder: StateDir,
    pub(crate) mock: MockModel,
}

/// How a run ended and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A place in which the model says these turns, one a request, and then nothing.
    pub(crate) async fn with_turns<const N: usize>(turns: [Turn; N]) -> Self {
        Self::new(script(turns)).await
    }

    pub(crate) async fn new(script: impl Into<Script>) -> Self {
        let folder = StateDir::new().unwrap();
        let mock = MockModel::local(script).await.unwrap();
        Self { folder, mock }
    }

    /// The root of the workspace.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.work()
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        // A session takes what changed at most 20 ms before it for its own: it begins later.
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        while written.elapsed().unwrap_or_default() < OLD {
            thread::sleep(Duration::from_millis(5));
        }
        path
    }

    /// A file of the project.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }

    /// Writes the user's settings, for this user alone.
    pub(crate) fn settings(&self, json: &Value) {
        let folder = self.folder.home().join(".xcode");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(folder.join("config.json"), json.to_string()).unwrap();
        let mode = fs::Permissions::from_mode(0o600);
        fs::set_permissions(folder.join("config.json"), mode).unwrap();
    }

    /// The environment of a user who has one key.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        tests::xc::environment(&self.folder, &self.mock.base_url())
    }

    /// `xc` with these words, in the project, with nothing on standard input.
    pub(crate) fn xc(&self, words: &[&str]) -> Command {
        tests::xc::command(XC.as_ref(), words, &self.folder, &self.mock.base_url())
    }

    /// Runs it to its end.
    pub(crate) async fn run(&self, words: &[&str]) -> Said {
        ended(self.xc(words).spawn().unwrap()).await
    }

    /// Runs it to its end, with a text on standard input.
    pub(crate) async fn run_with(&self, words: &[&str], input: &[u8]) -> Said {
        let mut child = self.xc(words).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A program that does not read it all closes it.
        let fed = tokio::spawn(async move { stdin.write_all(&input).await });
        let said = ended(child).await;
        fed.abort();
        said
    }

    /// The bodies of all requests so far.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let requests = self.mock.requests();
        requests.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
    }

    /// The files below the project's folder of sessions.
    pub(crate) fn sessions(&self) -> Vec<PathBuf> {
        files(&self.project().join(".x-code/sessions"))
    }
}

/// These turns, in small pieces as a provider sends them, and then nothing.
pub(crate) fn script<const N: usize>(turns: [Turn; N]) -> Script {
    Script::sequence(turns.map(|turn| turn.in_pieces(7).into()), Reply::Empty)
}

/// A turn that calls the shell.
pub(crate) fn shell(command: &str) -> Turn {
    Turn::call("shell", &serde_json::json!({ "command": command }))
}

/// Waits for its end.
pub(crate) async fn ended(child: Child) -> Said {
    let output = tokio::time::timeout(LIMIT, child.wait_with_output()).await.unwrap().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
