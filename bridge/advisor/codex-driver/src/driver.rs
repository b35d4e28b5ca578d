//! Runs one attempt as one process, from its arguments to the classified result.

mod end;
mod talk;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use contract::advice::DriverKind;
use supervise::{Bounds, Command, Flow, Guard, Output, Standby};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, field};

use crate::attempt::{Attempt, AttemptEnd, Installation, Progress};
use crate::classify;
use crate::environment::{self, Log};
use crate::event::Event;
use crate::home::user::UserHome;
use crate::home::{Home, ShellAccess};
use crate::invocation::Invocation;
use crate::listening::Listening;
use crate::pulse::Stream;
use end::{Told, not_started, report};

/// Runs Codex, one process per attempt. Keeps no state between attempts but whether the app-server may be used;
/// Codex keeps its own state in its home.
#[derive(Debug, Clone)]
pub struct Driver {
    guard: Guard,
    installation: Installation,
    home: CodexHome,
    extras: Vec<(OsString, OsString)>,
    /// Whether an unknown configuration key ends a turn.
    is_strict: bool,
    /// Whether its log shows signs of life.
    has_log: bool,
    /// Whether its PATH contains programs: it may run some, or is a script itself.
    has_programs: bool,
    way: Way,
}

/// The home that Codex uses.
#[derive(Debug, Clone)]
enum CodexHome {
    Private(Home),
    User(UserHome),
}

/// How Codex is driven.
#[derive(Debug, Clone)]
pub enum Way {
    /// By `codex exec`.
    Exec,
    /// By `codex app-server` only.
    AppServer,
    /// By `codex app-server` until an attempt fails before its question is sent; that attempt and all
    /// later ones are made by `codex exec`.
    Either(Fallback),
}

/// Records why the app-server is no longer used. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Fallback(Arc<OnceLock<String>>);

impl Fallback {
    /// Switches to `codex exec`; `why` is for people, and contains no text from Codex.
    pub fn give_up(&self, why: String) {
        // The first reason is kept.
        let _ = self.0.set(why);
    }
}

impl Driver {
    /// A driver of this Codex in this home, by `codex exec`. `extras` is the result of
    /// [`environment::extras`].
    #[must_use]
    pub fn new(
        guard: Guard,
        installation: Installation,
        home: Home,
        extras: Vec<(OsString, OsString)>,
    ) -> Self {
        let has_programs = home.shell() != ShellAccess::Off || is_script(&installation.binary);
        Self {
            guard: guard.with_marker(host::environment::RUN),
            installation,
            home: CodexHome::Private(home),
            extras,
            is_strict: false,
            has_log: true,
            has_programs,
            way: Way::Exec,
        }
    }

