//! A run that ends before its first step, without a request to a model.

use agent::JournalError;
use contract::xc::{EndReason, FailureClass};
use host::ErrorChain;

use crate::config::Fault;
use crate::exit::Exit;
use crate::models::NoModel;

/// Why no request is sent to a model.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The exit code.
    pub(crate) exit: Exit,
    pub(crate) reason: EndReason,
    /// The class of the failure, if it has one.
    pub(crate) class: Option<FailureClass>,
    /// The message, one entry per line.
    pub(crate) lines: Vec<String>,
}

impl Refused {
    /// This machine or the program failed.
    pub(crate) fn internal(error: impl std::fmt::Display) -> Self {
        Self::new(Exit::Internal, vec![error.to_string()])
    }

    /// A signal arrived.
    pub(crate) fn interrupted(exit: Exit) -> Self {
        let reason = EndReason::Interrupted;
        Self { reason, ..Self::new(exit, vec!["interrupted".to_owned()]) }
    }

    /// The input is wrong.
    pub(crate) fn usage(what: impl std::fmt::Display) -> Self {
        Self::new(Exit::Usage, vec![what.to_string()])
    }

    fn new(exit: Exit, lines: Vec<String>) -> Self {
        Self { exit, reason: EndReason::Failed, class: None, lines }
    }
}

impl From<Vec<Fault>> for Refused {
    fn from(faults: Vec<Fault>) -> Self {
        Self::new(Exit::Usage, faults.iter().map(ToString::to_string).collect())
    }
}

impl From<NoModel> for Refused {
    fn from(error: NoModel) -> Self {
        let exit = if error.is_misuse() { Exit::Usage } else { Exit::NoModel };
        let class = match error {
            NoModel::Unknown { .. } => FailureClass::ModelUnknown,
            _ => FailureClass::Auth,
        };
        Self { class: Some(class), ..Self::new(exit, vec![error.to_string()]) }
    }
}

impl From<JournalError> for Refused {
    fn from(error: JournalError) -> Self {
        let exit = match error {
            JournalError::NoSession
            | JournalError::Brought { .. }
            | JournalError::Unknown { .. }
            | JournalError::Live { .. }
            | JournalError::Newer { .. }
            | JournalError::NoHeader { .. } => Exit::Usage,
            JournalError::Read { .. } | JournalError::Full { .. } | JournalError::Write { .. } => {
                Exit::Internal
            }
        };
        Self::new(exit, vec![ErrorChain(&error).to_string()])
    }
}
