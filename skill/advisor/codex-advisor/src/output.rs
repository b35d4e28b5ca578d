//! Writes to standard output and standard error. A closed pipe is not a failure: the exit
//! code still has the result.

use std::io::{self, IsTerminal};

use client::exit::Exit;
use contract::failure::Failure;
use contract::outcome::Outcome;
use contract::run::{RunPage, RunRecord, RunSummary};
use host::streams::{print, print_json};
use serde::Serialize;

use crate::args::FormArgs;
use crate::follow::Pending;
use crate::markdown;

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One JSON document.
    Json,
    /// Markdown, for people.
    Markdown,
}

impl Form {
    /// The format that the arguments select, else the default for standard output.
    pub(crate) fn of(args: FormArgs) -> Self {
        match args {
            FormArgs { json: true, .. } => Self::Json,
            FormArgs { markdown: true, .. } => Self::Markdown,
            FormArgs { .. } => Self::usual(),
        }
    }

    /// The default format for standard output.
    pub(crate) fn usual() -> Self {
        if io::stdout().is_terminal() { Self::Markdown } else { Self::Json }
    }

    /// Prints a failure; the exit code says who has to act.
    pub(crate) fn failure(self, failure: &Failure) -> Exit {
        self.print(failure, || markdown::failure(failure));
        Exit::of_failure(failure)
    }

    /// Prints the outcome of a run.
    pub(crate) fn outcome(self, outcome: &Outcome) -> Exit {
        self.print(&outcome.body(), || markdown::outcome(outcome));
        Exit::of_outcome(outcome)
    }

    /// Prints that a run continues.
    pub(crate) fn pending(self, pending: &Pending) -> Exit {
        self.print(pending, || markdown::pending(pending));
        Exit::Pending
    }

    /// Prints the record of a run.
    pub(crate) fn record(self, record: &RunRecord) {
        self.print(record, || markdown::record(record));
    }

    /// Prints one line of the history.
    pub(crate) fn summary(self, summary: &RunSummary) {
        self.print(summary, || markdown::summary(summary));
    }

    /// Prints a page of the history.
    pub(crate) fn page(self, page: &RunPage) {
        self.print(page, || markdown::page(page));
    }

    /// Prints a document in this format.
    pub(crate) fn print(self, document: &impl Serialize, markdown: impl FnOnce() -> String) {
        match self {
            Self::Json => {
                let json = serde_json::to_string_pretty(document);
                print_json(&json.expect("documents have text keys only"));
            }
            Self::Markdown => print(markdown().trim_end()),
        }
    }
}