    /// A driver of this Codex in the user's own home, which is not changed; by `codex exec`, because
    /// an app-server may record in that home that it trusts a folder (codex 0.169).
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
            has_programs: true,
            way: Way::Exec,
        }
    }

    /// The same, but an unknown configuration key ends the turn.
    #[must_use]
    pub fn with_strict_config(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// The same for a Codex whose log shows no signs of life: the stall clock never runs.
    #[must_use]
    pub fn without_log(self) -> Self {
        Self { has_log: false, ..self }
    }

    /// The same with another way of driving. Only has an effect for a private home.
    #[must_use]
    pub fn by(self, way: Way) -> Self {
        Self { way, ..self }
    }

    /// The same, with a guard process ready for its first attempt.
    #[must_use]
    pub fn with_standby(&self, standby: Option<Standby>) -> Self {
        Self { guard: self.guard.clone().with_standby(standby), ..self.clone() }
    }

    /// The driver kind of the next attempt.
    #[must_use]
    pub fn kind(&self) -> DriverKind {
        match (&self.home, &self.way) {
            (CodexHome::Private(_), Way::AppServer) => DriverKind::AppServer,
            (CodexHome::Private(_), Way::Either(fallback)) if fallback.0.get().is_none() => {
                DriverKind::AppServer
            }
            (_, _) => DriverKind::Exec,
        }
    }

    /// Why the app-server is not used although it is allowed; without text from Codex.
    #[must_use]
    pub fn why_not_app_server(&self) -> Option<&str> {
        match &self.way {
            Way::Either(fallback) => fallback.0.get().map(String::as_str),
            Way::Exec | Way::AppServer => None,
        }
    }

    /// The Codex installation.
    #[must_use]
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// The folder of its home.
    #[must_use]
    pub fn home(&self) -> &Path {
        match &self.home {
            CodexHome::Private(home) => home.path(),
            CodexHome::User(home) => home.path(),
        }
    }

    /// Runs one turn to its end. Takes no longer than until the attempt's deadline, plus the two
    /// seconds that a kill may need.
    ///
    /// # Cancel safety
    /// Dropping the future kills every process of the attempt. `cancel` ends them in an orderly way.
    pub async fn attempt(
        &self,
        attempt: Attempt,
        cancel: &CancellationToken,
        mut progress: impl FnMut(Progress) + Send,
    ) -> AttemptEnd {
        if let CodexHome::Private(home) = &self.home
            && let Err(error) = home.link_sign_in()
        {
            // If something is wrong with the sign-in, Codex reports it itself.
            tracing::warn!(error = %error, "the sign-in could not be linked");
        }
        if self.kind() == DriverKind::AppServer {
            let talked = self.talk(&attempt, cancel, &mut progress).await;
            // No question was sent, so nothing is charged twice.
            let (Way::Either(fallback), Some(why)) = (&self.way, talked.incompatible) else {
                return talked.end;
            };
            tracing::warn!("codex is driven by codex exec from now on: {why}");
            fallback.give_up(why);
        }
        self.exec(attempt, cancel, progress).await
    }

    /// One attempt by `codex exec`.
    async fn exec(
        &self,
        attempt: Attempt,
        cancel: &CancellationToken,
        mut progress: impl FnMut(Progress) + Send,
    ) -> AttemptEnd {
        let resumed = attempt.conversation.resumed();
        let stall = Some(attempt.stall).filter(|_| self.has_log);
        let bounds = Bounds { stall, ..Bounds::until(attempt.deadline) };
        let command = self.exec_command(attempt);
        let mut listening = Listening::new(match &self.home {
            CodexHome::Private(_) => Stream::BoundedByCodex,
            CodexHome::User(_) => Stream::BoundedByUs,
        });
        let span = tracing::error_span!("process", codex.pid = field::Empty);
        let process = span.clone();
        let ended = supervise::run(&self.guard, command, bounds, cancel, |output| match output {
            Output::Started { pid, .. } => {
                process.record("codex.pid", pid);
                progress(Progress::ProcessStarted { pid });
                Flow::Continue
            }
            Output::Line(line) => {
                listening.line();
                let clock = listening.event(Event::read(line), &mut progress);
                if listening.turn.terminal().is_some() { Flow::Last } else { Flow::Taken(clock) }
            }
            Output::StderrLine(line) => {
                listening.stderr_line(line, &mut progress).map_or(Flow::Continue, Flow::Taken)
            }
        })
        .instrument(span.clone())
        .await;
        let _entered = span.enter();
        match ended {
            Ok(ended) => {
                let outcome = classify::classify(&listening.turn, &ended, resumed);
                report(listening, &ended, outcome, Told::by_exec())
            }
            Err(error) => not_started(&error, listening.elapsed(), DriverKind::Exec),
        }
    }

    fn exec_command(&self, attempt: Attempt) -> Command {
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
        Command {
            program: self.installation.binary.clone(),
            args,
            env: self.environment(&attempt),
            current_dir: attempt.workdir,
            stdin: attempt.prompt.into_bytes(),
        }
    }

    /// The environment of an attempt's process.
    fn environment(&self, attempt: &Attempt) -> Vec<(OsString, OsString)> {
        let mut env = match &self.home {
            CodexHome::Private(home) => self.of_private(home, &attempt.temp_dir, Log::Pulse),
            CodexHome::User(home) => home.environment(&attempt.temp_dir, &self.extras),
        };
        env.push(environment::marker(attempt.run_id));
        env
    }

    /// The environment of a process in the private home, without the marker of a run.
    fn of_private(&self, home: &Home, temp_dir: &Path, log: Log) -> Vec<(OsString, OsString)> {
        let env = environment::of_process(home.path(), temp_dir, log, &self.extras);
        if self.has_programs { env } else { environment::without_programs(env) }
    }
}

/// Whether the file begins like a script; false if it cannot be read.
fn is_script(binary: &Path) -> bool {
    let mut begin = [0; 2];
    File::open(binary).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *b"#!"
}
