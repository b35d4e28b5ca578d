//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use crate::report::Report;
use crate::task::{NoTask, Task};

/// Why a program could not be started. Nothing of it runs.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no such file (or its interpreter is missing).
    #[error("`{}` does not exist", path.display())]
    NotFound {
        /// The program.
        path: PathBuf,
    },
    /// The file is there, but cannot be executed.
    #[error("`{}` cannot be executed", path.display())]
    NotExecutable {
        /// The program.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The working directory cannot be entered.
    #[error("the working directory `{}` cannot be entered", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The system is out of processes, memory, descriptors or namespaces, or the arguments are
    /// too long.
    #[error("the system has no resources left to start a process")]
    Resources {
        /// What the kernel said.
        source: io::Error,
    },
    /// The guard could not be started or could not do its work.
    #[error("the run guard could not be set up")]
    Guard {
        /// What the kernel said.
        source: io::Error,
    },
    /// The program was to be confined, and this system cannot do it, or could not this time.
    #[error("the program cannot be confined")]
    Unconfined {
        /// What the kernel said.
        source: io::Error,
    },
    /// The guard was started but reported nothing.
    #[error("the run guard said nothing before its end: {stderr_tail:?}")]
    GuardSilent {
        /// What it printed.
        stderr_tail: String,
    },
}

impl SpawnError {
    /// The error in a report; `None` where the report is not of a failure.
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

    /// Sorts an error met while starting the guard itself.
    pub(crate) fn guard(source: io::Error) -> Self {
        if is_shortage(&source) { Self::Resources { source } } else { Self::Guard { source } }
    }

    /// Sorts an error that came from executing `path`.
    pub(crate) fn program(path: PathBuf, source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(Errno::NOENT | Errno::NOTDIR) => Self::NotFound { path },
            _ if is_shortage(&source) => Self::Resources { source },
            _ => Self::NotExecutable { path, source },
        }
    }
}

/// Whether more resources would have helped.
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
