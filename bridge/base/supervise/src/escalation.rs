//! How a child process is killed: SIGINT, a grace period, SIGKILL to everything, SIGKILL to the guard.

use std::time::Duration;

use tokio::time::Instant;

use crate::command::{Bounds, Clock};
use crate::end::{Cause, Exit, SignalSent};

/// How long the guard may take to end all processes after the control channel is closed. It takes 1 to 50 ms.
const KILL_LIMIT: Duration = Duration::from_millis(700);
/// How long a killed guard may take to disappear, before the run ends without it.
const GONE_LIMIT: Duration = Duration::from_millis(400);
/// How long the pipes may stay open after all processes have ended.
const DRAIN_LIMIT: Duration = Duration::from_millis(500);

/// The next action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing.
    Wait,
    /// Order the guard to interrupt the program.
    Interrupt,
    /// Close the control channel.
    Kill,
    KillGuard,
    /// Stop waiting for anything.
    GiveUp,
}

/// The phase of the escalation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The program runs undisturbed.
    Running,
    /// SIGINT was sent.
    Interrupted { until: Instant },
    /// The guard is killing all processes.
    Closing { until: Instant },
    /// The guard was killed.
    Abandoned { until: Instant },
    /// The guard is reaped; only the pipes have to be read to their end.
    Gone { until: Instant },
}

/// State machine of one run's end: the time of the next alarm, and its action.
#[derive(Debug)]
pub(crate) struct Escalation {
    bounds: Bounds,
    /// The current phase.
    phase: Phase,
    /// When the stall clock expires, while it runs.
    stalls_at: Option<Instant>,
    /// When the program must have exited, because nothing more is expected of it.
    linger_until: Option<Instant>,
    /// Why the run ended, once known.
    cause: Option<Cause>,
    /// How the program ended, once reported.
    exit: Option<Exit>,
    /// The strongest signal sent.
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

    /// Handles the alarm.
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

    /// Whether nothing was done to end the program yet.
    pub(crate) fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Whether the guard is reaped.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.phase, Phase::Gone { .. })
    }

    /// The caller cancelled the run.
    pub(crate) fn cancel(&mut self, now: Instant) -> Step {
        self.interrupt(Cause::Cancelled, now)
    }

    /// Too much was printed: SIGKILL without SIGINT.
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

    /// Nothing more is expected: the last line was read, or stdout was closed.
    pub(crate) fn expect_exit(&mut self, now: Instant) {
        self.linger_until.get_or_insert(now + self.bounds.exit_grace);
    }

    /// The guard reported how the program ended; it is ending the remaining processes.
    pub(crate) fn exited(&mut self, exit: Exit, now: Instant) {
        self.exit.get_or_insert(exit);
        self.cause.get_or_insert(Cause::Exited);
        if let Phase::Running | Phase::Interrupted { .. } = self.phase {
            self.phase = Phase::Closing { until: now + KILL_LIMIT };
        }
    }

    /// The guard is reaped, with its own exit if known.
    pub(crate) fn gone(&mut self, guard: Option<Exit>, now: Instant) {
        self.cause.get_or_insert(Cause::GuardLost);
        if self.exit.is_none() {
            self.exit = guard;
        }
        self.phase = Phase::Gone { until: now + DRAIN_LIMIT };
    }

    /// The result: cause, exit and strongest signal.
    pub(crate) fn outcome(self) -> (Cause, Exit, Option<SignalSent>) {
        // If the guard was not reaped, SIGKILL was the last signal.
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
