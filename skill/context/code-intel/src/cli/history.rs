//! `ci history`: the process behind an answer that reads the repository's history, and its start.

use std::time::Duration;

use host::Environment;

use super::environment::program_path;
use super::error::{CliError, Exit};
use super::options::Options;
use crate::deadline::Deadline;
use crate::engine::{Engine, cache_folder, follows_history};
use crate::past::follow::Followed;
use crate::root::RepoRoot;

/// How long it may take: SymPy's 60,000 commits take some three seconds.
const TIME_MAX: Duration = Duration::from_secs(60);
/// How far it steps back for others, as `nice` counts.
const NICE: i32 = 10;

/// Reads the history, as a process of its own that gives way to others.
pub(super) fn run(options: &Options, environment: &Environment) -> Result<Exit, CliError> {
    // What cannot be left or lowered is no reason to leave the work.
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

/// Has it done when an answer is given, and says nothing of it: the user did not ask for it.
pub(super) fn follow_behind(engine: &Engine, environment: &Environment) {
    if follows_history(environment) {
        // What cannot be started now is started behind another answer.
        let _ = engine.follow_history_behind(program_path(environment));
    }
}
