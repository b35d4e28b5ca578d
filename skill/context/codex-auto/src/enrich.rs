//! Gets a report for a prompt: calls the orchestrator within the time budget, and converts every failure
//! into an empty report with the reason.

use std::time::{Duration, Instant};

use host::environment::Environment;
use jiff::Timestamp;
use orchestration::exit::Exit;
use orchestration::limits;

use crate::control;
use crate::orchestrator_process::{self, NoReport, OrchestratorError, Reading};
use crate::question::Question;
use crate::report::{Report, Stamp};

/// Extra time for the orchestrator to build its report. Together with the end of the
/// process, an entry exceeds the budget by at most 100 ms.
const MARGIN: Duration = Duration::from_millis(70);

/// The result for a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Enriched {
    /// The report; empty if the orchestrator returned none.
    pub report: Report,
    /// The exit code of the entry.
    pub exit: Exit,
}

/// Calls the orchestrator for a prompt. `begun` is when the entry got the prompt; the budget starts then.
#[must_use]
pub fn enrich(question: &Question, environment: &Environment, begun: Instant) -> Enriched {
    let budget = control::budget(environment, question);
    // Computing the id hashes the prompt, which may be long, so the report is created only if needed.
    let empty = || Report::empty(question, budget, stamp(environment));
    if control::is_off(environment, &question.cwd) {
        return Enriched { report: empty(), exit: Exit::Done };
    }
    match orchestrator_process::ask(question, environment, begun + budget + MARGIN) {
        Ok(said) => match said.reading {
            Reading::Whole(report) => Enriched { report, exit: said.exit },
            Reading::ContextOnly { version, context } => {
                let version = redact::sanitize(&version, redact::Cut::chars(20));
                let report = empty().with_context(context).because(limits::OTHER_VERSION, &version);
                Enriched { report, exit: said.exit }
            }
        },
        Err(error) => failed(empty(), &error),
    }
}

/// An empty report for a prompt without calling the orchestrator.
#[must_use]
pub fn unasked(question: &Question, environment: &Environment) -> Enriched {
    let budget = control::budget(environment, question);
    Enriched { report: Report::empty(question, budget, stamp(environment)), exit: Exit::Done }
}

fn stamp(environment: &Environment) -> Stamp {
    if control::is_plan(environment) { Stamp::Plan } else { Stamp::At(Timestamp::now()) }
}

fn failed(empty: Report, error: &OrchestratorError) -> Enriched {
    let (words, exit) = match error {
        OrchestratorError::Missing
        | OrchestratorError::NoProgram { .. }
        | OrchestratorError::NotStarted { .. }
        | OrchestratorError::Crashed { .. } => (limits::UNAVAILABLE, Exit::Unavailable),
        OrchestratorError::Late { .. } => (limits::LATE, Exit::Late),
        OrchestratorError::NoReport(NoReport::Syntax) => (limits::INVALID, Exit::Unavailable),
        OrchestratorError::NoReport(NoReport::Shape { .. }) => (limits::INVALID, Exit::Unreadable),
    };
    Enriched { report: empty.because(words, &error.to_string()), exit }
}
