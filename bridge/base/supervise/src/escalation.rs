//! How a child process is killed: SIGINT, a grace period, SIGKILL to everything, SIGKILL to the guard.

use std::time::Duration;

use tokio::time::Instant;

use crate::command::{Bounds, Clock};
use crate::end::{Cause, Exit, SignalSent};

/// How long the guard has to end everything once the control channel is closed. It takes 1 to 50 ms.
const KILL_LIMIT: Duration = Duration::from_millis(700);
/// How long a guard that was killed itself may take to be gone, before the run ends without it.
const GONE_LIMIT: Duration = Duration::from_millis(400);
/// How long the pipes may stay open after everything is dead.
const DRAIN_LIMIT: Duration = Duration::from_millis(500);

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing.
    Wait,
    /// Send the order to interrupt.
    Interrupt,
    /// Close the control channel.
    Kill,
    KillGuard,
    /// Stop waiting for anything.
    GiveUp,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The program runs as it likes.
    Running,
    /// SIGINT was sent.
    Interrupted { until: Instant },
    /// The guard is ending everything.
    Closing { until: Instant },
    /// The guard was killed.
    Abandoned { until: Instant },
    /// The guard is reaped; only the pipes are left to be read.
    Gone { until: Instant },
}

/// The state of one run's end: which alarm is next, and what it means.
#[derive(Debug)]
pub(crate) struct Escalation {
    bounds: Bounds,
    /// How far it has come.
    phase: Phase,
    /// When the stall clock will have run out, while it runs.
    stalls_at: Option<Instant>,
    /// When the program must be gone because nothing more is expected of it.
    linger_until: Option<Instant>,
    /// Why the run is over, once it is.
    cause: Option<Cause>,
    /// How the program ended, once reported.
    exit: Option<Exit>,
    /// The hardest thing that was done.
    signal: Option<SignalSent>,
}

impl Escalation {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            phase: Phase::Running,
            stalls_at: None,
            linger_until: None,
            cause: None,
            exit: None,
            signal: None,
        }
    }

    /// When [`Escalation::alarm`] is to be called next.
    pub(crate) fn next_alarm(&self) -> Instant {
        match self.phase {
            Phase::Running => {
                let alarms = [self.stalls_at, self.linger_until];
                alarms.into_iter().flatten().fold(self.bounds.deadline, Instant::min)
            }
            Phase::Interrupted { until }
            | Phase::Closing { until }
            | Phase::Abandoned { until }
            | Phase::Gone { until } => until,
        }
    }

    /// The time of the alarm has come.
    pub(crate) fn alarm(&mut self, now: Instant) -> Step {
        match self.phase {
            Phase::Running if now >= self.bounds.deadline => self.interrupt(Cause::Deadline, now),
            Phase::Running if self.linger_until.is_some_and(|until| now >= until) => {
                self.kill(Cause::Lingered, now)
            }
            Phase::Running => self.interrupt(Cause::Stalled, now),
            Phase::Interrupted { .. } => self.close(now),
            Phase::Closing { .. } => {
                self.phase = Phase::Abandoned { until: now + GONE_LIMIT };
                Step::KillGuard
            }
            Phase::Abandoned { .. } | Phase::Gone { .. } => Step::GiveUp,
        }
    }

    /// Whether nothing was done against the program yet.
    pub(crate) fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Whether the guard is reaped.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.phase, Phase::Gone { .. })
    }

    /// The caller does not want the run any more.
    pub(crate) fn cancel(&mut self, now: Instant) -> Step {
        self.interrupt(Cause::Cancelled, now)
    }

    /// Too much was printed. There is no point in asking kindly.
    pub(crate) fn overflow(&mut self, now: Instant) -> Step {
        if self.is_running() { self.kill(Cause::OutputLimit, now) } else { Step::Wait }
    }

    /// The reader sets the stall clock.
    pub(crate) fn set_clock(&mut self, clock: Clock, now: Instant) {
        match clock {
            Clock::Keep => {}
            Clock::Start => self.stalls_at = self.bounds.stall.map(|stall| now + stall),
            Clock::Within(limit) => self.stalls_at = Some(now + limit),
            Clock::Stop => self.stalls_at = None,
        }
    }

    /// Nothing more is expected: the last line was seen, or stdout was closed.
    pub(crate) fn expect_exit(&mut self, now: Instant) {
        self.linger_until.get_or_insert(now + self.bounds.exit_grace);
    }

    /// The guard reported how the program ended; it is ending the rest.
    pub(crate) fn exited(&mut self, exit: Exit, now: Instant) {
        self.exit.get_or_insert(exit);
        self.cause.get_or_insert(Cause::Exited);
        if let Phase::Running | Phase::Interrupted { .. } = self.phase {
            self.phase = Phase::Closing { until: now + KILL_LIMIT };
        }
    }

    /// The guard is reaped, with its own exit where that is known.
    pub(crate) fn gone(&mut self, guard: Option<Exit>, now: Instant) {
        self.cause.get_or_insert(Cause::GuardLost);
        if self.exit.is_none() {
            self.exit = guard;
        }
        self.phase = Phase::Gone { until: now + DRAIN_LIMIT };
    }

    /// The end: why, how, and what it took.
    pub(crate) fn outcome(self) -> (Cause, Exit, Option<SignalSent>) {
        // Not reaped at all: what was sent last is SIGKILL.
        (self.cause.unwrap_or(Cause::GuardLost), self.exit.unwrap_or(Exit::Signal(9)), self.signal)
    }

    fn interrupt(&mut self, cause: Cause, now: Instant) -> Step {
        self.cause = Some(cause);
        self.signal = Some(SignalSent::Interrupt);
        self.phase = Phase::Interrupted { until: now + self.bounds.grace };
        Step::Interrupt
    }

    fn kill(&mut self, cause: Cause, now: Instant) -> Step {
        self.cause = Some(cause);
        self.close(now)
    }

    fn close(&mut self, now: Instant) -> Step {
        self.signal = Some(SignalSent::Kill);
        self.phase = Phase::Closing { until: now + KILL_LIMIT };
        Step::Kill
    }
}

#[cfg(test)]
mod tests;
