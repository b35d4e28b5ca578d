//! The orchestrator as a process of its own: found, asked once, and read with suspicion. A crash or an endless
//! loop in it ends with its process, and the prompt goes through.

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

/// The most that is read of a report, in bytes: ten times what the largest budget can make.
const REPORT_MAX: usize = 4 * 1024 * 1024;

/// The C library gives large blocks back to the system at once, and the orchestrator's other threads wait each
/// time. It lives for some tens of milliseconds and may keep them (glibc manual, "Memory Allocation
/// Tunables"; other libraries pass it over). In one arena of huge pages, where the system has them, it asks the
/// system for memory some 600 times instead of 4,500. It does not hand the variable on.
const TUNABLES: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456:glibc.malloc.top_pad=4194304:glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1",
);

/// What the orchestrator said, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// What is of use of it.
    pub reading: Reading,
    /// Its exit code.
    pub exit: Exit,
}

/// Why the orchestrator said nothing of use.
#[derive(Debug, thiserror::Error)]
pub enum OrchestratorError {
    /// No folder has one.
    #[error("{PROGRAM} is neither beside this program nor on the PATH")]
    Missing,
    /// The variable names none.
    #[error("{ORCHESTRATOR_PATH} names {path}, which is no program", path = path.display())]
    NoProgram {
        /// What is named.
        path: PathBuf,
    },
    /// It cannot be started.
    #[error("{path} cannot be run: {source}", path = path.display())]
    NotStarted {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: HelperError,
    },
    /// It ended in a way that an orchestrator never does.
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
    /// What it printed is no report.
    #[error(transparent)]
    NoReport(#[from] NoReport),
}

/// Asks the orchestrator, and returns when it has answered or is gone. Nothing of it is left then.
///
/// # Errors
/// As [`OrchestratorError`] says.
pub fn ask(
    question: &Question,
    environment: &Environment,
    deadline: Instant,
) -> Result<Said, OrchestratorError> {
    let path = find(environment)?;
    let mut env: Vec<(OsString, OsString)> =
        environment.variables().map(|(name, value)| (name.into(), value.into())).collect();
    // The user's own word counts.
    if environment.get(TUNABLES.0).is_none() {
        env.push((TUNABLES.0.into(), TUNABLES.1.into()));
    }
    let told = run_helper_with_input(
        &HelperCommand {
            program: path.clone(),
            args: Vec::new(),
            env,
            // The question names the folder; a folder that is gone must not keep the orchestrator from saying so.
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
