//! The memory of an idle daemon.

use std::time::Duration;

use anyhow::ensure;
use mock_model::{MockModel, Reply};
use serde_json::Value;

use tests::harness::{Daemon, wait_until_some};

use super::machine::resident_mb;
use super::report::{Goal, Row};
use super::with_codex;

const QUESTION: &str = include_str!("../../../../schemas/examples/valid/initial.json");

/// The number of runs before the second measurement.
const RUNS: usize = 10;

/// The largest resident memory of an idle daemon, in MB.
const IDLE_MAX: f64 = 20.0;

/// How long a start or a run may take.
const LIMIT: Duration = Duration::from_secs(30);

pub(super) async fn measure() -> anyhow::Result<Vec<Row>> {
    let mock = MockModel::local(Reply::Advice).await?;
    let (builder, _) = with_codex()?;
    let daemon = builder.mock_model(&mock).start().await?;
    let started = idle(&daemon, "idle memory after the start").await?;
    let question: Value = serde_json::from_str(QUESTION)?;
    for _ in 0..RUNS {
        let answer = daemon.client().analyze(&question).await?;
        ensure!(answer.status == 200, "no advice: {}", answer.body);
    }
    let used = idle(&daemon, &format!("idle memory after {RUNS} runs")).await?;
    Ok(vec![started, used])
}

/// Waits until Codex was checked and the daemon has no child process any more; then measures.
pub(super) async fn idle(daemon: &Daemon, what: &str) -> anyhow::Result<Row> {
    let ready = wait_until_some(LIMIT, async || {
        let answer = daemon.client().get("/readyz").await.ok()?;
        (answer.status == 200).then_some(())
    });
    ensure!(ready.await.is_some(), "the daemon is not ready: {}", daemon.log());
    ensure!(daemon.is_idle_within(LIMIT).await, "still busy: {:?}", daemon.children());
    let resident = resident_mb(daemon.pid(), "Rss")?;
    let (shared, own) =
        (resident_mb(daemon.pid(), "Pss")?, resident_mb(daemon.pid(), "Private_Dirty")?);
    let result = format!("RSS {resident:.1} MB (PSS {shared:.1} MB, written to {own:.1} MB)");
    Ok(Row::told(what, result).with(Goal::at_most(resident, IDLE_MAX, "MB")))
}
