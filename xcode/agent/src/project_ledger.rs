//! A project's ledger, which the court keeps for other agents: reads its risks, and records a session's decisions and
//! open work, using the ledger's own files and lock. Not here: creating a ledger in a
//! project that has none, and resolving a risk.

use std::time::{Duration, Instant};

use contract::id::SessionId;
use contract::xc::{SessionStatus, SessionSummary};
use host::{Environment, ErrorChain};
use ledger::clock::now_ms;
use ledger::places::Places as LedgerPlaces;
use ledger::records::{Anchor, AnchorKind, CONTENT_MAX, Ledger, TASK_MAX};
use ledger::sanitize::sanitize_line;
use ledger::store::{Change, Origin, Store, StoreError};

use crate::places::Places;
use crate::sessions::ABANDONED_AFTER;

/// How long to wait for the ledger's lock: the user waits for the program to end.
const LOCK_MAX: Duration = Duration::from_secs(1);

/// The longest risk that is shown, in characters.
const RISK_MAX: usize = 300;

/// The longest id that is shown, in characters.
const ID_MAX: usize = 40;

/// The ledger of the current project.
#[derive(Debug, Clone)]
pub struct ProjectLedger {
    places: LedgerPlaces,
}

/// An open risk. Its text is data: cleaned, masked, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// Its id, for `court resolve`.
    pub id: String,
    /// Its text.
    pub words: String,
    /// Who wrote it.
    pub hand: Hand,
}

/// Who wrote an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// The court or xc, for this user on this machine.
    Own,
    /// Another author: it came with the project.
    Foreign,
}

impl ProjectLedger {
    /// The ledger of the workspace's project, if it has one. Nothing is read yet.
    #[must_use]
    pub fn find(environment: &Environment, places: &Places) -> Option<Self> {
        let project = places.with_ledger()?;
        Some(Self { places: LedgerPlaces::in_environment(project, environment) })
    }

    /// The open risks, the newest first. Nothing is written, whatever the file contains.
    ///
    /// # Errors
    /// Why the ledger cannot be read, as a message.
    pub fn risks(&self) -> Result<Vec<Risk>, String> {
        let ledger = self.store().look().map_err(|error| ErrorChain(&error).to_string())?;
        let risks = |anchors: &[Anchor], hand| {
            let risks = anchors.iter().filter(|anchor| anchor.kind == AnchorKind::RiskHigh);
            risks.rev().map(move |anchor| risk(anchor, hand)).collect::<Vec<_>>()
        };
        let mut found = risks(&ledger.anchors, Hand::Own);
        found.extend(risks(&ledger.foreign, Hand::Foreign));
        found.retain(|risk| !risk.words.is_empty());
        Ok(found)
    }

    /// Records a session's outcome. Its decisions are kept. Its open work stays open until a later summary of the session
    /// does not have it any more, until a session ends that took it over, or until any session ends after a week.
    /// Existing entries are not written again.
    ///
    /// # Errors
    /// Why it cannot be written, as a message.
    pub fn settle(
        &self,
        summary: &SessionSummary,
        taken_over: Option<SessionId>,
    ) -> Result<(), String> {
        let settled = self.write(summary, taken_over);
        settled.map_err(|error| ErrorChain(&error).to_string())
    }

    fn write(
        &self,
        summary: &SessionSummary,
        taken_over: Option<SessionId>,
    ) -> Result<(), StoreError> {
        let store = self.store();
        // Pending entries belong to the ledger. If they cannot be merged now, they are merged with the new ones.
        let _ = store.fold();
        let over = taken_over.map(|id| id.to_string());
        store.record(&changes(&store.ledger()?, summary, over.as_deref(), now_ms()))
    }

    fn store(&self) -> Store {
        Store::new(&self.places, Instant::now() + LOCK_MAX)
    }
}

fn risk(anchor: &Anchor, hand: Hand) -> Risk {
    let words = sanitize_line(&anchor.content, RISK_MAX);
    Risk { id: sanitize_line(&anchor.id, ID_MAX), words, hand }
}

/// The changes that bring the ledger in line with the summary. `taken_over` is a session whose open work this one continued.
fn changes(
    ledger: &Ledger,
    summary: &SessionSummary,
    taken_over: Option<&str>,
    now_ms: u64,
) -> Vec<Change> {
    let session = summary.id.to_string();
    let open = open_work(summary, &session);
    let is_open = |origin: &str| open.iter().any(|(_, open)| open.0 == origin);
    let standing = || {
        let tasks = ledger.of_kind(AnchorKind::TaskActive);
        let work = tasks.filter_map(|task| Some((task, task.persisted_ref.as_deref()?)));
        work.filter(|(_, origin)| Origin::is_work(origin))
    };
    let is_over = |(task, origin): &(&Anchor, &str)| match Origin::is_of(Some(origin), &session) {
        true => !is_open(origin),
        false => {
            let is_ours = taken_over.is_some_and(|other| Origin::is_of(Some(origin), other));
            is_ours || is_old(task, now_ms)
        }
    };
    let closed = |(_, origin): (&Anchor, &str)| Change::TaskClosed {
        origin: Origin(origin.to_owned()),
        task_id: None,
    };
    let mut changes: Vec<Change> = standing().filter(is_over).map(closed).collect();
    let task_id = sanitize_line(&summary.title, TASK_MAX);
    for (content, origin) in &open {
        if standing().all(|(_, known)| known != origin.0) {
            let (task_id, content) = (task_id.clone(), content.clone());
            changes.push(Change::TaskOpened { task_id, content, origin: origin.clone() });
        }
    }
    let origin = Origin::session(&session);
    let is_known = |content: &str| {
        ledger.of_kind(AnchorKind::Decision).any(|known| {
            known.content == content && known.persisted_ref.as_deref() == Some(&*origin.0)
        })
    };
    for content in lines(&summary.decisions).filter(|content| !is_known(content)) {
        let (task_id, origin) = (Some(task_id.clone()), Some(origin.clone()));
        changes.push(Change::Decided { task_id, content, origin });
    }
    changes
}

/// A session's open work, with the source of each item. An abandoned session has none.
fn open_work(summary: &SessionSummary, session: &str) -> Vec<(String, Origin)> {
    if summary.status == SessionStatus::Abandoned {
        return Vec::new();
    }
    let work = |words: String| {
        let content = sanitize_line(&format!("left open in a session of xc: {words}"), CONTENT_MAX);
        (content, Origin::work(session, &words))
    };
    lines(&summary.pending_work).map(work).collect()
}

/// The non-empty lines, in the ledger's form.
fn lines(texts: &[String]) -> impl Iterator<Item = String> {
    let lines = texts.iter().map(|text| sanitize_line(text, CONTENT_MAX));
    lines.filter(|line| !line.is_empty())
}

/// Whether work was left open so long ago that it is not shown any more.
fn is_old(anchor: &Anchor, now_ms: u64) -> bool {
    let age = Duration::from_millis(now_ms.saturating_sub(anchor.created_at));
    age > ABANDONED_AFTER.unsigned_abs()
}

#[cfg(test)]
mod tests;
