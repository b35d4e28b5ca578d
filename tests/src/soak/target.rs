//! The daemon under test: killed and restarted while callers use it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use rustix::process::Signal;

use crate::harness::{Client, Daemon, DaemonBuilder, built};

use super::chance::Chance;
use super::ledger::{Finding, Ledger};

/// The guaranteed limit: no process of a run is alive this long after its end.
pub(super) const EMPTY_WITHIN: Duration = Duration::from_secs(2);

/// More than the daemon's drain limit.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// The drivers of Codex.
const DRIVERS: [&str; 3] = ["exec", "app-server", "auto"];

/// The daemon, and the data for its callers.
#[derive(Debug)]
pub(super) struct Target {
    /// Locked while the daemon is replaced.
    daemon: tokio::sync::Mutex<Option<Daemon>>,
    /// Updated when the daemon is replaced, read by every caller.
    current: Mutex<Current>,
}

/// How to reach the present daemon.
#[derive(Debug, Clone)]
pub(super) struct Current {
    pub(super) client: Client,
    /// Increased before the daemon is killed and after it is back: a missing response is
    /// excused if this has changed meanwhile. Even numbers mean that the daemon is up.
    pub(super) generation: u64,
}

impl Target {
    pub(super) async fn start(chance: &mut Chance) -> anyhow::Result<Self> {
        let daemon = DaemonBuilder::new()?
            .env("CODEX_BRIDGE_CODEX_DRIVER", chance.pick(&DRIVERS))
            .codex(&built("fake-codex")?)
            .env("CODEX_BRIDGE_MAX_RUNNING", "6")
            .env("CODEX_BRIDGE_MAX_QUEUED", "64")
            .start()
            .await?;
        let current = Current { client: daemon.client().clone(), generation: 0 };
        let daemon = tokio::sync::Mutex::new(Some(daemon));
        Ok(Self { daemon, current: Mutex::new(current) })
    }

    pub(super) fn current(&self) -> Current {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, client: Option<&Client>) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.generation += 1;
        if let Some(client) = client {
            current.client = client.clone();
        }
    }

    /// Kills the daemon while it works and restarts it with the same state.
    pub(super) async fn kill_and_restart(
        &self,
        chance: &mut Chance,
        ledger: &Ledger,
    ) -> anyhow::Result<()> {
        let mut slot = self.daemon.lock().await;
        let mut daemon = slot.take().context("the daemon is gone")?;
        self.replace(None);
        daemon.kill().await?;
        ledger.daemon_killed();
        check_empty(&daemon, "the daemon was killed", ledger).await;
        // Each daemon uses a random driver of Codex.
        let driver = *chance.pick(&DRIVERS);
        let daemon = daemon.restart_with("CODEX_BRIDGE_CODEX_DRIVER", driver).await?;
        self.replace(Some(daemon.client()));
        *slot = Some(daemon);
        Ok(())
    }

    /// Shuts the daemon down, starts it once more, and looks up all accepted runs.
    pub(super) async fn settle(&self, ledger: &Ledger) -> anyhow::Result<()> {
        let mut daemon = self.daemon.lock().await.take().context("the daemon is gone")?;
        daemon.signal(Signal::TERM)?;
        let status = daemon.exit(DRAIN_LIMIT).await?;
        if !status.success() {
            ledger.found(Finding::WrongOutcome, format!("the drained daemon ended with {status}"));
        }
        check_empty(&daemon, "the daemon had drained", ledger).await;
        let daemon = daemon.restart().await?;
        for run_id in ledger.all_acknowledged() {
            let record = daemon.client().get(&format!("/runs/{run_id}")).await?;
            let state = record.body["run"]["state"].as_str().unwrap_or("unknown");
            let ended = ["succeeded", "failed", "cancelled", "interrupted"].contains(&state);
            if !ended {
                ledger.found(Finding::LostRun, format!("{run_id} is {state}"));
            }
        }
        for state in ["queued", "running"] {
            let page = daemon.client().get(&format!("/runs?state={state}")).await?;
            if page.body["runs"] != serde_json::json!([]) {
                ledger.found(Finding::LostRun, format!("nobody ends these: {}", page.body));
            }
        }
        Ok(())
    }
}

async fn check_empty(daemon: &Daemon, after: &str, ledger: &Ledger) {
    if !daemon.is_idle_within(EMPTY_WITHIN).await {
        for survivor in daemon.children() {
            ledger.found(Finding::Survivor, format!("after {after}: {survivor:?}"));
        }
    }
}
