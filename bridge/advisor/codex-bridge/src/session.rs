//! The rules of a session: at most two rounds, `initial` before `final`, one run in flight.
//!
//! Pure: facts in, a round or a refusal out. The store asks it inside the transaction that takes
//! the lease, so nothing changes between the question and the answer.
//!
//! A round counts once it is answered with advice. A failed, cancelled or interrupted run gives
//! its round back, and the caller may ask it again in the same session. A `final` that opens a
//! session is the stateless form: the session has that one round and no other.

use contract::id::RunId;
use contract::input::Phase;
use contract::limits::ROUNDS_MAX;
use jiff::Timestamp;

/// What the rules need to know of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFacts {
    /// The phase of the run that opened it.
    pub opening: Phase,
    /// Rounds answered with advice.
    pub rounds_used: u8,
    /// The run in flight.
    pub leased_to: Option<RunId>,
    /// From this moment on it is refused.
    pub expires_at: Timestamp,
}

impl SessionFacts {
    /// Rounds that may still be asked: 0 to 2.
    #[must_use]
    pub fn rounds_left(&self) -> u8 {
        rounds_of(self.opening).saturating_sub(self.rounds_used)
    }
}

/// A round that may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// 1 or 2.
    pub number: u8,
    /// Rounds that are left once this one is answered: 0 or 1.
    pub left_after: u8,
}

/// Why a request does not become a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No session has this id.
    #[error("no such session; omit session_id to open one")]
    UnknownSession,
    /// The session is past its time to live.
    #[error("the session expired at {expired_at:.3}; omit session_id to open a new one")]
    SessionExpired {
        /// When that was.
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
        /// The phase that would be accepted.
        expected: Phase,
        /// The phase that was asked for.
        given: Phase,
    },
    /// Every round of the session is used.
    #[error("every round of this session is used; decide now, and park what is open as a task")]
    RoundLimit,
    /// The idempotency key belongs to a run with another body.
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
/// The order of the rules is the order of what the caller can do: an expired session is over
/// whatever else holds, and a busy one may change its answer to everything after.
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

/// How many rounds a session opened by this phase has in all.
fn rounds_of(opening: Phase) -> u8 {
    match opening {
        Phase::Initial => ROUNDS_MAX,
        Phase::Final => 1,
    }
}

#[cfg(test)]
mod tests;
