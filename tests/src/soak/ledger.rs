//! Counts events, and records violations.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many findings are printed individually.
const FINDINGS_SHOWN: usize = 20;

/// The four kinds of violations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finding {
    /// A process that is alive 2 s after its run or its daemon ended.
    Survivor,
    /// A response later than the deadline plus 2 s.
    Hang,
    /// A run that was accepted and is unknown, or has no end.
    LostRun,
    /// Advice from a failed turn, a failure without a cause, or a response that violates the contract.
    WrongOutcome,
}

/// Written by all callers, read at the end.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    faults: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    outcomes: BTreeMap<String, u64>,
    findings: Vec<(Finding, String)>,
    acknowledged: Vec<String>,
    daemon_kills: u64,
    duration: Duration,
}

impl Ledger {
    /// Counts a fault; returns whether it was one of the first `wanted`.
    pub(super) fn begin_fault(&self, wanted: u64) -> bool {
        self.faults.fetch_add(1, Ordering::Relaxed) < wanted
    }

    pub(super) fn outcome(&self, name: &str) {
        *self.lock().outcomes.entry(name.to_owned()).or_default() += 1;
    }

    pub(super) fn found(&self, finding: Finding, facts: String) {
        self.lock().findings.push((finding, facts));
    }

    /// Records that the daemon has accepted this run.
    pub(super) fn acknowledged(&self, run_id: &str) {
        self.lock().acknowledged.push(run_id.to_owned());
    }

    pub(super) fn all_acknowledged(&self) -> Vec<String> {
        self.lock().acknowledged.clone()
    }

    pub(super) fn daemon_killed(&self) {
        self.lock().daemon_kills += 1;
    }

    pub(super) fn finish(&self, duration: Duration) {
        self.lock().duration = duration;
    }

    pub(super) fn is_clean(&self) -> bool {
        self.lock().findings.is_empty()
    }

    /// Each change is one push or addition, so a panic elsewhere leaves the data consistent.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.lock();
        let provoked: u64 = inner.outcomes.values().sum();
        writeln!(
            formatter,
            "soak: {provoked} faults and {} kills of the daemon in {:.1} s, {} runs acknowledged",
            inner.daemon_kills,
            inner.duration.as_secs_f64(),
            inner.acknowledged.len(),
        )?;
        for (outcome, count) in &inner.outcomes {
            writeln!(formatter, "  {count:6} {outcome}")?;
        }
        for (finding, facts) in inner.findings.iter().take(FINDINGS_SHOWN) {
            writeln!(formatter, "  {finding:?}: {facts}")?;
        }
        let count = |wanted: Finding| {
            inner.findings.iter().filter(|(finding, _)| *finding == wanted).count()
        };
        write!(
            formatter,
            "soak: survivors {}, hangs {}, lost runs {}, wrong outcomes {}",
            count(Finding::Survivor),
            count(Finding::Hang),
            count(Finding::LostRun),
            count(Finding::WrongOutcome),
        )
    }
}
