//! State machine of one attempt over `codex app-server`: initialize, open a thread, check it, ask, and read until the
//! turn is over. Pure: takes a message, returns the next messages to send.
//!
//! Until `turn/start` is sent nothing is charged, and the attempt can be made with the other driver. After it
//! that is no longer possible.

use contract::advice::Usage;
use contract::id::{ThreadId, TurnId};
use serde_json::Value;

use super::check::{self, Unfit};
use super::message::{Item, Message, News, Notice, Refusal, TurnEnd};
use super::request::{self, Opening, Question};
use crate::event::{Event, Stage};
use crate::plan::PlanWindow;

/// The ids of our requests.
const INITIALIZE: u64 = 0;
const OPEN: u64 = 1;
const ASK: u64 = 2;
const INTERRUPT: u64 = 3;

/// Maximum number of server requests that are answered: each answer takes a line, and none is expected at all.
const REFUSED_MAX: u64 = 64;

/// One attempt, or only a handshake if there is no question.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    opening: Opening<'a>,
    question: Option<Question<'a>>,
    phase: Phase,
    /// Whether `turn/start` was sent.
    is_asked: bool,
    thread: Option<ThreadId>,
    turn: Option<TurnId>,
    /// Tokens of the whole thread so far.
    usage: Usage,
    /// Why `turn/start` was not sent.
    obstacle: Option<Obstacle>,
    /// Number of requests by the server, all of them refused.
    refused: u64,
    /// Number of notifications that are not needed.
    ignored: u64,
}

/// The phase of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Greeting,
    Opening,
    /// The turn: from here on it may be charged.
    Asked,
    /// Nothing more is expected.
    Over,
}

/// Why a question was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The server refused a request; its message.
    Refused(String),
    /// The thread is not the one that was to be resumed.
    OtherThread(String),
    /// The thread is not as requested; the reason in our words.
    Unfit(&'static str),
}

/// The reaction to a message.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Reaction {
    /// Messages to send, in order.
    pub say: Vec<Value>,
    /// The corresponding event of `codex exec`.
    pub event: Option<Event>,
    /// A piece of the model's text.
    pub text: Option<Text>,
    /// Usage of the account's plan, if reported.
    pub plan: Option<[Option<PlanWindow>; 2]>,
    /// Whether the exchange has ended.
    pub is_over: bool,
}

/// A piece of a model's text, or the end of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Text {
    /// A piece of the answer.
    Answer(String),
    /// The answer is complete.
    AnswerDone,
    /// This many characters of the reasoning itself.
    Reasoning(u64),
    /// A piece of the reasoning's summary.
    Summary(String),
    /// A part of the reasoning's summary is complete, or none was begun.
    PartEnded,
}

impl Reaction {
    fn say(words: Vec<Value>) -> Self {
        Self { say: words, ..Self::default() }
    }

    fn event(event: Event) -> Self {
        Self { event: Some(event), ..Self::default() }
    }

    fn over() -> Self {
        Self { is_over: true, ..Self::default() }
    }
}

impl<'a> Exchange<'a> {
    /// The start of an attempt; without a question it ends once the thread is open.
    pub(crate) fn new(opening: Opening<'a>, question: Option<Question<'a>>) -> Self {
        Self {
            opening,
            question,
            phase: Phase::Greeting,
            is_asked: false,
            thread: None,
            turn: None,
            usage: Usage::default(),
            obstacle: None,
            refused: 0,
            ignored: 0,
        }
    }

    /// The first message to send.
    pub(crate) fn greeting(&self) -> Value {
        request::initialize(INITIALIZE)
    }

    /// Whether `turn/start` was sent.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// Whether the handshake succeeded: the thread is open as requested.
    pub(crate) fn is_open(&self) -> bool {
        self.thread.is_some() && self.obstacle.is_none()
    }

    /// Why the question was not sent, if known.
    pub(crate) fn obstacle(&self) -> Option<&Obstacle> {
        self.obstacle.as_ref()
    }

