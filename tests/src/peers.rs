//! Third-party programs that tests run together with ours: their location, and the client of the official MCP
//! SDK.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// How these programs are installed.
pub const INSTALL: &str = "run `npm ci --prefix tests/peers`";

/// More than any test's session takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(150);

/// Their folder; `make test` installs them there.
#[must_use]
pub fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// The script that acts as a client with the official MCP SDK.
///
/// `None` prints on stderr that the test is skipped, and why. In CI no test is skipped.
///
/// # Panics
/// If `CI` is set and there is no SDK.
#[must_use]
pub fn mcp_client() -> Option<PathBuf> {
    let sdk = peers().join("node_modules/@modelcontextprotocol/sdk/package.json");
    let found = sdk.is_file().then(|| peers().join("mcp-client.mjs"));
    if found.is_none() {
        skipping::missing("the MCP SDK", INSTALL);
    }
    found
}

/// Runs a script under Node.js with this JSON on its stdin, and returns the JSON on its stdout.
///
/// # Errors
/// It cannot be started, fails, prints something else, or does not end.
#[expect(clippy::disallowed_methods, reason = "the harness plays the user, who starts it")]
pub async fn node(script: &Path, input: &Value) -> anyhow::Result<Value> {
    let folder = script.parent().context("a script lies in a folder")?;
    let mut child = Command::new("node")
        .arg(fs::canonicalize(script)?)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("cannot start node")?;
    let mut stdin = child.stdin.take().context("stdin is piped")?;
    let text = input.to_string();
    let played = async {
        stdin.write_all(text.as_bytes()).await?;
        drop(stdin);
        child.wait_with_output().await
    };
    let output = tokio::time::timeout(LIMIT, played).await.context("node does not end")??;
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{}: {stdout}\n{stderr}", output.status);
    serde_json::from_str(&stdout).with_context(|| format!("{stdout}\n{stderr}"))
}
