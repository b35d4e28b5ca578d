//! What these tests share: the unit files, a question, and what is left of a run.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tests::harness::{Client, Survivor, wait_until_some};
pub(crate) use tests::harness::{of_run, record};

/// Longest wait for something that must happen on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);

/// The repository.
pub(crate) fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A file of the repository.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A unit file, or a drop-in.
pub(crate) fn unit(name: &str) -> String {
    read(&format!("deploy/systemd/{name}"))
}

pub(crate) fn question() -> Value {
    json!({
        "problem": "Which of the two?",
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
        codex_of(&run_id).is_some().then_some(run_id)
    });
    run.await.expect("a run in its turn")
}

/// Codex itself, told to work for the run.
pub(crate) fn codex_of(run_id: &str) -> Option<Survivor> {
    of_run(run_id).into_iter().find(|each| {
        let mut words = each.command.split(' ');
        words.next().is_some_and(|program| program.ends_with("codex"))
            && words.next() == Some("exec")
    })
}

/// Nothing of the run is alive, or soon will be.
pub(crate) async fn gone(run_id: &str) {
    tests::harness::gone(run_id, LIMIT).await;
}

/// How many PID namespaces a process is in, seen from here.
pub(crate) fn namespaces(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
    ids.split_whitespace().count()
}
