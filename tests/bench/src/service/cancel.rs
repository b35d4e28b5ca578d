//! The time from a cancel until no process of the run is left, and until the connection to the model is
//! closed, after which nothing more is charged.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use contract::advice::DriverKind;
use mock_model::{Hang, MockModel, Reply};
use serde_json::{Value, json};

use tests::harness::{Daemon, DaemonBuilder, Survivor, built, survivors, wait_until};

use super::report::{Goal, Row};
use super::samples::Samples;
use super::with_codex;

/// The 99th percentile of the time until no process is left, in milliseconds.
const EMPTY_P99_MAX: f64 = 1000.0;

/// The 99th percentile of the time until the connection to the model is closed, in milliseconds.
const CLOSED_P99_MAX: f64 = 100.0;

/// How long a run may take to reach the point where it hangs, or to end.
const LIMIT: Duration = Duration::from_secs(30);

/// The polling interval.
const INTERVAL: Duration = Duration::from_millis(1);

/// The guard, its init, and Codex.
const FENCED: usize = 3;

/// The number of processes that the stand-in leaves behind in their own sessions.
const DAEMONS: usize = 5;

/// The most cancels of a stand-in: one that ignores signals takes its whole grace period each time.
const STAND_IN_MAX: usize = 60;

/// SIGINT in the masks of /proc/PID/status.
const INTERRUPT_BIT: u64 = 1 << 1;

/// The times of one cancel.
struct Seen {
    /// From the DELETE to its response.
    answered: Duration,
    /// From the DELETE until no process was left.
    empty: Duration,
    /// From the DELETE until the model had no open connection, if that was measured.
    closed: Option<Duration>,
}

pub(super) async fn measure(count: usize) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for driver in [DriverKind::Exec, DriverKind::AppServer] {
        let mock = MockModel::local(Reply::Advice).await?;
        let (builder, _) = with_codex()?;
        let builder = builder.env("CODEX_BRIDGE_CODEX_DRIVER", driver.as_str());
        let daemon = builder.mock_model(&mock).start().await?;
        for (hang, when) in [(Hang::BeforeHeaders, "waits for"), (Hang::MidStream, "listens to")] {
            mock.set_script(Reply::Hang(hang));
            let mut seen = Vec::new();
            for _ in 0..count {
                let asked = mock.request_count();
                let hangs =
                    |_: &[Survivor]| mock.request_count() > asked && mock.open_connections() > 0;
                seen.push(cancel(&daemon, "Which plan?", hangs, Some(&mock)).await?);
            }
            let what = format!("Codex that {when} its model, by `{}`", driver.as_str());
            let closed = Samples::of(seen.iter().filter_map(|seen| seen.closed));
            let row = Row::times(format!("cancel to closed connection: {what}"), &closed);
            rows.push(match driver {
                DriverKind::Exec => row,
                DriverKind::AppServer => {
                    row.with(Goal::at_most(closed.percentile(99), CLOSED_P99_MAX, "ms (p99)"))
                }
            });
            rows.extend(told(&what, seen));
        }
    }

    let count = count.min(STAND_IN_MAX);
    let daemon = DaemonBuilder::new()?.codex(&built("fake-codex")?).start().await?;
    let mut seen = Vec::new();
    let tree = format!("fake-codex: tree {DAEMONS}");
    for _ in 0..count {
        let whole = |found: &[Survivor]| found.len() == FENCED + DAEMONS;
        seen.push(cancel(&daemon, &tree, whole, None).await?);
    }
    rows.extend(told(&format!("a Codex with {DAEMONS} daemons of its own"), seen));

    let mut seen = Vec::new();
    for _ in 0..count {
        let deaf = |found: &[Survivor]| found.iter().any(|each| catches_interrupt(each.pid));
        seen.push(cancel(&daemon, "fake-codex: ignoreterm", deaf, None).await?);
    }
    rows.extend(told("a Codex that ignores SIGINT (700 ms of grace)", seen));
    Ok(rows)
}

fn told(what: &str, seen: Vec<Seen>) -> [Row; 2] {
    let empty = Samples::of(seen.iter().map(|seen| seen.empty));
    let answered = Samples::of(seen.iter().map(|seen| seen.answered));
    [
        Row::times(format!("cancel to empty process table: {what}"), &empty).with(Goal::at_most(
            empty.percentile(99),
            EMPTY_P99_MAX,
            "ms (p99)",
        )),
        Row::times(format!("cancel to its answer: {what}"), &answered),
    ]
}

/// Starts a run, waits until it hangs, and cancels it.
async fn cancel(
    daemon: &Daemon,
    problem: &str,
    hangs: impl Fn(&[Survivor]) -> bool,
    model: Option<&MockModel>,
) -> anyhow::Result<Seen> {
    let accepted = daemon.client().analyze_async(&question(problem)).await?;
    let run_id = accepted.body["run_id"].as_str().context("not accepted")?.to_owned();
    let mark = format!("{}={run_id}", host::environment::RUN);
    let hung = wait_until(LIMIT, || hangs(&survivors(&mark))).await;
    ensure!(hung, "the run does not come to the point: {:?}", survivors(&mark));

    let begun = Instant::now();
    let (client, path) = (daemon.client().clone(), format!("/runs/{run_id}"));
    let deleted = tokio::spawn(async move {
        let answer = client.delete(&path).await;
        answer.map(|answer| (answer, begun.elapsed()))
    });
    // Polled often, since reading the process table takes longer than closing a connection.
    let mut closed = None;
    if let Some(model) = model {
        while model.open_connections() > 0 {
            ensure!(begun.elapsed() < LIMIT, "the connection stays open");
            tokio::time::sleep(INTERVAL).await;
        }
        closed = Some(begun.elapsed());
    }
    while !survivors(&mark).is_empty() {
        ensure!(begun.elapsed() < LIMIT, "still there: {:?}", survivors(&mark));
        tokio::time::sleep(INTERVAL).await;
    }
    let empty = begun.elapsed();
    let (answer, answered) = deleted.await??;
    ensure!(answer.body["state"] == "cancelled", "{}", answer.body);
    Ok(Seen { answered, empty, closed })
}

fn question(problem: &str) -> Value {
    json!({
        "problem": problem,
        "context": "A run that is to be cancelled.",
        "candidate_plans": [{ "name": "A", "description": "Wait." }],
        "phase": "initial",
    })
}

fn catches_interrupt(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & INTERRUPT_BIT != 0)
}
