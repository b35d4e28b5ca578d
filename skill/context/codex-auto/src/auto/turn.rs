//! Plays one turn: calls the orchestrator for the prompt, then the bridge; Ctrl-C stops it.

use std::time::{Duration, Instant};

use client::{Client, TurnNews};
use contract::event::{self, Entry, Event};
use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use contract::orchestrate::{Mode, OrchestrateInput, Orchestration, TurnReport};
use contract::outcome::Outcome;
use host::environment::Environment;
use orchestration::limits;
use orchestration::report::Client as Asker;
use tokio::sync::mpsc;
use tokio::time::{Instant as Point, MissedTickBehavior, interval};

use super::conversation::{Conversation, note_of};
use super::progress::Progress;
use super::stop::Stops;
use crate::enrich::{Enriched, enrich, unasked};
use crate::kept::keep;
use crate::question::Question;

/// How long to wait for the end of a cancelled turn; the bridge needs two seconds at most.
const CANCEL_LIMIT: Duration = Duration::from_secs(20);

/// Maximum length of a command or a tool's name in the progress line, in characters, so that it does not wrap.
const SUBJECT_MAX_CHARS: usize = 40;

/// Result of a turn.
pub(super) enum Ended {
    Answered {
        report: Box<TurnReport>,
        /// The last message that was already shown.
        said: Option<String>,
    },
    /// Only a plan was requested: the prompt that Codex would get.
    Planned(Orchestration),
    /// No answer.
    Failed(Failure),
    /// Stopped by the user or a signal.
    Stopped,
}

/// Plays a turn.
pub(super) async fn play(conversation: &mut Conversation, prompt: &str) -> Ended {
    let mut progress = Progress::new("looking up context");
    // A Ctrl-C from before this turn does not end it.
    conversation.stops.forget();
    let question = Question {
        prompt: prompt.to_owned(),
        client: Asker::codex_cli(None),
        cwd: conversation.workspace.clone(),
        context_max: None,
    };
    let looking = orchestration(question, conversation.environment.clone());
    let report = tokio::select! {
        report = looking => report,
        () = conversation.stops.next() => return Ended::Stopped,
    };
    let report = match report {
        Ok(report) => report,
        Err(failure) => return Ended::Failed(failure),
    };
    if report.is_plan() {
        conversation.last = Some(report.body().clone());
        return Ended::Planned(report);
    }
    let file = note_of(&report, &conversation.root());
    let opening = conversation.open(report, &file);
    conversation.last = Some(opening.report.body().clone());
    let input = OrchestrateInput {
        prompt: prompt.to_owned(),
        workspace: conversation.workspace.clone(),
        thread_id: opening.thread,
        mode: if opening.thread.is_some() { Mode::Resume } else { Mode::Exec },
        orchestration: Some(opening.report),
        sandbox: conversation.sandbox,
        options: conversation.options.clone(),
    };
    progress.stage("reaching the bridge".to_owned());
    let client = tokio::select! {
        client = conversation.bridge.client() => client,
        () = conversation.stops.next() => return Ended::Stopped,
    };
    let client = match client {
        Ok(client) => client,
        Err(failure) => return Ended::Failed(failure),
    };
    let deadline = Point::now() + conversation.patience();
    let mut narrator =
        Narrator { is_on: conversation.is_narrated, message: String::new(), last: None };
    let asked =
        ask(&client, &input, deadline, &mut conversation.stops, &mut progress, &mut narrator);
    match asked.await {
        Ok(Ok(Outcome::Turn(report))) => {
            let report = conversation.answered(*report, &file);
            Ended::Answered { report: Box::new(report), said: narrator.last }
        }
        Ok(Ok(Outcome::Failure(failure)) | Err(failure)) => Ended::Failed(failure),
        Ok(Ok(Outcome::Advice(_))) => Ended::Failed(Failure::new(
            FailureCode::Internal,
            "the bridge answered a turn with advice; its version does not fit this program's",
        )),
        Err(Stopped) => Ended::Stopped,
    }
}

