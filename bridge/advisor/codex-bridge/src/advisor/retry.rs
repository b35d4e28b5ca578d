//! Decides whether to retry a failed attempt: the retry table. Pure.
//!
//! At most two attempts, within one deadline. A failed or killed turn is never resumed, because its
//! prompt stays in the thread (codex 0.169): round 1 starts anew, round 2 forks the thread, which
//! stays as it is. A fork by `codex exec` copies the failed prompt along; one by the app-server ends at
//! the last completed turn (codex 0.169). Only a *completed* turn whose answer breaks the contract is resumed, to be repaired.

use std::time::Duration;

use backon::BackoffBuilder;
use codex_driver::Conversation;
use contract::id::{ThreadId, TurnId};

/// Least time that must be left for a second attempt: Codex alone needs about half a second, and a
/// model seconds. Less would turn a definite failure into a timeout.
pub const SECOND_ATTEMPT_MIN: Duration = Duration::from_secs(2);

/// Base of the jittered pause before a retry.
const PAUSE_MIN: Duration = Duration::from_millis(250);

/// Why the first attempt gave no advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryCause {
    /// The turn was completed, but its answer breaks the output contract.
    Unusable {
        /// The thread that holds the answer, if Codex saved it.
        thread: Option<ThreadId>,
    },
    /// The thread of round 1 is gone.
    ThreadLost,
    /// What failed may pass.
    Passing {
        /// Not before this much time.
        after: Duration,
    },
    /// Another attempt would fail in the same way.
    Final,
}

/// What the round is: where its conversation began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// No thread of an earlier round is known.
    New,
    /// Round 1's thread.
    Continued {
        /// The thread as round 1 left it.
        thread: ThreadId,
        /// Its last completed turn, where it is known: a copy that ends there has no failed prompt.
        last_turn: Option<TurnId>,
        /// Whether this Codex knows `exec fork`.
        can_fork: bool,
        /// Whether an earlier try of this round may have left its prompt in the thread.
        touched: bool,
    },
}

impl Opening {
    /// The conversation of the first attempt, and whether round 1 has to be restated in it.
    #[must_use]
    pub fn first(self) -> (Conversation, bool) {
        match self {
            Self::New => (Conversation::Fresh, true),
            Self::Continued { thread, touched: false, .. } => (Conversation::Resume(thread), false),
            Self::Continued { .. } => self.again(),
        }
    }

    /// The conversation of an attempt after a failed one, and whether round 1 has to be restated in it.
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

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// End with the failure at hand.
    GiveUp,
    /// Ask the same thread to mend its answer.
    Repair(ThreadId),
    /// Put the round's question again.
    Again {
        /// Whether the second attempt starts, resumes or forks a thread.
        conversation: Conversation,
        /// After this pause.
        pause: Duration,
        /// Whether round 1 must be told anew.
        restate: bool,
    },
}

/// Decides whether to retry, and how. `remaining` is what the deadline leaves.
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

/// One pause between `PAUSE_MIN` and twice that, so that callers who failed together do not return together.
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
