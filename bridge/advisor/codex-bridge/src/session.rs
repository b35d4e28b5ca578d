//! The rules of a session: at most two rounds, `initial` before `final`, one run in flight.
//!
//! Pure: takes facts, returns a round or a refusal. The store calls it inside the transaction that takes
//! the lease, so the facts cannot change in between.
//!
//! A round is used once it is answered with advice. After a failed, cancelled or interrupted run,
//! the round can be asked again in the same session. A session that is opened by a `final` request
//! is the stateless form and has only that one round.

use contract::id::RunId;
use contract::input::Phase;
use contract::limits::ROUNDS_MAX;
use jiff::Timestamp;

/// The facts about a session that the rules depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFacts {
    /// The phase of the run that opened it.
    pub opening: Phase,
    /// Rounds answered with advice.
    pub rounds_used: u8,
    /// The run in flight.
    pub leased_to: Option<RunId>,
    /// From this time on requests are refused.
    pub expires_at: Timestamp,
}

impl SessionFacts {
    /// Rounds that can still be asked: 0 to 2.
    #[must_use]
    pub fn rounds_left(&self) -> u8 {
        rounds_of(self.opening).saturating_sub(self.rounds_used)
    }
}

/// A permitted round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// 1 or 2.
    pub number: u8,
    /// Rounds left after this one is answered: 0 or 1.
    pub left_after: u8,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No session has this id.
    #[error("no such session; omit session_id to open one")]
    UnknownSession,
    /// The session has expired.
    #[error("the session expired at {expired_at:.3}; omit session_id to open a new one")]
    SessionExpired {
        /// When it expired.
        expired_at: Timestamp,
    },
    /// The session has a run in flight.
    #[error("run {run_id} of this session is still in flight; wait for it or cancel it")]
    SessionBusy {
        /// The run that is in flight.
        run_id: RunId,
    },
    /// The phase does not fit the session's next round.
    #[error("the next round of this session is {}, not {}", expected.as_str(), given.as_str())]
    PhaseOrder {
        /// The accepted phase.
        expected: Phase,
        /// The requested phase.
        given: Phase,
    },
    /// All rounds of the session are used.
    #[error("every round of this session is used; decide now, and park what is open as a task")]
    RoundLimit,
    /// The idempotency key belongs to a run with a different body.
    #[error("this idempotency key was used with another body, by run {run_id}")]
    IdempotencyConflict {
        /// The run that the key belongs to.
        run_id: RunId,
    },
}

/// The round that a request without `session_id` opens.
#[must_use]
pub fn open(phase: Phase) -> Round {
    Round { number: 1, left_after: rounds_of(phase).saturating_sub(1) }
}

/// The round that a request for an existing session gets.
///
/// The rules are checked in this order because an expired session stays expired, and a busy one may change the
/// result of all later rules.
///
/// # Errors
/// Every [`Refusal`] but `UnknownSession` and `IdempotencyConflict`, which the store finds itself.
pub fn continue_with(
    session: &SessionFacts,
    phase: Phase,
    now: Timestamp,
) -> Result<Round, Refusal> {
    if now >= session.expires_at {
        return Err(Refusal::SessionExpired { expired_at: session.expires_at });
    }
    if let Some(run_id) = session.leased_to {
        return Err(Refusal::SessionBusy { run_id });
    }
    if session.rounds_left() == 0 {
        return Err(Refusal::RoundLimit);
    }
    let expected = match session.rounds_used {
        0 => session.opening,
        _ => Phase::Final,
    };
    if phase != expected {
        return Err(Refusal::PhaseOrder { expected, given: phase });
    }
    Ok(Round {
        number: session.rounds_used + 1,
        left_after: session.rounds_left().saturating_sub(1),
    })
}

/// Number of rounds of a session opened by this phase.
fn rounds_of(opening: Phase) -> u8 {
    match opening {
        Phase::Initial => ROUNDS_MAX,
        Phase::Final => 1,
    }
}

#[cfg(test)]
mod tests;
