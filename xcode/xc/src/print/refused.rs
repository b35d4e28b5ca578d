//! A run that ends before its first step: nobody was asked. The formats for programs get their `end`, too.

use agent::JournalError;
use contract::id::SessionId;
use contract::xc::{End, EndReason, FailureClass, TokenUsage, What};
use host::{ErrorChain, streams};
use jiff::Timestamp;

use super::input::NoInput;
use super::output::Output;
use crate::cli::args::OutputFormat;
use crate::config::Fault;
use crate::exit::Exit;
use crate::models::NoModel;

/// Why nobody is asked.
#[derive(Debug)]
pub(super) struct Refused {
    exit: Exit,
    reason: EndReason,
    /// What failed, where a failure has a class.
    class: Option<FailureClass>,
    /// What is said, a line each.
    lines: Vec<String>,
}

impl Refused {
    /// This machine failed.
    pub(super) fn internal(error: impl std::fmt::Display) -> Self {
        Self::new(Exit::Internal, vec![error.to_string()])
    }

    /// A signal came.
    pub(super) fn interrupted(exit: Exit) -> Self {
        let reason = EndReason::Interrupted;
        Self { reason, ..Self::new(exit, vec!["interrupted".to_owned()]) }
    }

    /// What was given is wrong.
    pub(super) fn usage(what: impl std::fmt::Display) -> Self {
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

impl From<NoInput> for Refused {
    fn from(error: NoInput) -> Self {
        Self::usage(error)
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

/// Says why on standard error, and in the format for programs, where one was asked for.
pub(super) fn told(refused: Refused, format: OutputFormat) -> Exit {
    let Refused { exit, reason, class, lines } = refused;
    lines.iter().for_each(|line| streams::note(&format!("xc: {line}")));
    let mut output = Output::new(format, SessionId::generate());
    for message in lines {
        let what = match class {
            Some(class) => What::Failure { class, message },
            None => What::Note { text: message },
        };
        output.put(Timestamp::now(), what);
    }
    let end = End {
        reason,
        exit: exit as u8,
        answer: String::new(),
        usage: TokenUsage::default(),
        cost_usd: Some(0.0),
        changed: Vec::new(),
        commands: Vec::new(),
        denied: Vec::new(),
    };
    output.put(Timestamp::now(), What::End(end));
    exit
}
