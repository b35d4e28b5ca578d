//! Classifies how a Codex process ended: an answer, or an error with its cause (auth, quota, network, ...). Pure.
//!
//! Only the terminal event and the exit decide *whether* there is an answer. Texts decide only
//! *why* there is none; they change between versions, so [`rules`] matches loosely
//! and falls back to a generic cause.

use std::time::Duration;

use contract::failure::FailureCode;
use contract::id::ThreadId;
use supervise::{Cause, Ended, Exit, SpawnError};

use crate::app_server::exchange::Obstacle;
use crate::attempt::{Answer, AttemptFailure, Retry};
use crate::event::ErrorKind;
use crate::turn::{Terminal, Turn};

mod rules;

use rules::Diagnosis;

/// Maximum size of a failure's `raw` text, in bytes. More than the contract's summary, so that the text is
/// redacted before it is truncated to that.
pub const RAW_MAX_BYTES: usize = 8 * 1024;

/// The answer of a process that ran, or the failure.
///
/// `resumed` is the thread that Codex was to resume.
///
/// # Errors
/// The failure by the first applicable cause: another thread than the resumed one, a cancellation,
/// the terminal event, the reason why we ended the process, its exit, its text on stderr.
pub fn classify(
    turn: &Turn,
    ended: &Ended,
    resumed: Option<ThreadId>,
) -> Result<Answer, AttemptFailure> {
    let completed = matches!(turn.terminal(), Some(Terminal::Completed { .. }));
    // Another thread does not contain the first round, even if the turn succeeded. A completed turn
    // that did not report its thread is treated the same.
    if let Some(resumed) = resumed
        && turn.thread_id() != Some(resumed)
        && (turn.thread_id().is_some() || completed)
    {
        let got = turn.thread_id().map_or_else(|| "none".to_owned(), |id| id.to_string());
        let raw = format!("asked for thread {resumed}, got {got}");
        return Err(failure(rules::OTHER_THREAD, raw));
    }
    // A cancelled attempt no longer has a caller.
    if ended.cause == Cause::Cancelled {
        return Err(failure(rules::CANCELLED, String::new()));
    }
    match turn.terminal() {
        Some(Terminal::Completed { .. }) if ended_after_the_turn(ended) => answer(turn),
        Some(Terminal::Failed { message, kind }) => Err(failed_turn(message, kind.as_ref(), ended)),
        Some(Terminal::Completed { .. }) | None => Err(unfinished(turn, ended)),
    }
}

/// The failure for a process that could not be started.
#[must_use]
pub fn not_started(error: &SpawnError) -> AttemptFailure {
    let diagnosis = match error {
        SpawnError::NotFound { .. } => rules::CODEX_MISSING,
        SpawnError::NotExecutable { .. } => rules::CODEX_NOT_EXECUTABLE,
        SpawnError::Directory { .. } => rules::WORKDIR,
        SpawnError::Resources { .. } => rules::NO_RESOURCES,
        SpawnError::Unconfined { .. }
        | SpawnError::Guard { .. }
        | SpawnError::GuardSilent { .. } => rules::GUARD,
    };
    failure(diagnosis, host::ErrorChain(error).to_string())
}

/// Why a question was not sent to a started app-server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unasked {
    /// `codex exec` would fail the same way.
    Failed(AttemptFailure),
    /// This app-server is incompatible with the bridge; `codex exec` may work.
    Incompatible {
        /// The failure if there is no other driver.
        failure: AttemptFailure,
        /// What it did, without text from Codex.
        why: String,
    },
}

/// Why the question was not sent: by the obstacle, else by how the process ended.
pub(crate) fn unasked(obstacle: Option<&Obstacle>, ended: &Ended) -> Unasked {
    let replaceable = |diagnosis, raw: String, why: &str| Unasked::Incompatible {
        failure: failure(diagnosis, raw),
        why: why.to_owned(),
    };
    let by_words = |otherwise, raw: String, why: &str| match rules::of_start(&raw) {
        Some(diagnosis) => Unasked::Failed(failure(diagnosis, raw)),
        None => replaceable(otherwise, raw, why),
    };
    let failed = |diagnosis| Unasked::Failed(failure(diagnosis, String::new()));
    match (ended.cause, obstacle) {
        (Cause::Cancelled, _) => failed(rules::CANCELLED),
        (Cause::Deadline, _) => failed(rules::DEADLINE),
        (_, Some(Obstacle::Refused(words))) => {
            by_words(rules::APP_SERVER, words.clone(), "it refused a request")
        }
        (_, Some(Obstacle::OtherThread(words))) => {
            Unasked::Failed(failure(rules::OTHER_THREAD, words.clone()))
        }
        (_, Some(Obstacle::Unfit(words))) => {
            replaceable(rules::APP_SERVER, (*words).to_owned(), words)
        }
        (Cause::GuardLost, None) => failed(rules::GUARD_LOST),
        (Cause::Stalled, None) => {
            replaceable(rules::APP_SERVER, stderr(ended), "it gave no answer")
        }
        (Cause::Exited | Cause::Lingered | Cause::OutputLimit, None) => {
            let early = "it ended before it was asked";
            match (ended.cause, ended.exit) {
                (Cause::Exited, Exit::Code(0)) | (Cause::OutputLimit, _) => {
                    replaceable(rules::APP_SERVER, stderr(ended), early)
                }
                (Cause::Exited, Exit::Code(2)) => {
                    replaceable(rules::COMMAND_LINE, stderr(ended), early)
                }
                (Cause::Exited, Exit::Code(1)) => by_words(rules::CRASHED, stderr(ended), early),
                (_, _) => replaceable(rules::CRASHED, stderr(ended), early),
            }
        }
    }
}

