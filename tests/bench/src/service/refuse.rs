//! Requests that violate the contract, over a few persistent connections.

use std::time::{Duration, Instant};

use anyhow::ensure;
use futures_util::future::try_join_all;
use reqwest::Method;

use tests::harness::{Daemon, DaemonBuilder, built};

use super::machine::cpu_time;
use super::report::{Goal, Row};
use super::wire::{Connection, request};

const CONNECTIONS: usize = 8;

/// The fewest responses per second.
const RATE_MIN: f64 = 5000.0;

/// The requests, and the status of the response.
const CASES: [(&str, &str, u16); 3] = [
    (
        "a misspelt value",
        include_str!("../../../../schemas/examples/invalid/misspelt-phase.json"),
        422,
    ),
    (
        "eight violations",
        include_str!("../../../../schemas/examples/invalid/everything-at-once.json"),
        422,
    ),
    ("broken JSON", include_str!("../../../../schemas/examples/invalid/cut-off.json"), 400),
];

pub(super) async fn measure(seconds: usize) -> anyhow::Result<Vec<Row>> {
    let daemon = DaemonBuilder::new()?.codex(&built("fake-codex")?).start().await?;
    let duration = Duration::from_secs(seconds as u64);
    let mut rows = Vec::new();
    for (what, body, status) in CASES {
        let (rate, cpu) = answers_per_second(&daemon, body, status, duration).await?;
        rows.push(
            Row::told(
                format!("refusals of {what}, {CONNECTIONS} connections"),
                format!("{rate:.0} a second; {cpu:.0} µs of the daemon's processor time each"),
            )
            .with(Goal::at_least(rate, RATE_MIN, "a second")),
        );
    }
    Ok(rows)
}

async fn answers_per_second(
    daemon: &Daemon,
    body: &str,
    status: u16,
    duration: Duration,
) -> anyhow::Result<(f64, f64)> {
    let client = daemon.client();
    let asked = request(client, Method::POST, "/analyze", body.as_bytes());
    let used = cpu_time(daemon.pid())?;
    let begun = Instant::now();
    let callers = (0..CONNECTIONS).map(|_| {
        let (asked, address) = (asked.clone(), client.address().to_owned());
        tokio::spawn(async move {
            let mut connection = Connection::open(&address).await?;
            let mut answers = 0_u32;
            while begun.elapsed() < duration {
                let reply = connection.ask(&asked).await?;
                ensure!(reply.status == status, "answered {}", reply.status);
                answers += 1;
            }
            Ok(answers)
        })
    });
    let counts: anyhow::Result<Vec<u32>> = try_join_all(callers).await?.into_iter().collect();
    let (answers, elapsed) = (f64::from(counts?.iter().sum::<u32>()), begun.elapsed());
    let used = cpu_time(daemon.pid())? - used;
    Ok((answers / elapsed.as_secs_f64(), used.as_secs_f64() * 1e6 / answers))
}
