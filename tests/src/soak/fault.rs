//! The faults: how the stand-in for Codex misbehaves, and how its caller does.

use std::time::Duration;

use super::chance::Chance;

/// The deadlines of the runs: the shortest permitted one, and one that is enough for a slow machine.
const DEADLINE_MIN: Duration = Duration::from_secs(1);
/// See [`DEADLINE_MIN`].
const DEADLINE_MAX: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(super) struct Fault {
    /// The mode of `fake-codex`.
    pub(super) mode: &'static str,
    /// The permitted outcomes.
    pub(super) wanted: Wanted,
    /// The caller's behaviour.
    pub(super) conduct: Conduct,
    /// The run's own deadline.
    pub(super) deadline: Duration,
    /// When the caller or the killer acts.
    pub(super) moment: Duration,
}

/// The permitted outcomes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Advice, or a failure because of the deadline.
    Advice,
    /// Advice, or a failure because there was no time for the repair.
    Mended,
    /// A failure: advice would be wrong.
    Failure,
}

/// The behaviour of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conduct {
    /// Waits for the response.
    Wait,
    /// Closes the connection.
    Disconnect,
    /// Starts the run, starts it again with the same key, and polls.
    StartTwice,
    /// Starts the run and cancels it.
    Cancel,
    /// Starts the run; its guard is killed.
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
    // The repair request names no mode, so the second turn succeeds.
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

/// Waiting is the most common behaviour, so it is listed twice.
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
