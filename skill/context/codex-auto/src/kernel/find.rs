//! Where the kernel is: the program of this name beside our own, as every installation has it, else on
//! the `PATH`. A variable names another.

use std::path::PathBuf;

use host::environment::{self, Environment};
use host::own_program;
use host::program::is_program;

use super::KernelError;

/// The kernel's name.
pub const NAME: &str = "auto-tool-orchestrator";
/// Names another program in its place; then no other is looked for.
pub const KERNEL: &str = "CI_AUTO_TOOLS_ORCHESTRATOR_PATH";

/// The kernel's path.
///
/// # Errors
/// [`KernelError::NoProgram`] where the variable names no file that can be executed,
/// [`KernelError::Missing`] where there is none.
pub fn find(environment: &Environment) -> Result<PathBuf, KernelError> {
    if let Some(named) = environment.get(KERNEL) {
        let path = environment.working_dir().join(named);
        return if is_program(&path) { Ok(path) } else { Err(KernelError::NoProgram { path }) };
    }
    own_program(NAME, environment.get(environment::PATH)).ok_or(KernelError::Missing)
}