    /// The id of the turn, once it is known.
    pub(crate) fn turn(&self) -> Option<TurnId> {
        self.turn
    }

    /// Number of refused server requests.
    pub(crate) fn refused(&self) -> u64 {
        self.refused
    }

    /// Number of ignored notifications.
    pub(crate) fn ignored(&self) -> u64 {
        self.ignored
    }

    /// The last message, which interrupts the turn. Later messages are
    /// ignored: an interrupted answer does not count.
    pub(crate) fn farewell(&mut self) -> Option<Value> {
        let is_running = self.phase == Phase::Asked;
        self.phase = Phase::Over;
        let ids = self.thread.zip(self.turn).filter(|_| is_running);
        ids.map(|(thread, turn)| request::interrupt(INTERRUPT, thread, turn))
    }

    /// Handles the next message.
    pub(crate) fn hear(&mut self, message: Message) -> Reaction {
        match message {
            Message::Question { id } => self.refuse(&id),
            Message::Answer(id, outcome) => self.answer(id, outcome),
            Message::Notice(notice) if self.phase == Phase::Asked => self.notice(*notice),
            Message::Notice(_) | Message::Ignored => self.ignore(),
            Message::Malformed => Reaction::event(Event::Malformed),
        }
    }

    fn refuse(&mut self, id: &Value) -> Reaction {
        self.refused += 1;
        match self.refused <= REFUSED_MAX {
            true => Reaction::say(vec![request::refusal(id)]),
            false => Reaction::default(),
        }
    }

    fn answer(&mut self, id: u64, outcome: Result<Value, Refusal>) -> Reaction {
        match (id, self.phase, outcome) {
            (INITIALIZE, Phase::Greeting, Ok(_)) => {
                self.phase = Phase::Opening;
                Reaction::say(vec![request::initialized(), request::thread(OPEN, self.opening)])
            }
            (OPEN, Phase::Opening, Ok(response)) => self.opened(&response),
            (ASK, Phase::Asked, Ok(response)) => {
                let id = response["turn"]["id"].as_str().and_then(|id| id.parse().ok());
                self.turn = self.turn.or(id);
                Reaction::default()
            }
            (INITIALIZE, Phase::Greeting, Err(refusal)) | (OPEN, Phase::Opening, Err(refusal)) => {
                self.stop(Obstacle::Refused(refusal.message))
            }
            // Refused after it was sent: a failed turn with the server's message.
            (ASK, Phase::Asked, Err(refusal)) => {
                self.phase = Phase::Over;
                let failed = Event::TurnFailed { message: refusal.message, kind: None };
                Reaction { event: Some(failed), ..Reaction::over() }
            }
            (_, _, _) => self.ignore(),
        }
    }

    fn opened(&mut self, response: &Value) -> Reaction {
        match check::thread(response, self.opening.conversation.resumed()) {
            Ok(thread) => {
                self.thread = Some(thread);
                let started = Some(Event::ThreadStarted { thread_id: thread });
                let Some(question) = self.question else {
                    self.phase = Phase::Over;
                    return Reaction { event: started, ..Reaction::over() };
                };
                self.phase = Phase::Asked;
                self.is_asked = true;
                let say = vec![request::turn(ASK, thread, question)];
                Reaction { say, event: started, ..Reaction::default() }
            }
            Err(Unfit::OtherThread(words)) => self.stop(Obstacle::OtherThread(words)),
            Err(Unfit::Unconfined(words)) => self.stop(Obstacle::Unfit(words)),
        }
    }

    fn stop(&mut self, obstacle: Obstacle) -> Reaction {
        self.obstacle = Some(obstacle);
        self.phase = Phase::Over;
        Reaction::over()
    }

    fn ignore(&mut self) -> Reaction {
        self.ignored += 1;
        Reaction::default()
    }

