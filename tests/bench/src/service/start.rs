//! The time from the start of the daemon's process until it responds, on a new state folder and on a
//! used one.

use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use tests::harness::{DaemonBuilder, built, survivors, wait_until};

use super::report::{Goal, Row};
use super::samples::Samples;
use super::wire::Connection;
use super::with_codex;

/// The longest time until `/healthz` responds, in milliseconds.
const READY_MAX: f64 = 100.0;

/// The polling interval: the goal is about 100 ms.
const INTERVAL: Duration = Duration::from_millis(1);

/// A daemon that takes longer will not respond.
const LIMIT: Duration = Duration::from_secs(20);

/// The times of one start.
struct Seen {
    /// From the start to the first 200 of `/healthz`.
    healthy: Duration,
    /// From the start to the address file.
    address_file: Duration,
}

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let (mut first, mut later, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let (builder, _) = with_codex()?;
        first.push(start(&builder).await?.healthy);
    }
    let (builder, _) = with_codex()?;
    for round in 0..=count {
        let seen = start(&builder).await?;
        // The first start finds an empty folder.
        if round > 0 {
            later.push(seen.healthy);
            told.push(seen.address_file);
        }
    }
    let executable = built("bridge-under-test")?;
    let versions: io::Result<Vec<Duration>> = (0..count).map(|_| version(&executable)).collect();

    let (first, later, told) = (Samples::of(first), Samples::of(later), Samples::of(told));
    let slowest = first.percentile(95).max(later.percentile(95));
    Ok(vec![
        Row::times("start to `/healthz`, new state folder", &first),
        Row::times("start to `/healthz`, used state folder", &later).with(Goal::at_most(
            slowest,
            READY_MAX,
            "ms (p95 of both)",
        )),
        Row::times("start to the address file, used state folder", &told),
        Row::times("`codex-bridge --version`", &Samples::of(versions?)),
    ])
}

/// Starts a daemon, waits until it is ready, and ends it with everything it started.
async fn start(builder: &DaemonBuilder) -> anyhow::Result<Seen> {
    // Chosen before the start, so that `/healthz` can be requested without the address file.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    let builder = builder.clone().env("CODEX_BRIDGE_LISTEN", &address);
    let address_file = builder.folder().state().join("address");
    let _ = std::fs::remove_file(&address_file);

    let begun = Instant::now();
    let mut child = builder.spawn()?;
    let seen = watch(begun, &address, &address_file).await;
    end(&mut child)?;
    let mark = builder.folder().root().display().to_string();
    let empty = wait_until(LIMIT, || survivors(&mark).is_empty()).await;
    ensure!(empty, "outlived the daemon: {:?}", survivors(&mark));
    seen.with_context(|| builder.log())
}

async fn watch(begun: Instant, address: &str, address_file: &Path) -> anyhow::Result<Seen> {
    let (mut healthy, mut told) = (None, None);
    while begun.elapsed() < LIMIT {
        if told.is_none() && address_file.exists() {
            told = Some(begun.elapsed());
        }
        if healthy.is_none() && is_healthy(address).await {
            healthy = Some(begun.elapsed());
        }
        if let (Some(healthy), Some(address_file)) = (healthy, told) {
            return Ok(Seen { healthy, address_file });
        }
        tokio::time::sleep(INTERVAL).await;
    }
    anyhow::bail!("not ready after {LIMIT:?}")
}

async fn is_healthy(address: &str) -> bool {
    let Ok(mut connection) = Connection::open(address).await else { return false };
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\n\r\n");
    connection.ask(request.as_bytes()).await.is_ok_and(|reply| reply.status == 200)
}

fn end(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

#[expect(clippy::disallowed_methods, reason = "the harness plays the user, who starts it")]
fn version(executable: &Path) -> io::Result<Duration> {
    let begun = Instant::now();
    let status = Command::new(executable).arg("--version").stdout(Stdio::null()).status()?;
    let time = begun.elapsed();
    if status.success() { Ok(time) } else { Err(io::Error::other("--version failed")) }
}
