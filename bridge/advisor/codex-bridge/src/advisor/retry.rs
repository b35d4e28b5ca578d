//! Decides whether to retry a failed attempt: the retry table. Pure.
//!
//! At most two attempts, within one deadline. A failed or killed turn is never resumed, because its
//! prompt stays in the thread (codex 0.169): round 1 starts a new thread, round 2 forks the thread and leaves
//! the original unchanged. A fork by `codex exec` also copies the failed prompt; a fork by the app-server ends at
//! the last completed turn (codex 0.169). Only a *completed* turn whose answer breaks the contract is resumed, for
//! the repair turn.

use std::time::Duration;

use backon::BackoffBuilder;
use codex_driver::Conversation;
use contract::id::{ThreadId, TurnId};

/// Minimum time left for a second attempt: Codex alone needs about half a second, and a
/// model needs seconds. With less, a definite failure would become a timeout.
pub const SECOND_ATTEMPT_MIN: Duration = Duration::from_secs(2);

/// Minimum of the jittered pause before a retry.
const PAUSE_MIN: Duration = Duration::from_millis(250);

/// Why the first attempt produced no answer, as far as a retry depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryCause {
    /// The turn was completed, but its answer breaks the output contract.
    Unusable {
        /// The thread that holds the answer, if Codex saved it.
        thread: Option<ThreadId>,
    },
    /// The thread of round 1 no longer exists.
    ThreadLost,
    /// A transient failure.
    Passing {
        /// Minimum wait before the retry.
        after: Duration,
    },
    /// Another attempt would fail the same way.
    Final,
}

/// The conversation with which a round starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// No thread of an earlier round is known.
    New,
    /// Round 1's thread.
    Continued {
        /// The thread as round 1 left it.
        thread: ThreadId,
        /// Its last completed turn, where known: a copy that ends there does not contain a failed prompt.
        last_turn: Option<TurnId>,
        /// Whether this Codex version supports `exec fork`.
        can_fork: bool,
        /// Whether an earlier attempt of this round may have left its prompt in the thread.
        touched: bool,
    },
}

impl Opening {
    /// The conversation of the first attempt, and whether its prompt has to restate round 1.
    #[must_use]
    pub fn first(self) -> (Conversation, bool) {
        match self {
            Self::New => (Conversation::Fresh, true),
            Self::Continued { thread, touched: false, .. } => (Conversation::Resume(thread), false),
            Self::Continued { .. } => self.again(),
        }
    }

    /// The conversation of an attempt after a failed one, and whether its prompt has to restate round 1.
    fn again(self) -> (Conversation, bool) {
        match self {
            Self::New => (Conversation::Fresh, true),
            Self::Continued { thread, last_turn, can_fork: true, .. } => {
                (Conversation::Fork { thread, last_turn }, false)
            }
            Self::Continued { can_fork: false, .. } => (Conversation::Fresh, true),
        }
    }
}

/// The decision after a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Return the failure.
    GiveUp,
    /// Ask the same thread to correct its answer.
    Repair(ThreadId),
    /// Ask the round's question again.
    Again {
        /// Whether the second attempt starts, resumes or forks a thread.
        conversation: Conversation,
        /// Pause before the second attempt.
        pause: Duration,
        /// Whether the prompt must restate round 1.
        restate: bool,
    },
}

/// Decides whether and how to retry. `remaining` is the time until the deadline.
#[must_use]
pub fn after(trouble: &RetryCause, opening: Opening, remaining: Duration) -> Next {
    let pause = match trouble {
        RetryCause::Unusable { .. } | RetryCause::ThreadLost => Duration::ZERO,
        RetryCause::Passing { after } => *after + jittered(),
        RetryCause::Final => return Next::GiveUp,
    };
    if remaining < pause + SECOND_ATTEMPT_MIN {
        return Next::GiveUp;
    }
    let (conversation, restate) = match trouble {
        RetryCause::Unusable { thread: Some(thread) } => return Next::Repair(*thread),
        RetryCause::ThreadLost => (Conversation::Fresh, true),
        _ => opening.again(),
    };
    Next::Again { conversation, pause, restate }
}

/// A random pause between `PAUSE_MIN` and twice that, so that callers who failed together do not retry together.
fn jittered() -> Duration {
    backon::ExponentialBuilder::default()
        .with_min_delay(PAUSE_MIN)
        .with_max_times(1)
        .with_jitter()
        .build()
        .next()
        .unwrap_or(PAUSE_MIN)
}

#[cfg(test)]
mod tests;
