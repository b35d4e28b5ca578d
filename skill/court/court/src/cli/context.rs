//! What every command needs: folders, settings, files, and who is asking.

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

/// How long a command waits for the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// The surroundings of a command.
pub(super) struct CliContext {
    pub(super) environment: Environment,
    pub(super) here: PathBuf,
    pub(super) places: Places,
    pub(super) resolved: Resolved,
    pub(super) store: Store,
    pub(super) now_ms: u64,
}

impl CliContext {
    /// Of this process.
    pub(super) fn of_process() -> Self {
        let environment = Environment::of_process();
        let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let places = Places::find(&environment, &here);
        Self::at(environment, here, places, PATIENCE)
    }

    /// Of another project of the user's, for a look that waits for no lock.
    pub(super) fn of_project(&self, project: PathBuf) -> Self {
        let places = Places::of_project(project.clone(), &self.environment);
        Self::at(self.environment.clone(), project, places, Duration::ZERO)
    }

    fn at(environment: Environment, here: PathBuf, places: Places, patience: Duration) -> Self {
        let resolved = config::resolve(&environment, &places);
        let store = Store::new(&places, Instant::now() + patience);
        Self { environment, here, places, resolved, store, now_ms: clock::now_ms() }
    }

    /// Who is asking: an agent with the ticket that its hook wrote down for this command, or else a
    /// person, whom the caller still has to look at.
    ///
    /// # Errors
    /// [`Failed::Wrong`] for an agent without one.
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

    /// That a person is asking, as far as processes tell.
    ///
    /// # Errors
    /// [`Failed::Wrong`] where something speaks against it.
    pub(super) fn person(&self, terminal: Terminal) -> Result<(), Failed> {
        match asker::doubt(&self.environment, terminal) {
            Some(doubt) => Err(for_people(&doubt)),
            None => Ok(()),
        }
    }

    /// Writes a line into the ledger of this project, where it has one.
    pub(super) fn note(&self, content: String) {
        if self.places.historian().is_dir() {
            let line = Change::Decided { task_id: None, content, origin: None };
            // The line is beside what was asked for; `court doctor` tells of a folder that fails.
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
