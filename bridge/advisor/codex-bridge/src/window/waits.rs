//! Requests that wait for the user in the court's projects, for the notice on every page. The court is a process that
//! must be started, so it is queried rarely and in the background, and its last reply is shown.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout};
use window::Waiting;
use window::view::Projects;

use super::court::Court;
use super::row::shown_kind;
use crate::token::Rights;

/// How long a reply of the court counts as current.
pub const FRESH: Duration = Duration::from_secs(5);

/// How long a page waits for the court before it shows the last reply: a fraction of the first page's time limit.
const PATIENCE: Duration = Duration::from_millis(25);

/// Cache of the court's waiting requests.
#[derive(Debug)]
pub struct Waits {
    court: Arc<Court>,
    known: watch::Sender<Known>,
    /// Held during a query.
    asking: Arc<Semaphore>,
}

/// The last reply of the court.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The projects with waiting requests.
    pub projects: Arc<[Waiting]>,
    /// Number of changes of the reply.
    pub version: u64,
    /// When the court replied; `None` if it has to be queried again.
    at: Option<Instant>,
}

impl Waits {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(court: Arc<Court>) -> Self {
        Self { court, known: watch::Sender::default(), asking: Arc::new(Semaphore::new(1)) }
    }

    /// The waiting requests to show. Waits briefly for the court if the last reply is old.
    ///
    /// # Cancel safety
    /// The query continues.
    pub async fn look(&self, rights: Rights) -> Known {
        if shown_kind(rights).is_some() {
            return Known::default();
        }
        if self.known.borrow().at.is_none_or(|at| at.elapsed() >= FRESH) {
            let mut told = self.known.subscribe();
            self.ask();
            // A later reply is shown on the next page.
            let _ = timeout(PATIENCE, told.changed()).await;
        }
        self.known.borrow().clone()
    }

    /// The version of the part that these rights may see.
    #[must_use]
    pub fn version(&self, rights: Rights) -> u64 {
        if shown_kind(rights).is_some() { 0 } else { self.known.borrow().version }
    }

    /// Changes each time the court has replied.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Known> {
        self.known.subscribe()
    }

    /// Queries the court in the background, unless a query is in progress.
    pub fn ask(&self) {
        let Ok(permit) = Arc::clone(&self.asking).try_acquire_owned() else { return };
        let (court, known) = (Arc::clone(&self.court), self.known.clone());
        tokio::spawn(async move {
            let said = court.list(Rights::Orchestrate).await;
            known.send_modify(|known| known.take(&said, Instant::now()));
            drop(permit);
        });
    }

    /// Marks the last reply as outdated, after a decision.
    pub fn forget(&self) {
        self.known.send_modify(|known| known.at = None);
    }
}

impl Known {
    /// A failed query does not change what is shown.
    fn take(&mut self, said: &Projects, now: Instant) {
        self.at = Some(now);
        let Projects::List(told) = said else { return };
        let waiting = told.projects.iter().filter_map(|project| {
            let count = project.figures.as_ref()?.waiting;
            let (key, root) = (project.key.clone(), project.root.clone());
            (count > 0).then_some(Waiting { key, root, count })
        });
        let projects: Arc<[Waiting]> = waiting.collect();
        if self.projects != projects {
            self.projects = projects;
            self.version += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::court;

    use super::*;

    /// A list in which so many requests wait in each project; `None` if the query timed out.
    fn said(waiting: &[Option<usize>]) -> Projects {
        let figures = |waiting| court::Figures {
            phase: None,
            risks: 1,
            tasks: 1,
            decisions: 1,
            waiting,
            degraded: Vec::new(),
        };
        let project = |(n, waiting): (usize, &Option<usize>)| court::Summary {
            key: format!("{n:032}"),
            root: format!("/home/dev/{n}"),
            seen_ms: 0,
            figures: waiting.map(figures),
        };
        Projects::List(Box::new(court::Projects {
            folder: "/home/dev/.local/state".to_owned(),
            approver: court::Approver {
                standing: court::Standing::Absent,
                fingerprint: None,
                why: None,
            },
            projects: waiting.iter().enumerate().map(project).collect(),
            left_out: 0,
        }))
    }

    #[test]
    fn only_what_differs_is_a_change_and_a_silent_court_changes_nothing() {
        let mut known = Known::default();
        let mut shown = |said: Projects| {
            known.take(&said, Instant::now());
            let counts = known.projects.iter().map(|waiting| (waiting.root.clone(), waiting.count));
            (known.version, counts.collect::<Vec<_>>())
        };
        assert_eq!(shown(said(&[Some(0), None])), (0, vec![]));
        let two = (1, vec![("/home/dev/1".to_owned(), 2)]);
        assert_eq!(shown(said(&[Some(0), Some(2)])), two);
        assert_eq!(shown(said(&[Some(0), Some(2)])), two);
        assert_eq!(shown(Projects::Unasked("it did not answer".to_owned())), two);
        assert_eq!(shown(said(&[])), (2, vec![]));
    }
}
