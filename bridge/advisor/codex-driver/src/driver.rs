//! One attempt: one process, from its arguments to what its end means.

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

/// Runs Codex, one process per attempt. Holds no state between attempts but what Codex keeps in
/// its home, and whether its app-server may be used.
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
    /// Whether it is to find programs: it may run some, or is a script itself.
    has_programs: bool,
    way: Way,
}

/// The home that Codex is driven in.
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
    /// By `codex app-server`, and by nothing else.
    AppServer,
    /// By `codex app-server` until an attempt does not get as far as its question; that one and all
    /// later ones are made by `codex exec`.
    Either(Fallback),
}

/// Why the app-server is not used, once it is not. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Fallback(Arc<OnceLock<String>>);

impl Fallback {
    /// From now on attempts are made by `codex exec`; `why` is for people, and has no word of Codex.
    pub fn give_up(&self, why: String) {
        // The first reason is as good as any later one.
        let _ = self.0.set(why);
    }
}

impl Driver {
    /// A driver of this Codex in this home, by `codex exec`. `extras` comes from
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

    /// A driver of this Codex in the user's own home, which is left as it is; by `codex exec`, because
    /// an app-server may note in that home that it trusts a folder (codex 0.169).
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

    /// The same, driven another way. It counts for a private home only.
    #[must_use]
    pub fn by(self, way: Way) -> Self {
        Self { way, ..self }
    }

    /// The same, with a guard that stands by for its first attempt.
    #[must_use]
    pub fn with_standby(&self, standby: Option<Standby>) -> Self {
        Self { guard: self.guard.clone().with_standby(standby), ..self.clone() }
    }

    /// How the next attempt is begun.
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

    /// Why the app-server is not used although it may be; without a word of Codex.
    #[must_use]
    pub fn why_not_app_server(&self) -> Option<&str> {
        match &self.way {
            Way::Either(fallback) => fallback.0.get().map(String::as_str),
            Way::Exec | Way::AppServer => None,
        }
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
        if self.kind() == DriverKind::AppServer {
            let talked = self.talk(&attempt, cancel, &mut progress).await;
            // Nothing was asked then, so nothing is paid twice.
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

    /// The whole environment of an attempt's process.
    fn environment(&self, attempt: &Attempt) -> Vec<(OsString, OsString)> {
        let mut env = match &self.home {
            CodexHome::Private(home) => self.of_private(home, &attempt.temp_dir, Log::Pulse),
            CodexHome::User(home) => home.environment(&attempt.temp_dir, &self.extras),
        };
        env.push(environment::marker(attempt.run_id));
        env
    }

    /// The environment of a process in the private home, without the mark of a run.
    fn of_private(&self, home: &Home, temp_dir: &Path, log: Log) -> Vec<(OsString, OsString)> {
        let env = environment::of_process(home.path(), temp_dir, log, &self.extras);
        if self.has_programs { env } else { environment::without_programs(env) }
    }
}

/// Whether the file begins as a script does; one that cannot be read is taken for none.
fn is_script(binary: &Path) -> bool {
    let mut begin = [0; 2];
    File::open(binary).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *b"#!"
}
