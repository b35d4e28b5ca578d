//! One attempt by `codex app-server`: one process, one thread, one turn.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use contract::advice::{DriverKind, KEYS};
use contract::failure::FailureCode;
use contract::id::RunId;
use serde_json::Value;
use supervise::{Bounds, Clock, Command, Ended, Flow, Heard, Output, SpawnError, Words};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, field};

use super::end::{Told, not_started, report, without_process};
use super::{CodexHome, Driver};
use crate::app_server::exchange::{Exchange, Reaction, Text};
use crate::app_server::manuscript::Manuscript;
use crate::app_server::message::Message;
use crate::app_server::request::{Opening, Question};
use crate::attempt::{Attempt, AttemptEnd, AttemptFailure, Progress, Retry};
use crate::classify::{self, Unasked};
use crate::environment::{self, Log};
use crate::invocation::Conversation;
use crate::listening::Listening;
use crate::pulse::{Sign, Stream};

/// Timeout of each response before the question is sent. They take 70 to 270 ms (codex 0.169).
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// Timeout of a mere handshake.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// How an attempt ended, and whether the app-server is incompatible.
pub(super) struct Talked {
    pub(super) end: AttemptEnd,
    /// If set, no question was sent; the reason without text from Codex.
    pub(super) incompatible: Option<String>,
}

impl Driver {
    /// Starts like an attempt, sends no question, and checks that everything is as expected.
    ///
    /// # Errors
    /// What was not, for people, without text from Codex.
    ///
    /// # Cancel safety
    /// Dropping the future kills the process.
    pub async fn handshake(&self, workdir: &Path, temp_dir: &Path) -> Result<(), String> {
        let CodexHome::Private(home) = &self.home else {
            return Err("the user's own home is not driven this way".to_owned());
        };
        let opening =
            Opening { conversation: Conversation::Fresh, model: None, workdir, is_ephemeral: true };
        let mut exchange = Exchange::new(opening, None);
        let mut env = self.of_private(home, temp_dir, Log::Off);
        env.push(environment::marker(RunId::generate()));
        let bounds = Bounds::of_talk(Instant::now() + HANDSHAKE_LIMIT);
        let command = self.server(env, workdir);
        let mut listening = Listening::new(Stream::BoundedByCodex);
        let never = CancellationToken::new();
        let listen = Listen::new(&mut exchange, &mut listening);
        let ended = self.listen(listen, command, bounds, &never, &mut |_| {}).await;
        let ended = ended.map_err(|error| host::ErrorChain(&error).to_string())?;
        if exchange.is_open() {
            return Ok(());
        }
        match classify::unasked(exchange.obstacle(), &ended) {
            Unasked::Failed(failure) => Err(failure.message),
            Unasked::Incompatible { why, .. } => Err(why),
        }
    }

    /// One attempt by `codex app-server`.
    pub(super) async fn talk(
        &self,
        attempt: &Attempt,
        cancel: &CancellationToken,
        progress: &mut (impl FnMut(Progress) + Send),
    ) -> Talked {
        let mut listening = Listening::new(Stream::BoundedByCodex);
        let schema = match attempt.output_schema.as_deref().map(schema).transpose() {
            Ok(schema) => schema,
            Err(failure) => {
                let elapsed = listening.elapsed();
                let end = without_process(failure, elapsed, DriverKind::AppServer);
                return Talked { end, incompatible: None };
            }
        };
        let model = attempt.model.as_deref().or(match &self.home {
            CodexHome::Private(home) => home.model(),
            CodexHome::User(_) => None,
        });
        let opening = Opening {
            conversation: attempt.conversation,
            model,
            workdir: &attempt.workdir,
            is_ephemeral: false,
        };
        let question = Question {
            prompt: &attempt.prompt,
            output_schema: schema.as_ref(),
            model,
            reasoning_effort: attempt.reasoning_effort,
        };
        let mut exchange = Exchange::new(opening, Some(question));
        let command = self.server(self.environment(attempt), &attempt.workdir);
        let stall = Some(attempt.stall).filter(|_| self.has_log);
        let bounds = Bounds { stall, ..Bounds::of_talk(attempt.deadline) };
        let listen = Listen::new(&mut exchange, &mut listening);
        let span = tracing::error_span!("process", codex.pid = field::Empty);
        let talk = self.listen(listen, command, bounds, cancel, progress);
        let ended = match talk.instrument(span.clone()).await {
            Ok(ended) => ended,
            Err(error) => {
                let end = not_started(&error, listening.elapsed(), DriverKind::AppServer);
                return Talked { end, incompatible: None };
            }
        };
        let _entered = span.enter();
        let (outcome, incompatible) = match exchange.is_asked() {
            true => {
                let resumed = attempt.conversation.resumed();
                (classify::classify(&listening.turn, &ended, resumed), None)
            }
            false => match classify::unasked(exchange.obstacle(), &ended) {
                Unasked::Failed(failure) => (Err(failure), None),
                Unasked::Incompatible { failure, why } => (Err(failure), Some(why)),
            },
        };
        tracing::debug!(ignored = exchange.ignored(), "notifications that nothing here needs");
        let told = Told {
            driver: DriverKind::AppServer,
            turn_id: exchange.turn(),
            refused_requests: exchange.refused(),
        };
        Talked { end: report(listening, &ended, outcome, told), incompatible }
    }