    fn notice(&mut self, notice: Notice) -> Reaction {
        let Notice { thread, turn, news } = notice;
        let is_ours = thread.is_none_or(|id| id.parse().ok() == self.thread);
        let turn = turn.and_then(|id| id.parse().ok());
        if let News::TurnStarted = news
            && is_ours
        {
            self.turn = self.turn.or(turn);
        }
        // Warnings, the thread's tokens and the account's plan are accepted from any turn.
        let is_of_any_turn = matches!(news, News::Warning { .. } | News::Usage(_) | News::Plan(_));
        if !is_ours || (!is_of_any_turn && (turn.is_none() || turn != self.turn)) {
            return self.ignore();
        }
        match news {
            News::TurnStarted => Reaction::event(Event::TurnStarted),
            News::TurnEnded(end) => self.ended(end),
            News::Trouble { message, will_retry: true } => {
                Reaction::event(Event::Error { message })
            }
            // The end of the turn repeats this with more detail.
            News::Trouble { will_retry: false, .. } => Reaction::default(),
            News::Warning { message } => Reaction::event(Event::Warning { message }),
            News::Usage(total) => {
                self.usage = total;
                Reaction::default()
            }
            News::Plan([None, None]) => self.ignore(),
            News::Plan(windows) => Reaction { plan: Some(windows), ..Reaction::default() },
            News::Began(item) => Reaction { event: began(&item), ..Reaction::default() },
            News::Done(item) => done(item),
            News::Wrote(piece) => text(Text::Answer(piece)),
            News::Thought(chars) => text(Text::Reasoning(chars)),
            News::Summarised(piece) => text(Text::Summary(piece)),
            News::Part => text(Text::PartEnded),
        }
    }

    fn ended(&mut self, end: TurnEnd) -> Reaction {
        self.phase = Phase::Over;
        let event = match end {
            TurnEnd::Completed => Some(Event::TurnCompleted { usage: self.usage }),
            TurnEnd::Failed { message, kind } => Some(Event::TurnFailed { message, kind }),
            // Only we interrupt a turn, and then its end does not count: the process ends without a terminal event.
            TurnEnd::Interrupted => None,
        };
        Reaction { event, ..Reaction::over() }
    }
}

fn text(text: Text) -> Reaction {
    Reaction { text: Some(text), ..Reaction::default() }
}

/// The event for a started item. A started text is reported by its pieces.
fn began(item: &Item) -> Option<Event> {
    match item.kind.as_str() {
        "userMessage" | "agentMessage" | "reasoning" => None,
        _ => Some(other(item, Stage::Started)),
    }
}

/// The reaction to a completed item.
fn done(item: Item) -> Reaction {
    match item.kind.as_str() {
        "userMessage" => Reaction::default(),
        "agentMessage" => {
            let event = Some(Event::AgentMessage { text: item.text.unwrap_or_default() });
            Reaction { event, ..text(Text::AnswerDone) }
        }
        "reasoning" => {
            let event = Some(other(&item, Stage::Completed));
            Reaction { event, ..text(Text::PartEnded) }
        }
        _ => Reaction::event(other(&item, Stage::Completed)),
    }
}

/// The corresponding item of `codex exec`.
fn other(item: &Item, stage: Stage) -> Event {
    let kind = match item.kind.as_str() {
        "commandExecution" => "command_execution",
        "fileChange" => "file_change",
        "mcpToolCall" => "mcp_tool_call",
        "webSearch" => "web_search",
        "plan" => "todo_list",
        other => other,
    };
    let subject = match kind {
        "command_execution" => item.command.clone(),
        "mcp_tool_call" => item
            .server
            .as_ref()
            .zip(item.tool.as_ref())
            .map(|(server, tool)| format!("{server}.{tool}")),
        "web_search" => item.query.clone(),
        _ => None,
    };
    Event::item(kind, &item.id, subject.as_deref(), stage)
}

#[cfg(test)]
mod tests;
