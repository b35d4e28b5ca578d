//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use crate::report::Report;
use crate::task::{NoTask, Task};

/// Why a program could not be started. No process of it runs.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The file (or its interpreter) does not exist.
    #[error("`{}` does not exist", path.display())]
    NotFound {
        /// The program.
        path: PathBuf,
    },
    /// The file exists, but is not executable.
    #[error("`{}` cannot be executed", path.display())]
    NotExecutable {
        /// The program.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The working directory cannot be entered.
    #[error("the working directory `{}` cannot be entered", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The system is out of processes, memory, descriptors or namespaces, or the arguments are
    /// too long.
    #[error("the system has no resources left to start a process")]
    Resources {
        /// The kernel's error.
        source: io::Error,
    },
    /// The guard could not be started or failed.
    #[error("the run guard could not be set up")]
    Guard {
        /// The kernel's error.
        source: io::Error,
    },
    /// The program was to be confined, and this system does not support it, or it failed.
    #[error("the program cannot be confined")]
    Unconfined {
        /// The kernel's error.
        source: io::Error,
    },
    /// The guard was started but reported nothing.
    #[error("the run guard said nothing before its end: {stderr_tail:?}")]
    GuardSilent {
        /// Its output on stderr.
        stderr_tail: String,
    },
}

impl SpawnError {
    /// Converts a report to an error; `None` if it does not report a failure.
    pub(crate) fn reported(report: Report, task: &Task) -> Option<Self> {
        let source = io::Error::from_raw_os_error;
        match report {
            Report::Started(_) | Report::Left | Report::Ended(_) | Report::Empty(_) => None,
            Report::Guard(errno) => Some(Self::guard(source(errno))),
            Report::OtherBuild => Some(Self::guard(io::Error::other(NoTask::OtherBuild))),
            Report::Confine(errno) => Some(Self::Unconfined { source: source(errno) }),
            Report::Program(errno) => Some(Self::program(task.program.clone(), source(errno))),
            Report::Directory(errno) => {
                Some(Self::Directory { path: task.dir.clone(), source: source(errno) })
            }
        }
    }

    /// Classifies an error of starting the guard itself.
    pub(crate) fn guard(source: io::Error) -> Self {
        if is_shortage(&source) { Self::Resources { source } } else { Self::Guard { source } }
    }

    /// Classifies an error of executing `path`.
    pub(crate) fn program(path: PathBuf, source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(Errno::NOENT | Errno::NOTDIR) => Self::NotFound { path },
            _ if is_shortage(&source) => Self::Resources { source },
            _ => Self::NotExecutable { path, source },
        }
    }
}

/// Whether the error is a shortage of resources.
fn is_shortage(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(
            Errno::AGAIN
                | Errno::NOMEM
                | Errno::MFILE
                | Errno::NFILE
                | Errno::TOOBIG
                | Errno::NOSPC
                | Errno::USERS
        )
    )
}