    /// The command of a server for one turn. Its log is uncoloured text, as with `codex exec`.
    fn server(&self, mut env: Vec<(OsString, OsString)>, workdir: &Path) -> Command {
        env.push(("NO_COLOR".into(), "1".into()));
        let mut args = vec!["app-server".into()];
        if self.is_strict {
            args.push("--strict-config".into());
        }
        Command {
            program: self.installation.binary.clone(),
            args,
            env,
            current_dir: workdir.to_owned(),
            stdin: Vec::new(),
        }
    }

    async fn listen(
        &self,
        mut listen: Listen<'_, '_>,
        command: Command,
        bounds: Bounds,
        cancel: &CancellationToken,
        progress: &mut (impl FnMut(Progress) + Send),
    ) -> Result<Ended, SpawnError> {
        supervise::talk(&self.guard, command, bounds, cancel, |heard, words| match heard {
            Heard::Output(Output::Started { pid, .. }) => {
                tracing::Span::current().record("codex.pid", pid);
                progress(Progress::ProcessStarted { pid });
                say(words, &listen.exchange.greeting());
                Flow::Taken(Clock::Within(ANSWER_LIMIT))
            }
            Heard::Output(Output::Line(line)) => listen.line(line, words, progress),
            Heard::Output(Output::StderrLine(line)) => {
                match listen.listening.stderr_line(line, progress) {
                    Some(clock) if listen.exchange.is_asked() => Flow::Taken(clock),
                    Some(_) => Flow::Taken(Clock::Keep),
                    None => Flow::Continue,
                }
            }
            Heard::Ending => {
                if let Some(farewell) = listen.exchange.farewell() {
                    say(words, &farewell);
                }
                words.end();
                Flow::Continue
            }
        })
        .await
    }
}

/// Receives the output of the server.
struct Listen<'l, 'a> {
    exchange: &'l mut Exchange<'a>,
    listening: &'l mut Listening,
    manuscript: Manuscript,
}

impl<'l, 'a> Listen<'l, 'a> {
    fn new(exchange: &'l mut Exchange<'a>, listening: &'l mut Listening) -> Self {
        Self { exchange, listening, manuscript: Manuscript::new(&KEYS) }
    }
}

impl Listen<'_, '_> {
    /// Handles a line of stdout.
    fn line(
        &mut self,
        line: &[u8],
        words: &mut Words<'_>,
        progress: &mut impl FnMut(Progress),
    ) -> Flow {
        self.listening.line();
        let was_asked = self.exchange.is_asked();
        let Reaction { say: to_say, event, text, plan, is_over } =
            self.exchange.hear(Message::read(line));
        to_say.iter().for_each(|line| say(words, line));
        // Until the question is sent, each response restarts the timeout for the next one.
        let mut clock = match (was_asked, self.exchange.is_asked()) {
            (false, false) if !to_say.is_empty() => Clock::Within(ANSWER_LIMIT),
            (false, true) => Clock::Start,
            _ => Clock::Keep,
        };
        if let Some(event) = event {
            match (self.listening.event(event, progress), was_asked) {
                (Clock::Keep, _) | (_, false) => {}
                (set, true) => clock = set,
            }
        }
        if let Some(text) = text {
            match &text {
                Text::Answer(_) => self.listening.sign(Sign::Answer, progress),
                Text::Reasoning(_) | Text::Summary(_) => {
                    self.listening.sign(Sign::Thought, progress);
                }
                Text::AnswerDone | Text::PartEnded => {}
            }
            self.manuscript.take(text, |written| progress(Progress::Written(written)));
        }
        if let Some(windows) = plan {
            progress(Progress::Plan(windows));
        }
        if is_over {
            words.end();
            return Flow::Last;
        }
        Flow::Taken(clock)
    }
}

fn say(words: &mut Words<'_>, message: &Value) {
    words.say(message.to_string().as_bytes());
}

/// The schema of the answer, which this driver sends itself.
fn schema(path: &Path) -> Result<Value, AttemptFailure> {
    let text = std::fs::read(path).map_err(|error| error.to_string());
    let schema =
        text.and_then(|text| serde_json::from_slice(&text).map_err(|error| error.to_string()));
    schema.map_err(|error| AttemptFailure {
        code: FailureCode::Internal,
        message: "The schema of the answer cannot be read; this is a fault of the bridge"
            .to_owned(),
        raw: error,
        retry: Retry::Never,
    })
}
