//! Schemathesis (from PyPI) against the live daemon: reads `/openapi.json`, sends valid
//! and invalid requests, and checks every response against it. The daemon uses a stand-in for Codex, so the
//! test is fast and needs no account.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::Context as _;
use clap::Parser;

use crate::harness::{DaemonBuilder, WindowHost, WindowSession, built};

/// How the responses are checked.
const CONFIGURATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemathesis.toml");

/// Runs schemathesis against a fresh daemon; exits as it does.
#[derive(Debug, Parser)]
struct Arguments {
    /// The `schemathesis` executable.
    #[arg(long, default_value = "schemathesis")]
    schemathesis: PathBuf,

    /// More arguments for `schemathesis run`.
    #[arg(last = true)]
    rest: Vec<OsString>,
}

/// The `fuzz-api` command.
#[must_use]
#[tokio::main]
pub async fn main() -> ExitCode {
    match fuzz(&Arguments::parse()).await {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fuzz-api: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn fuzz(arguments: &Arguments) -> anyhow::Result<ExitStatus> {
    let daemon = DaemonBuilder::new()?.codex(&built("fake-codex")?).start().await?;
    // Permitted on every route.
    let client = daemon.orchestrator();
    // Schemathesis uses the address, and a session is only valid for its own host.
    let session = WindowSession::open(client, WindowHost::Address).await?;
    let (_, cookie) = session.cookie().split_once('=').context("a cookie without a value")?;
    // Reading it also requires the token.
    let document = daemon.folder().work().join("openapi.json");
    fs::write(&document, client.get("/openapi.json").await?.body.to_string())?;
    let mut command = schemathesis(arguments);
    command
        .arg(document)
        .args(["--url", &format!("http://{}", client.address())])
        .env("FUZZ_API_TOKEN", client.token())
        .env("FUZZ_API_SESSION", cookie)
        .args(&arguments.rest)
        .current_dir(daemon.folder().work());
    let status = tokio::task::spawn_blocking(move || command.status()).await?;
    status.with_context(|| format!("cannot start {}", arguments.schemathesis.display()))
}

#[expect(clippy::disallowed_methods, reason = "the harness plays the user, who starts it")]
fn schemathesis(arguments: &Arguments) -> Command {
    let mut command = Command::new(&arguments.schemathesis);
    command.args(["--config-file", CONFIGURATION, "run", "--no-color"]);
    command.args(["--generation-database", "none"]);
    command
}
