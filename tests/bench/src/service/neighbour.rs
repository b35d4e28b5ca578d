//! The effect of another user's connections on our requests: 2,000 at once, half a request on each, and
//! each reopened when it is closed.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use reqwest::Method;

use tests::harness::{Daemon, DaemonBuilder, Neighbour, built};

use super::report::{Goal, Row};
use super::samples::Samples;
use super::wire::{Connection, request};

/// The number of those connections.
const OPENED: usize = 2000;

/// The longest time of a request meanwhile, in milliseconds.
const DELAY_MAX_MS: f64 = 100.0;

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let daemon = DaemonBuilder::new()?.codex(&built("fake-codex")?).start().await?;
    let alone = delays(&daemon, count).await?;
    let address = daemon.client().address();
    let words = ["flood", address, &OPENED.to_string()];
    let mut flood = Neighbour::start(&words)?.context("only root can start another user")?;
    // From the other user's first connection on.
    let first = delays(&daemon, count).await?;
    ensure!(flood.line().await? == "open");
    let beside = delays(&daemon, count).await?;
    let row = |what: &str, samples: &Samples| {
        let most = samples.percentile(100);
        let goal = Goal::at_most(most, DELAY_MAX_MS, "ms (each)");
        Row::told(
            format!("`/healthz` over a new connection {what}"),
            format!("{samples}, most {most:.2} ms"),
        )
        .with(goal)
    };
    Ok(vec![
        row("alone", &alone),
        row(&format!("while another user opens {OPENED} connections"), &first),
        row(&format!("while he opens each of the {OPENED} anew that is cut"), &beside),
    ])
}

/// The times of requests, each on its own connection, a few milliseconds apart.
async fn delays(daemon: &Daemon, count: usize) -> anyhow::Result<Samples> {
    let asked = request(daemon.client(), Method::GET, "/healthz", b"");
    let mut ticks = tokio::time::interval(Duration::from_millis(5));
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        ticks.tick().await;
        let begun = Instant::now();
        let reply = Connection::open(daemon.client().address()).await?.ask(&asked).await?;
        ensure!(reply.status == 200, "answered {}", reply.status);
        times.push(begun.elapsed());
    }
    Ok(Samples::of(times))
}
