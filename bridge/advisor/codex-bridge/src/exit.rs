//! The exit codes. Every way this program ends is one of these.
//!
//! | code | meaning | what a supervisor should do |
//! | --- | --- | --- |
//! | 0 | done; a drained `serve`; a closed pipe | nothing |
//! | 1 | the command failed, or `doctor` found something to mend | restart |
//! | 2 | the command line is wrong | nothing: a restart does not mend it |
//! | 75 | another instance uses the state folder (sysexits.h `EX_TEMPFAIL`) | retry later |
//! | 78 | configuration, token or state folder is unusable (sysexits.h `EX_CONFIG`) | nothing: a restart does not mend it |
//! | 98 | the address is in use (the number of Linux's `EADDRINUSE`) | retry later |

use std::process::ExitCode;

use crate::app::ServeError;
use crate::http::BindError;
use crate::store::error::OpenError;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// The command failed.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Another instance uses the state folder.
    InUse = 75,
    /// The configuration, the token or the state folder cannot be used.
    Config = 78,
    /// The address is in use.
    AddressInUse = 98,
}

impl Exit {
    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl From<&ServeError> for Exit {
    fn from(error: &ServeError) -> Self {
        match error {
            ServeError::Bind(BindError::InUse { .. }) => Self::AddressInUse,
            ServeError::State(OpenError::InUse { .. }) => Self::InUse,
            ServeError::Bind(BindError::Refused { .. })
            | ServeError::Remote { .. }
            | ServeError::State(
                OpenError::Unusable { .. } | OpenError::Damaged { .. } | OpenError::Database { .. },
            ) => Self::Config,
            ServeError::Inherited(_) | ServeError::Write { .. } | ServeError::Executable(_) => {
                Self::Failed
            }
        }
    }
}
