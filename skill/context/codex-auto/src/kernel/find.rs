//! Where the kernel is: the program of this name beside our own, as every installation has it, else on
//! the `PATH`. A variable names another.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use host::environment::{self, Environment};

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
    let own = std::env::current_exe().ok();
    let beside = own.map(|own| own.with_file_name(NAME)).filter(|path| is_program(path));
    let on_path = || {
        let path = environment.get(environment::PATH)?;
        supervise::find_program(NAME, path)
    };
    beside.or_else(on_path).ok_or(KernelError::Missing)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
