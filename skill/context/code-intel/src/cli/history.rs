//! `ci history`: the background process that reads the repository's history after an answer, and its start.

use std::time::Duration;

use host::Environment;

use super::environment::program_path;
use super::error::{CliError, Exit};
use super::options::Options;
use crate::deadline::Deadline;
use crate::engine::{Engine, cache_folder, follows_history};
use crate::past::follow::Followed;
use crate::root::RepoRoot;

/// Time limit: SymPy's 60,000 commits take some three seconds.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Its nice value.
const NICE: i32 = 10;

/// Reads the history in a separate process with low priority.
pub(super) fn run(options: &Options, environment: &Environment) -> Result<Exit, CliError> {
    // Failing to detach or to lower the priority does not stop the work.
    supervise::leave_starter();
    let _ = rustix::process::nice(NICE);
    let root = match &options.root {
        Some(root) => RepoRoot::at(root)?,
        None => RepoRoot::around(".".as_ref())?,
    };
    let engine = Engine::new(root, cache_folder(environment)?);
    let followed = engine.follow_history(program_path(environment), &Deadline::after(TIME_MAX))?;
    Ok(match followed {
        Followed::Nothing | Followed::Left => Exit::Nothing,
        Followed::Current | Followed::Added | Followed::Read => Exit::Found,
    })
}

/// Starts it after an answer; errors are not reported, because the user did not request it.
pub(super) fn follow_behind(engine: &Engine, environment: &Environment) {
    if follows_history(environment) {
        // If it cannot be started now, a later answer starts it.
        let _ = engine.follow_history_behind(program_path(environment));
    }
}
