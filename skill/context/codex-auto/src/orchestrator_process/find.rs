//! Finds the orchestrator: the program of this name beside our own, as in every installation, else on
//! the `PATH`. A variable overrides it.

use std::path::PathBuf;

use host::environment::{self, Environment};
use host::own_program;
use host::program::is_program;
use orchestration::PROGRAM;
use orchestration::variables::ORCHESTRATOR_PATH;

use super::OrchestratorError;

/// The orchestrator's path.
///
/// # Errors
/// [`OrchestratorError::NoProgram`] if the variable does not name an executable file,
/// [`OrchestratorError::Missing`] if there is none.
pub fn find(environment: &Environment) -> Result<PathBuf, OrchestratorError> {
    if let Some(named) = environment.get(ORCHESTRATOR_PATH) {
        let path = environment.working_dir().join(named);
        return if is_program(&path) {
            Ok(path)
        } else {
            Err(OrchestratorError::NoProgram { path })
        };
    }
    own_program(PROGRAM, environment.get(environment::PATH)).ok_or(OrchestratorError::Missing)
}