/// Calls the orchestrator; always returns a report.
async fn orchestration(
    question: Question,
    environment: Environment,
) -> Result<Orchestration, Failure> {
    let looking = tokio::task::spawn_blocking(move || {
        let begun = Instant::now();
        let enriched = enrich(&question, &environment, begun);
        keep(&enriched, &environment, begun.elapsed());
        (enriched, question, environment)
    });
    let (Enriched { report, .. }, question, environment) = looking.await.map_err(|error| {
        let message = format!("the context could not be looked up: {error}");
        Failure::new(FailureCode::Internal, message)
    })?;
    Orchestration::read(report.as_value().clone()).or_else(|violations| {
        // The bridge would refuse the orchestrator's report, so the prompt is sent without it.
        let why = violations.into_iter().next().map(|first| first.message).unwrap_or_default();
        let empty = unasked(&question, &environment).report.because(limits::INVALID, &why);
        Orchestration::read(empty.as_value().clone()).map_err(|_| {
            Failure::new(FailureCode::Internal, "an empty report breaks its own schema")
        })
    })
}

/// The user stopped the turn; all its processes have ended.
struct Stopped;

/// Sends the turn to the bridge.
async fn ask(
    client: &Client,
    input: &OrchestrateInput,
    deadline: Point,
    stops: &mut Stops,
    progress: &mut Progress,
    narrator: &mut Narrator,
) -> Result<Result<Outcome, Failure>, Stopped> {
    // Unbounded: the bridge sends some hundred events per turn, each of some kilobytes.
    let (news, mut arrived) = mpsc::unbounded_channel::<News>();
    let asking = client.orchestrate(input, deadline, move |told| {
        let told = match told {
            TurnNews::Accepted(run) => Some(News::Accepted(run)),
            TurnNews::Event(event) => shown(event),
        };
        if let Some(told) = told {
            let _ = news.send(told);
        }
    });
    let mut asking = Box::pin(asking);
    let mut tick = interval(Duration::from_secs(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut run: Option<RunId> = None;
    loop {
        // Each arm is cancel safe: the turn is pinned; an event, a tick or a stop is taken or stays.
        tokio::select! {
            biased;
            Some(told) = arrived.recv() => match told {
                News::Accepted(accepted) => run = Some(accepted),
                News::Stage(stage) => progress.stage(stage),
                News::Said(piece) => narrator.add(piece, progress),
            },
            outcome = &mut asking => {
                while let Ok(told) = arrived.try_recv() {
                    if let News::Said(piece) = told {
                        narrator.add(piece, progress);
                    }
                }
                return Ok(outcome);
            }
            _ = tick.tick() => progress.draw(),
            () = stops.next() => break,
        }
    }
    progress.stage("cancelling".to_owned());
    // Closing the connection cancels the turn too; an explicit request confirms that all processes have ended.
    drop(asking);
    if let Some(run) = run {
        let _ = client.cancel(run, Point::now() + CANCEL_LIMIT).await;
    }
    Err(Stopped)
}

/// An event of a turn for the user.
enum News {
    Accepted(RunId),
    Stage(String),
    Said(Piece),
}

/// A piece of a message that is not the answer.
struct Piece {
    text: String,
    /// Whether the message continues in the next piece.
    more: bool,
}

/// Shows Codex's messages before the answer.
struct Narrator {
    /// Whether messages are shown.
    is_on: bool,
    /// The pieces of a message so far.
    message: String,
    /// The last complete message.
    last: Option<String>,
}

impl Narrator {
    fn add(&mut self, piece: Piece, progress: &mut Progress) {
        self.message.push_str(&piece.text);
        if piece.more {
            return;
        }
        let message = std::mem::take(&mut self.message);
        if self.is_on {
            progress.say(&message);
            self.last = Some(message);
        }
    }
}

/// What an event shows to the user; `None` if it says nothing new.
fn shown(event: &Event) -> Option<News> {
    let entry = event.entry()?;
    if let Entry::Progress(event::Progress::Message { text, more }) = entry {
        return Some(News::Said(Piece { text, more }));
    }
    let stage = entry.stage()?;
    Some(News::Stage(match entry {
        Entry::Progress(event::Progress::Item { subject: Some(subject), .. }) => {
            let subject = subject.lines().next().unwrap_or_default();
            let short: String = subject.chars().take(SUBJECT_MAX_CHARS).collect();
            format!("{stage}: {short}")
        }
        _ => stage,
    }))
}
