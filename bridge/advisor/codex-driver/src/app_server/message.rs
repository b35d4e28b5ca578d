//! Parses the server's messages. Total: every line gives a result, and unknown content is ignored.

use std::borrow::Cow;

use contract::advice::Usage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::event::ErrorKind;
use crate::plan::{self, PlanWindow};

/// A message of the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// The response to the request with this id.
    Answer(u64, Result<Value, Refusal>),
    /// A request by the server, with its own id.
    Question {
        /// The id, unchanged.
        id: Value,
    },
    /// A notification.
    Notice(Box<Notice>),
    /// A notification that is not needed, or has an unknown method.
    Ignored,
    /// Not a JSON object, or one without a required member.
    Malformed,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Refusal {
    /// The server's message.
    #[serde(default)]
    pub message: String,
}

/// A notification and its subject.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notice {
    /// The thread; absent for some warnings and for the account.
    pub thread: Option<String>,
    /// The turn, if it belongs to one.
    pub turn: Option<String>,
    pub news: News,
}

/// The content of a notification.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum News {
    /// The turn began.
    TurnStarted,
    TurnEnded(TurnEnd),
    /// An error in the turn.
    Trouble {
        /// Codex's message, followed by its details in parentheses.
        message: String,
        /// Whether Codex retries.
        will_retry: bool,
    },
    /// A warning.
    Warning {
        /// Codex's message.
        message: String,
    },
    Began(Item),
    /// An item is complete.
    Done(Item),
    /// A piece of the answer.
    Wrote(String),
    /// A piece of the reasoning itself; only its length, in characters.
    Thought(u64),
    /// A piece of the reasoning's summary.
    Summarised(String),
    /// A new part of the reasoning's summary begins.
    Part,
    /// Tokens of the whole thread so far.
    Usage(Usage),
    /// Windows of the account's plan, as far as reported.
    Plan([Option<PlanWindow>; 2]),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    Completed,
    Interrupted,
    Failed {
        /// Codex's message.
        message: String,
        /// Codex's classification of the error.
        kind: Option<ErrorKind>,
    },
}

/// An item of a turn.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Item {
    /// Type, such as `agentMessage`.
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub id: String,
    /// Text of an `agentMessage`.
    #[serde(default)]
    pub text: Option<String>,
    /// Command of a `commandExecution`.
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default)]
    pub server: Option<String>,
    #[serde(default)]
    pub tool: Option<String>,
    #[serde(default)]
    pub query: Option<String>,
}

/// The top-level members of a line.
#[derive(Deserialize)]
struct Outline<'l> {
    #[serde(borrow, default)]
    method: Option<Cow<'l, str>>,
    #[serde(default)]
    id: Option<Value>,
}

#[derive(Deserialize)]
struct Answered {
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Told<P> {
    params: P,
}

/// The parameters of most notifications, all optional.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    turn_id: Option<String>,
    #[serde(default)]
    turn: Option<TurnView>,
    #[serde(default)]
    item: Option<Item>,
    #[serde(default)]
    error: Option<ErrorView>,
    #[serde(default)]
    will_retry: bool,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    token_usage: Option<TokenUsage>,
    #[serde(default)]
    rate_limits: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta<'l> {
    #[serde(borrow)]
    thread_id: Cow<'l, str>,
    #[serde(borrow)]
    turn_id: Cow<'l, str>,
    #[serde(borrow)]
    delta: Cow<'l, str>,
}

