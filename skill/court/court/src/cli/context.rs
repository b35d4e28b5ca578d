//! The context of every command: folders, settings, files, and the caller.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::output::Failed;
use crate::asker::{self, Doubt, Terminal};
use crate::clock;
use crate::config::{self, Resolved};
use crate::environment::Environment;
use crate::places::Places;
use crate::records::Reviewer;
use crate::review;
use crate::store::{Change, Store};

/// Maximum wait for the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// The context of a command.
pub(super) struct CliContext {
    pub(super) environment: Environment,
    pub(super) here: PathBuf,
    pub(super) places: Places,
    pub(super) resolved: Resolved,
    pub(super) store: Store,
    pub(super) now_ms: u64,
}

impl CliContext {
    /// For this process.
    pub(super) fn of_process() -> Self {
        let environment = Environment::of_process();
        let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let places = Places::find(&environment, &here);
        Self::at(environment, here, places, PATIENCE)
    }

    /// For another project of the user, for reading without a lock.
    pub(super) fn of_project(&self, project: PathBuf) -> Self {
        let places = Places::of_project(project.clone(), &self.environment);
        Self::at(self.environment.clone(), project, places, Duration::ZERO)
    }

    fn at(environment: Environment, here: PathBuf, places: Places, patience: Duration) -> Self {
        let resolved = config::resolve(&environment, &places);
        let store = Store::new(&places, Instant::now() + patience);
        Self { environment, here, places, resolved, store, now_ms: clock::now_ms() }
    }

    /// The reviewer: an agent with a ticket that its hook issued for this command, else a
    /// person, which the caller must still verify.
    ///
    /// # Errors
    /// [`Failed::Wrong`] for an agent without a ticket.
    pub(super) fn reviewer(&self) -> Result<Reviewer, Failed> {
        let Some(mark) = review::mark(&self.environment) else {
            return Ok(Reviewer::User);
        };
        let words: Vec<String> = std::env::args().skip(1).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let digest = review::digest_of_words(&words);
        if review::take_ticket(&self.store, &digest)? {
            return Ok(Reviewer::Historian);
        }
        Err(for_people(&Doubt::Marked(mark)))
    }

    /// Checks that a person runs the command, as far as processes tell.
    ///
    /// # Errors
    /// [`Failed::Wrong`] if there is a doubt.
    pub(super) fn person(&self, terminal: Terminal) -> Result<(), Failed> {
        match asker::doubt(&self.environment, terminal) {
            Some(doubt) => Err(for_people(&doubt)),
            None => Ok(()),
        }
    }

    /// Adds a line to this project's ledger, if there is one.
    pub(super) fn note(&self, content: String) {
        if self.places.historian().is_dir() {
            let line = Change::Decided { task_id: None, content, origin: None };
            // The line is not essential; `court doctor` reports a folder that cannot be written.
            let _ = self.store.record(&[line]);
        }
    }
}

fn for_people(doubt: &Doubt) -> Failed {
    Failed::Wrong(format!(
        "this is for the user at a terminal of their own, or for the historian sub-agent; a tool of \
         Claude Code may not run it ({doubt})"
    ))
}
