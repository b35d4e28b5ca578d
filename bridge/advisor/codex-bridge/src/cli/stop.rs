//! `codex-bridge stop`.

use std::time::Duration;

use super::args::StopArgs;
use super::output;
use crate::config::{Environment, resolve};
use crate::exit::Exit;
use crate::stop::{self, Outcome, StopError};

/// Time that the daemon may need beyond its grace period, to send responses, end Codex and
/// close the store.
const MARGIN: Duration = Duration::from_secs(10);

pub(super) fn run(args: StopArgs, environment: &Environment) -> Exit {
    let config = match resolve(&args.settings.into(), environment) {
        Ok(resolved) => resolved.config,
        Err(faults) => return output::fail(&faults, Exit::Config),
    };
    let patience = args.timeout.map_or(config.limits.drain + MARGIN, Duration::from_secs);
    let outcome = match stop::stop(&config.state_dir, patience) {
        Ok(outcome) => outcome,
        Err(error @ StopError::Folder(_)) => return output::fail(&error, Exit::Config),
        Err(error) => return output::fail(&error, Exit::Failed),
    };
    let printed = match args.json {
        true => output::print_json(&outcome.json()),
        false => output::print(&format!("{outcome}\n")),
    };
    match outcome {
        Outcome::NotRunning | Outcome::Stopped { .. } => printed,
        Outcome::StillRunning { .. } => Exit::Failed,
    }
}
