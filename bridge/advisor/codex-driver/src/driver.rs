//! One attempt: one process, from its arguments to what its end means.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use supervise::{Bounds, Command, Ended, Flow, Guard, Output, SpawnError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, field};

use crate::attempt::{Attempt, AttemptEnd, Installation, Progress};
use crate::classify;
use crate::environment::{self, Log};
use crate::event::Event;
use crate::home::Home;
use crate::home::user::UserHome;
use crate::invocation::Invocation;
use crate::narration::Narration;
use crate::pulse::{Pulse, Stream};
use crate::turn::{Reach, Turn};

/// Runs Codex, one process per attempt. Holds no state between attempts but what Codex keeps in
/// its home.
#[derive(Debug, Clone)]
pub struct Driver {
    guard: Guard,
    installation: Installation,
    home: CodexHome,
    extras: Vec<(OsString, OsString)>,
    /// Whether an unknown key of the configuration ends a turn.
    is_strict: bool,
    /// Whether its log tells of liveness.
    has_log: bool,
}

/// The home that Codex is driven in.
#[derive(Debug, Clone)]
enum CodexHome {
    Private(Home),
    User(UserHome),
}

impl Driver {
    /// A driver of this Codex in this home. `extras` comes from [`environment::extras`].
    #[must_use]
    pub fn new(
        guard: Guard,
        installation: Installation,
        home: Home,
        extras: Vec<(OsString, OsString)>,
    ) -> Self {
        Self {
            guard: guard.with_marker(host::environment::RUN),
            installation,
            home: CodexHome::Private(home),
            extras,
            is_strict: false,
            has_log: true,
        }
    }

    /// A driver of this Codex in the user's own home, which is left as it is.
    #[must_use]
    pub fn of_user(
        guard: Guard,
        installation: Installation,
        home: UserHome,
        extras: Vec<(OsString, OsString)>,
    ) -> Self {
        Self {
            guard: guard.with_marker(host::environment::RUN),
            installation,
            home: CodexHome::User(home),
            extras,
            is_strict: false,
            has_log: true,
        }
    }

