//! Runs the orchestrator as a process and validates its output. A crash or an endless
//! loop ends with that process, and the prompt is sent.

mod find;
mod reading;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use host::environment::Environment;
use orchestration::PROGRAM;
use orchestration::exit::Exit;
use orchestration::variables::ORCHESTRATOR_PATH;
use supervise::{
    Exit as Ended, HelperCommand, HelperEnd, HelperError, HelperOutput, run_helper_with_input,
};

use crate::question::Question;

pub use find::find;
pub use reading::{NoReport, Reading, read};

/// Maximum size of a report, in bytes: ten times that of the largest budget.
const REPORT_MAX: usize = 4 * 1024 * 1024;

/// By default the C library returns large blocks to the system at once, which blocks the orchestrator's other threads
/// each time. The process lives for some tens of milliseconds and may keep them (glibc manual, "Memory Allocation
/// Tunables"; other libraries ignore it). With one arena of huge pages, if available, it makes some 600 memory-related
/// system calls instead of 4,500. It does not pass the variable on.
const TUNABLES: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456:glibc.malloc.top_pad=4194304:glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1",
);

/// The orchestrator's output and exit code.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The usable part of its output.
    pub reading: Reading,
    /// Its exit code.
    pub exit: Exit,
}

/// Why there is no usable output.
#[derive(Debug, thiserror::Error)]
pub enum OrchestratorError {
    /// It is not installed.
    #[error("{PROGRAM} is neither beside this program nor on the PATH")]
    Missing,
    /// The variable does not name a program.
    #[error("{ORCHESTRATOR_PATH} names {path}, which is no program", path = path.display())]
    NoProgram {
        /// The path.
        path: PathBuf,
    },
    /// It cannot be started.
    #[error("{path} cannot be run: {source}", path = path.display())]
    NotStarted {
        /// The program.
        path: PathBuf,
        /// The system's error.
        source: HelperError,
    },
    /// It ended in an unexpected way.
    #[error("{path} ended with {end}", path = path.display())]
    Crashed {
        /// The program.
        path: PathBuf,
        /// Its exit code or signal.
        end: String,
    },
    /// It did not end before the deadline, and was killed.
    #[error("{path} was ended at its deadline", path = path.display())]
    Late {
        /// The program.
        path: PathBuf,
    },
    /// Its output is not a report.
    #[error(transparent)]
    NoReport(#[from] NoReport),
}

/// Runs the orchestrator, and returns when it has ended. None of its processes is left.
///
/// # Errors
/// [`OrchestratorError`], by cause.
pub fn ask(
    question: &Question,
    environment: &Environment,
    deadline: Instant,
) -> Result<Said, OrchestratorError> {
    let path = find(environment)?;
    let mut env: Vec<(OsString, OsString)> =
        environment.variables().map(|(name, value)| (name.into(), value.into())).collect();
    // A value set by the user is kept.
    if environment.get(TUNABLES.0).is_none() {
        env.push((TUNABLES.0.into(), TUNABLES.1.into()));
    }
    let told = run_helper_with_input(
        &HelperCommand {
            program: path.clone(),
            args: Vec::new(),
            env,
            // The request names the folder; if the folder is gone, the orchestrator must still be able to report it.
            current_dir: "/".into(),
            deadline,
            stdout_max: REPORT_MAX,
        },
        &question.to_request().to_bytes(),
    );
    match told {
        Ok(told) => judge(path, &told),
        Err(source) => Err(OrchestratorError::NotStarted { path, source }),
    }
}

fn judge(path: PathBuf, told: &HelperOutput) -> Result<Said, OrchestratorError> {
    let exit = match told.end {
        HelperEnd::Exited(Ended::Code(code)) => Exit::of_code(code)
            .ok_or_else(|| OrchestratorError::Crashed { path, end: format!("exit code {code}") })?,
        HelperEnd::Exited(Ended::Signal(signal)) => {
            return Err(OrchestratorError::Crashed { path, end: format!("signal {signal}") });
        }
        HelperEnd::Deadline => return Err(OrchestratorError::Late { path }),
        HelperEnd::OutputLimit => return Err(NoReport::Syntax.into()),
    };
    Ok(Said { reading: read(&told.stdout)?, exit })
}
