//! What can go wrong: how the stand-in for Codex behaves, and how its caller does.

use std::time::Duration;

use super::chance::Chance;

/// Deadlines of the runs: the shortest that is allowed, and enough for a slow machine to answer.
const DEADLINE_MIN: Duration = Duration::from_secs(1);
/// See [`DEADLINE_MIN`].
const DEADLINE_MAX: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(super) struct Fault {
    /// What `fake-codex` is told to do.
    pub(super) mode: &'static str,
    /// What the bridge may make of that.
    pub(super) wanted: Wanted,
    /// What the caller does.
    pub(super) conduct: Conduct,
    /// The run's own deadline.
    pub(super) deadline: Duration,
    /// When the caller or the killer strikes.
    pub(super) moment: Duration,
}

/// What may come of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Advice, or a failure for lack of time.
    Advice,
    /// Advice, or a failure because no time was left to have it mended.
    Mended,
    /// A failure: advice would be a lie.
    Failure,
}

/// How a caller behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conduct {
    /// Waits for the answer.
    Wait,
    /// Goes away without a word.
    Disconnect,
    /// Starts the run, asks for it again under the same key, and polls.
    StartTwice,
    /// Starts the run and cancels it.
    Cancel,
    /// Starts the run; somebody kills its guard.
    KillGuard,
}

const MODES: &[(&str, Wanted)] = &[
    ("ok", Wanted::Advice),
    ("ok-after 300", Wanted::Advice),
    ("fenced", Wanted::Advice),
    ("chatty", Wanted::Advice),
    ("badutf8", Wanted::Advice),
    ("notjson", Wanted::Advice),
    ("unknown-events", Wanted::Advice),
    ("duplicate-keys", Wanted::Advice),
    ("warnings", Wanted::Advice),
    // The request to mend an answer names no mode, so the second turn is in order.
    ("badschema", Wanted::Mended),
    ("empty-text", Wanted::Mended),
    ("exit0nomsg", Wanted::Mended),
    ("text no advice at all", Wanted::Mended),
    ("transcript-not-saved", Wanted::Advice),
    ("longline 4000000", Wanted::Advice),
    ("stderrflood 4000000", Wanted::Advice),
    ("closestdout-live", Wanted::Advice),
    ("linger", Wanted::Advice),
    ("forkbomb 6", Wanted::Advice),
    ("hang", Wanted::Failure),
    ("hang-after-thread", Wanted::Failure),
    ("slow-drip 5", Wanted::Failure),
    ("ignoreterm", Wanted::Failure),
    ("tree 4", Wanted::Failure),
    ("reconnecting", Wanted::Failure),
    ("diemid", Wanted::Failure),
    ("flood 100000000", Wanted::Failure),
    ("closestdout-nomsg", Wanted::Failure),
    ("exit0silent", Wanted::Failure),
    ("exit1-auth", Wanted::Failure),
    ("exit 1", Wanted::Failure),
    ("exit 2 error: unexpected argument", Wanted::Failure),
    ("exit 101", Wanted::Failure),
    ("turnfailed something new", Wanted::Failure),
    ("message-then-turnfailed something new", Wanted::Failure),
];

/// Waiting is the usual thing, so it comes twice.
const CONDUCTS: &[Conduct] = &[
    Conduct::Wait,
    Conduct::Wait,
    Conduct::Disconnect,
    Conduct::StartTwice,
    Conduct::Cancel,
    Conduct::KillGuard,
];

impl Fault {
    /// The next fault.
    pub(super) fn pick(chance: &mut Chance) -> Self {
        let (mode, wanted) = *chance.pick(MODES);
        let deadline = chance.duration(DEADLINE_MIN, DEADLINE_MAX);
        Self {
            mode,
            wanted,
            conduct: *chance.pick(CONDUCTS),
            deadline,
            moment: chance.duration(Duration::ZERO, deadline / 2),
        }
    }
}