    /// The same, but a key of the configuration that Codex does not know ends the turn.
    #[must_use]
    pub fn with_strict_config(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// The same for a Codex whose log does not tell of liveness: no clock of ours runs.
    #[must_use]
    pub fn without_log(self) -> Self {
        Self { has_log: false, ..self }
    }

    /// The Codex that is driven.
    #[must_use]
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// The folder of the home it is driven in.
    #[must_use]
    pub fn home(&self) -> &Path {
        match &self.home {
            CodexHome::Private(home) => home.path(),
            CodexHome::User(home) => home.path(),
        }
    }

    /// Runs one turn to its end. Never takes longer than the attempt's deadline and the two
    /// seconds that a kill may need.
    ///
    /// # Cancel safety
    /// Dropping the future kills every process of the attempt. `cancel` does so in order.
    pub async fn attempt(
        &self,
        attempt: Attempt,
        cancel: &CancellationToken,
        mut progress: impl FnMut(Progress) + Send,
    ) -> AttemptEnd {
        if let CodexHome::Private(home) = &self.home
            && let Err(error) = home.link_sign_in()
        {
            // Codex itself says what is wrong with its sign-in, if anything is.
            tracing::warn!(error = %error, "the sign-in could not be linked");
        }
        let resumed = attempt.conversation.resumed();
        let stall = Some(attempt.stall).filter(|_| self.has_log);
        let bounds = Bounds { stall, ..Bounds::until(attempt.deadline) };
        let command = self.command(attempt);
        let started = Instant::now();
        let mut turn = Turn::default();
        let mut narration = Narration::default();
        let mut pulse = Pulse::new(match &self.home {
            CodexHome::Private(_) => Stream::BoundedByCodex,
            CodexHome::User(_) => Stream::BoundedByUs,
        });
        let mut first_event = None;
        let span = tracing::error_span!("process", codex.pid = field::Empty);
        let process = span.clone();
        let ended = supervise::run(&self.guard, command, bounds, cancel, |output| match output {
            Output::Started { pid, .. } => {
                process.record("codex.pid", pid);
                progress(Progress::ProcessStarted { pid });
                Flow::Continue
            }
            Output::Line(line) => {
                first_event.get_or_insert_with(|| started.elapsed());
                let event = Event::read(line);
                if let Some(text) = narration.event(&event) {
                    progress(Progress::Message { text });
                }
                if let Some(step) = step(&event) {
                    progress(step);
                }
                let heard = pulse.event(&event);
                if let Some(sign) = heard.sign {
                    progress(Progress::Sign(sign));
                }
                turn.apply(event);
                if turn.terminal().is_some() { Flow::Last } else { Flow::Taken(heard.clock) }
            }
            Output::StderrLine(line) => {
                let Some(heard) = pulse.stderr_line(line) else { return Flow::Continue };
                // What is read behind the turn's end was written before it.
                if let Some(sign) = heard.sign.filter(|_| turn.terminal().is_none()) {
                    progress(Progress::Sign(sign));
                }
                Flow::Taken(heard.clock)
            }
        })
        .instrument(span.clone())
        .await;
        let _entered = span.enter();
        match ended {
            Ok(ended) => {
                let outcome = classify::classify(&turn, &ended, resumed);
                tracing::debug!(
                    codex.exit = ?ended.exit,
                    codex.thread_id = turn.thread_id().map(field::display),
                    duration_ms = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
                    stdout_bytes = ended.stdout_bytes,
                    "codex has ended",
                );
                report(turn, &ended, outcome, Seen { first_event, log_records: pulse.records() })
            }
            Err(error) => not_started(&error, started.elapsed()),
        }
    }

    fn command(&self, attempt: Attempt) -> Command {
        let overrides = match &self.home {
            CodexHome::Private(_) => &[],
            CodexHome::User(home) => home.overrides(),
        };
        let invocation = Invocation {
            conversation: attempt.conversation,
            model: attempt.model.as_deref(),
            reasoning_effort: attempt.reasoning_effort,
            output_schema: attempt.output_schema.as_deref(),
            sandbox: attempt.sandbox,
            is_strict: self.is_strict,
            overrides,
            workdir: &attempt.workdir,
        };
        let args = invocation.arguments();
        let mut env = match &self.home {
            CodexHome::Private(home) => {
                environment::of_process(home.path(), &attempt.temp_dir, Log::Pulse, &self.extras)
            }
            CodexHome::User(home) => home.environment(&attempt.temp_dir, &self.extras),
        };
        env.push(environment::marker(attempt.run_id));
        Command {
            program: self.installation.binary.clone(),
            args,
            env,
            current_dir: attempt.workdir,
            stdin: attempt.prompt.into_bytes(),
        }
    }
}

/// What of an event is worth showing.
fn step(event: &Event) -> Option<Progress> {
    match event {
        Event::ThreadStarted { thread_id } => {
            Some(Progress::ThreadStarted { thread_id: *thread_id })
        }
        Event::TurnStarted => Some(Progress::TurnStarted),
        Event::AgentMessage { .. } => {
            Some(Progress::Item { kind: "agent_message".to_owned(), subject: None })
        }
        Event::Item { kind, subject, .. } => {
            Some(Progress::Item { kind: kind.clone(), subject: subject.clone() })
        }
        Event::Error { message } => Some(Progress::Reconnecting { message: message.clone() }),
        Event::TurnCompleted { .. } => Some(Progress::TurnCompleted),
        Event::Warning { .. }
        | Event::TurnFailed { .. }
        | Event::Unknown { .. }
        | Event::Malformed
        | Event::Blank => None,
    }
}

/// What the reader saw beside the turn.
struct Seen {
    first_event: Option<Duration>,
    log_records: u64,
}

fn report(
    turn: Turn,
    ended: &Ended,
    outcome: Result<crate::Answer, crate::AttemptFailure>,
    seen: Seen,
) -> AttemptEnd {
    AttemptEnd {
        outcome,
        thread_id: turn.thread_id(),
        usage_total: turn.usage(),
        transcript_saved: turn.transcript_saved(),
        warnings: turn.warnings().to_vec(),
        reach: turn.reach(),
        first_event: seen.first_event,
        log_records: seen.log_records,
        duration: ended.duration,
        exit: Some(ended.exit),
        signal: ended.signal,
        stdout_bytes: ended.stdout_bytes,
        skipped_lines: turn.malformed_lines() + ended.long_lines,
    }
}

fn not_started(error: &SpawnError, duration: Duration) -> AttemptEnd {
    AttemptEnd {
        outcome: Err(classify::not_started(error)),
        thread_id: None,
        usage_total: None,
        transcript_saved: true,
        warnings: Vec::new(),
        reach: Reach::NotAsked,
        first_event: None,
        log_records: 0,
        duration,
        exit: None,
        signal: None,
        stdout_bytes: 0,
        skipped_lines: 0,
    }
}
