//! The runs of a daemon as seen by a test: their records, and their processes.

use std::time::Duration;

use serde_json::Value;

use super::client::Client;
use super::survivors::{Survivor, survivors};
use super::wait::wait_until;

/// Every process of the run.
#[must_use]
pub fn of_run(run_id: &str) -> Vec<Survivor> {
    survivors(&format!("CODEX_BRIDGE_RUN={run_id}"))
}

/// Waits until no process of the run is alive.
///
/// # Panics
/// A process of it is alive after `limit`.
pub async fn gone(run_id: &str, limit: Duration) {
    let gone = wait_until(limit, || of_run(run_id).is_empty()).await;
    assert!(gone, "outlived run {run_id}: {:?}", of_run(run_id));
}

/// The run's record, when it has ended or after half a minute.
///
/// # Panics
/// The history does not have it.
pub async fn record(client: &Client, run_id: &str) -> Value {
    let answer = client.get(&format!("/runs/{run_id}?wait=30")).await.expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}
