//! What every command needs: folders, settings, files, and who is asking.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::output::Failed;
use crate::clock;
use crate::config::{self, Resolved};
use crate::environment::Environment;
use crate::places::Places;
use crate::records::Reviewer;
use crate::review;
use crate::store::Store;

/// How long a command waits for the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// The surroundings of a command.
pub(super) struct Desk {
    pub(super) environment: Environment,
    pub(super) here: PathBuf,
    pub(super) places: Places,
    pub(super) resolved: Resolved,
    pub(super) store: Store,
    pub(super) now_ms: u64,
}

impl Desk {
    /// Of this process.
    pub(super) fn of_process() -> Self {
        let environment = Environment::of_process();
        let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let places = Places::find(&environment, &here);
        let resolved = config::resolve(&environment, &places);
        let store = Store::new(&places, Instant::now() + PATIENCE);
        Self { environment, here, places, resolved, store, now_ms: clock::now_ms() }
    }

    /// Who is asking: a person, or the historian with the ticket that its hook wrote down.
    ///
    /// # Errors
    /// [`Failed::Wrong`] for anybody else.
    pub(super) fn reviewer(&self) -> Result<Reviewer, Failed> {
        if !review::inside_client(&self.environment) {
            return Ok(Reviewer::User);
        }
        let words: Vec<String> = std::env::args().skip(1).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let digest = review::digest_of_words(&words);
        if review::take_ticket(&self.store, &digest, self.now_ms)? {
            return Ok(Reviewer::Historian);
        }
        Err(self.for_people())
    }

    /// That a person is asking.
    ///
    /// # Errors
    /// [`Failed::Wrong`] inside the client.
    pub(super) fn person(&self) -> Result<(), Failed> {
        if review::inside_client(&self.environment) { Err(self.for_people()) } else { Ok(()) }
    }

    fn for_people(&self) -> Failed {
        Failed::Wrong(
            "this is for the user at a terminal of their own, or for the historian sub-agent; a tool \
             of Claude Code may not run it"
                .to_owned(),
        )
    }
}