/// Whether a completed turn counts. Codex exits with 0 after one (no exception in 450 recorded
/// runs); if it does not exit, we end it, and the answer is still complete.
fn ended_after_the_turn(ended: &Ended) -> bool {
    match ended.cause {
        Cause::Exited => ended.exit == Exit::Code(0),
        Cause::Lingered | Cause::Deadline | Cause::Stalled => true,
        Cause::Cancelled | Cause::OutputLimit | Cause::GuardLost => false,
    }
}

fn answer(turn: &Turn) -> Result<Answer, AttemptFailure> {
    match turn.last_message() {
        Some(text) if !text.trim().is_empty() => Ok(Answer { text: text.to_owned() }),
        // A refusal or an empty output: Codex reports neither (codex 0.169).
        Some(_) | None => Err(failure(rules::NO_ANSWER, String::new())),
    }
}

fn failed_turn(message: &str, kind: Option<&ErrorKind>, ended: &Ended) -> AttemptFailure {
    let known = kind.and_then(rules::of_kind).or_else(|| rules::of_turn(message));
    // Errors of the app-server itself are worded like those of a failed start.
    let known = known.or_else(|| rules::of_start(message));
    let diagnosis = known.unwrap_or(rules::REQUEST_REFUSED);
    let mut failure = failure(diagnosis, message.to_owned());
    if ended.cause == Cause::Deadline {
        failure.retry = Retry::Never;
    }
    failure
}

/// The failure of a turn that did not complete, or of a process that crashed after it.
fn unfinished(turn: &Turn, ended: &Ended) -> AttemptFailure {
    match ended.cause {
        Cause::Deadline => {
            // Codex's last error explains more than the timeout.
            let struggle = struggle(turn);
            let diagnosis = struggle.map_or(rules::DEADLINE, |(diagnosis, _)| diagnosis);
            let raw = struggle.map_or_else(|| stderr(ended), |(_, text)| text.to_owned());
            AttemptFailure { retry: Retry::Never, ..failure(diagnosis, raw) }
        }
        Cause::Stalled => {
            let struggle = struggle(turn);
            let diagnosis = struggle.map_or(rules::STALLED, |(diagnosis, _)| diagnosis);
            let raw = struggle.map_or_else(|| stderr(ended), |(_, text)| text.to_owned());
            failure(diagnosis, raw)
        }
        Cause::Cancelled => failure(rules::CANCELLED, String::new()),
        Cause::OutputLimit => failure(rules::OUTPUT_LIMIT, String::new()),
        Cause::GuardLost => failure(rules::GUARD_LOST, stderr(ended)),
        Cause::Lingered => failure(rules::CRASHED, stderr(ended)),
        Cause::Exited => exited(turn, ended),
    }
}

/// The failure if Codex exited without a valid terminal event.
fn exited(turn: &Turn, ended: &Ended) -> AttemptFailure {
    let raw = match (stderr(ended), turn.last_error()) {
        (stderr, Some(error)) if stderr.is_empty() => error.to_owned(),
        (stderr, _) => stderr,
    };
    let diagnosis = match ended.exit {
        // The command line was refused before anything else was checked.
        Exit::Code(2) => rules::COMMAND_LINE,
        Exit::Code(1) => rules::of_start(&raw).unwrap_or(rules::CRASHED),
        Exit::Code(_) | Exit::Signal(_) => rules::CRASHED,
    };
    failure(diagnosis, raw)
}

/// Codex's last error from which it did not recover: the text in parentheses of
/// `Reconnecting... 2/5 (text)`, and its cause if known.
fn struggle(turn: &Turn) -> Option<(Diagnosis, &str)> {
    let error = turn.last_error()?;
    let cause = match (error.find('('), error.rfind(')')) {
        (Some(open), Some(close)) if open < close => &error[open + 1..close],
        _ => error,
    };
    let diagnosis = rules::of_turn(cause)?;
    // A silent stream is reported better by the deadline and the stall.
    (diagnosis.code != FailureCode::Stalled).then_some((diagnosis, cause))
}

/// The last lines of Codex's stderr, without those that it also prints in successful runs.
fn stderr(ended: &Ended) -> String {
    let is_noise = |line: &str| {
        line.starts_with("Reading additional input from stdin")
            || line.starts_with("Reading prompt from stdin")
            || line.trim().is_empty()
    };
    let mut room = RAW_MAX_BYTES;
    let mut kept: Vec<&str> = ended
        .stderr_tail
        .lines()
        .rev()
        .filter(|line| !is_noise(line))
        .take_while(|line| {
            let fits = line.len() < room;
            room = room.saturating_sub(line.len() + 1);
            fits
        })
        .collect();
    kept.reverse();
    kept.join("\n")
}

fn failure(diagnosis: Diagnosis, raw: String) -> AttemptFailure {
    let retry = match diagnosis.retry {
        // Use the provider's delay if it gives one, else the table's.
        Retry::After(delay) => Retry::After(rules::hinted_delay(&raw).unwrap_or(delay)),
        other => other,
    };
    AttemptFailure {
        code: diagnosis.code,
        message: diagnosis.message.to_owned(),
        raw: head(raw),
        retry,
    }
}

/// At most [`RAW_MAX_BYTES`], truncated between characters.
fn head(mut text: String) -> String {
    let end = text.floor_char_boundary(RAW_MAX_BYTES);
    text.truncate(end);
    text
}

/// Maximum accepted delay; a longer one exceeds any deadline of ours.
const HINT_MAX: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests;