#[derive(Deserialize)]
struct TurnView {
    id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    error: Option<ErrorView>,
    #[serde(rename = "items", default)]
    _items: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ErrorView {
    #[serde(default)]
    message: String,
    #[serde(default)]
    codex_error_info: Value,
    #[serde(default)]
    additional_details: Option<String>,
}

#[derive(Deserialize)]
struct TokenUsage {
    total: Tokens,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Tokens {
    input_tokens: u64,
    cached_input_tokens: u64,
    output_tokens: u64,
    reasoning_output_tokens: u64,
}

impl Message {
    /// Parses one line. Unknown fields are ignored.
    pub(crate) fn read(line: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(line) else { return Self::Malformed };
        let Ok(Outline { method, id }) = serde_json::from_str(text) else { return Self::Malformed };
        match (method, id) {
            (None, Some(id)) => answer(&id, text).unwrap_or(Self::Malformed),
            (Some(_), Some(id)) => Self::Question { id },
            (Some(method), None) => match is_known(&method) {
                true => notice(&method, text)
                    .map_or(Self::Malformed, |notice| Self::Notice(Box::new(notice))),
                false => Self::Ignored,
            },
            (None, None) => Self::Malformed,
        }
    }
}

fn answer(id: &Value, text: &str) -> Option<Message> {
    let Answered { result, error } = serde_json::from_str(text).ok()?;
    let outcome = match (result, error) {
        (_, Some(refusal)) => Err(refusal),
        (Some(result), None) => Ok(result),
        (None, None) => return None,
    };
    Some(Message::Answer(id.as_u64()?, outcome))
}

fn is_known(method: &str) -> bool {
    matches!(
        method,
        "turn/started"
            | "turn/completed"
            | "error"
            | "warning"
            | "item/started"
            | "item/completed"
            | "item/agentMessage/delta"
            | "item/reasoning/summaryTextDelta"
            | "item/reasoning/textDelta"
            | "item/reasoning/summaryPartAdded"
            | "thread/tokenUsage/updated"
            | "account/rateLimits/updated"
    )
}

/// `None` if a required parameter is missing.
fn notice(method: &str, text: &str) -> Option<Notice> {
    if method.ends_with("elta") {
        let Told { params: Delta { thread_id, turn_id, delta } } =
            serde_json::from_str::<Told<Delta<'_>>>(text).ok()?;
        let news = match method {
            "item/agentMessage/delta" => News::Wrote(delta.into_owned()),
            "item/reasoning/summaryTextDelta" => News::Summarised(delta.into_owned()),
            _ => News::Thought(delta.chars().count() as u64),
        };
        let (thread, turn) = (Some(thread_id.into_owned()), Some(turn_id.into_owned()));
        return Some(Notice { thread, turn, news });
    }
    let Told { params } = serde_json::from_str::<Told<Params>>(text).ok()?;
    let turn = params.turn_id.or_else(|| params.turn.as_ref().map(|turn| turn.id.clone()));
    let news = match method {
        "turn/started" => News::TurnStarted,
        "turn/completed" => News::TurnEnded(params.turn?.end()?),
        "error" => {
            let will_retry = params.will_retry;
            News::Trouble { message: params.error?.words(), will_retry }
        }
        "warning" => News::Warning { message: params.message? },
        "item/started" => News::Began(params.item?),
        "item/completed" => News::Done(params.item?),
        "item/reasoning/summaryPartAdded" => News::Part,
        "thread/tokenUsage/updated" => {
            let total = params.token_usage?.total;
            News::Usage(Usage {
                input_tokens: total.input_tokens,
                cached_input_tokens: total.cached_input_tokens,
                output_tokens: total.output_tokens,
                reasoning_output_tokens: total.reasoning_output_tokens,
            })
        }
        "account/rateLimits/updated" => News::Plan(plan::read(&params.rate_limits)),
        _ => return None,
    };
    Some(Notice { thread: params.thread_id, turn, news })
}

impl TurnView {
    fn end(self) -> Option<TurnEnd> {
        Some(match self.status.as_str() {
            "completed" => TurnEnd::Completed,
            "interrupted" => TurnEnd::Interrupted,
            "failed" => {
                let error = self.error?;
                TurnEnd::Failed { kind: kind(&error.codex_error_info), message: error.message }
            }
            _ => return None,
        })
    }
}

impl ErrorView {
    /// The message in the form of `codex exec`: `Reconnecting... 1/2 (details)`.
    fn words(self) -> String {
        match self.additional_details.filter(|details| !details.is_empty()) {
            Some(details) => format!("{} ({details})", self.message),
            None => self.message,
        }
    }
}

/// Codex's classification of an error: a name, or an object with one name, which may contain an HTTP status.
fn kind(info: &Value) -> Option<ErrorKind> {
    match info {
        Value::String(name) => Some(ErrorKind { name: name.clone(), status: None }),
        Value::Object(object) => {
            let (name, details) = object.iter().next()?;
            let status = details["httpStatusCode"].as_u64();
            let status = status.and_then(|status| u16::try_from(status).ok());
            Some(ErrorKind { name: name.clone(), status })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
