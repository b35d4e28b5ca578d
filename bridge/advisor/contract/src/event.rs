//! The events of a run: their names, their data, and their text for people.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::FailureCode;
use crate::id::{SessionId, ThreadId};
use crate::outcome::Outcome;
use crate::run::{ModelStage, RunKind, RunProgress};
use crate::word::words;

words! {
    /// The kinds of events.
    EventName {
        /// The run was accepted and waits for a worker.
        Queued = "queued",
        /// A worker started it.
        Started = "started",
        /// Codex reported its thread.
        Thread = "thread",
        /// Progress. The only event that may occur often.
        Progress = "progress",
        /// A second attempt follows.
        Retry = "retry",
        /// The run succeeded.
        Report = "report",
        /// The run failed.
        Failure = "failure",
    }
}

impl EventName {
    /// Whether it is the last event of a run.
    #[must_use]
    pub fn is_last(self) -> bool {
        matches!(self, Self::Report | Self::Failure)
    }
}

words! {
    /// Type of the last event of a model's provider.
    LastEvent {
        /// The head of its response.
        Head = "head",
        /// An event without content.
        KeepAlive = "keepalive",
        /// A piece of reasoning, of a tool call, or of the answer.
        Delta = "delta",
        /// Any other event.
        Event = "event",
    }
}

/// One entry of a run's event log, or a volatile event, which is sent live and not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Position in the log, from 1; the `id` of the stream. A volatile event has none.
    pub seq: Option<u64>,
    /// Its kind.
    pub name: EventName,
    /// Its data: [`Entry::data`], a count of omitted events, or the body of the run's outcome.
    pub data: Value,
}

impl Event {
    /// The parsed data; `None` for the last event and for a mere count.
    #[must_use]
    pub fn entry(&self) -> Option<Entry> {
        serde_json::from_value(json!({ "event": self.name, "data": self.data })).ok()
    }

    /// A short progress text for people; `None` if the event says nothing new.
    #[must_use]
    pub fn stage(&self) -> Option<String> {
        self.entry()?.stage()
    }

    /// The same some time after the event came: progress of the model's provider then includes
    /// the current age of the provider's last event.
    #[must_use]
    pub fn stage_after(&self, since: Duration) -> Option<String> {
        self.entry()?.stage_after(since)
    }

    /// The outcome of a run of this kind; `None` if this is not its last event, or has no body.
    #[must_use]
    pub fn outcome(&self, kind: RunKind) -> Option<Outcome> {
        match self.name {
            EventName::Report => Outcome::report(kind, &self.data),
            EventName::Failure => Outcome::failure(&self.data),
            _ => None,
        }
    }
}

/// The data of all events except the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum Entry {
    /// The run was accepted.
    Queued {
        /// The session that the run belongs to.
        session_id: SessionId,
        /// Its round, 1 or 2.
        round: u8,
        /// The kind of the run.
        #[serde(default, skip_serializing_if = "RunKind::is_usual")]
        kind: RunKind,
    },
    /// A worker started it.
    Started {
        /// Time in the queue, in milliseconds.
        queue_ms: u64,
    },
    /// Codex reported its thread.
    Thread {
        /// Codex's id.
        thread_id: ThreadId,
    },
    /// Progress.
    Progress(Progress),
    /// A second attempt follows.
    Retry {
        /// Why the first attempt failed.
        code: FailureCode,
        /// Pause before the second attempt, in milliseconds.
        pause_ms: u64,
    },
}

/// Kinds of progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Progress {
    /// An attempt begins.
    Attempt {
        /// 1 or 2.
        attempt: u8,
    },
    /// The request was sent to the model.
    Turn,
    /// Codex did something.
    Item {
        /// Codex's name for it, such as `agent_message`.
        item: String,
        /// Its subject; only for turns of the user's own Codex.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subject: Option<String>,
    },
    /// A piece of a message that is not the answer; only for turns of the user's own Codex.
    Message {
        /// The piece.
        text: String,
        /// Whether the message continues in the next piece.
        more: bool,
    },
    /// The model's answer has not begun. This stage and the next three are reported only if
    /// Codex's log shows them.
    Waiting {
        /// Time since the turn began, in milliseconds.
        elapsed_ms: u64,
    },
    /// The model is reasoning.
    Thinking {
        /// Number of events of the model's provider so far.
        events: u64,
        /// Characters of its reasoning so far, if the driver sees them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chars: Option<u64>,
        /// Number of completed parts of the reasoning's summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parts: Option<u64>,
        /// The first line of the last completed part, masked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// The model is writing its answer.
    Writing {
        /// Number of events of the model's provider so far.
        events: u64,
        /// Characters of the answer so far, if the driver sees them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chars: Option<u64>,
        /// The key of the advice that is being written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<String>,
    },
    /// No text has arrived for ten seconds.
    Quiet {
        /// Time since the provider's last event of any kind, in milliseconds.
        silent_ms: u64,
        /// Type of that event.
        last: LastEvent,
    },
    /// Codex lost the connection to its model and reconnects.
    Reconnecting,
    /// The turn is complete.
    Answered,
}

impl Entry {
    /// The name of the event with this data.
    #[must_use]
    pub fn name(&self) -> EventName {
        match self {
            Self::Queued { .. } => EventName::Queued,
            Self::Started { .. } => EventName::Started,
            Self::Thread { .. } => EventName::Thread,
            Self::Progress(_) => EventName::Progress,
            Self::Retry { .. } => EventName::Retry,
        }
    }

    /// The event's data.
    #[must_use]
    pub fn data(&self) -> Value {
        let mut event = serde_json::to_value(self).expect("an event is plain JSON");
        event["data"].take()
    }

    /// A short progress text for people; `None` if it says nothing new.
    #[must_use]
    pub fn stage(&self) -> Option<String> {
        let words = match self {
            Self::Queued { .. } => "waiting for a free worker",
            Self::Started { .. } => "starting Codex",
            Self::Thread { .. } => "Codex is ready",
            Self::Retry { code, .. } => {
                return Some(format!("trying again after {}", code.as_str()));
            }
            Self::Progress(progress) => return progress.stage(),
        };
        Some(words.to_owned())
    }

    /// As [`Event::stage_after`].
    #[must_use]
    pub fn stage_after(&self, since: Duration) -> Option<String> {
        match self {
            Self::Progress(progress) => progress.stage_after(since),
            _ => self.stage(),
        }
    }
}

impl Progress {
    /// Whether it reports the model's progress.
    #[must_use]
    pub fn is_of_model(&self) -> bool {
        matches!(
            self,
            Self::Waiting { .. }
                | Self::Thinking { .. }
                | Self::Writing { .. }
                | Self::Quiet { .. }
        )
    }

    fn stage_after(&self, since: Duration) -> Option<String> {
        let words = self.stage()?;
        Some(match self {
            Self::Thinking { .. } | Self::Writing { .. } => {
                format!("{words}, last {} s ago", since.as_secs())
            }
            Self::Quiet { silent_ms, last } => {
                let silent = Duration::from_millis(*silent_ms) + since;
                format!("{words}, last event {} s ago ({})", silent.as_secs(), last.as_str())
            }
            _ => words,
        })
    }

    fn stage(&self) -> Option<String> {
        let words = match self {
            Self::Attempt { attempt } if *attempt > 1 => {
                return Some(format!("starting Codex, attempt {attempt}"));
            }
            Self::Attempt { .. } => "starting Codex",
            Self::Turn => "Codex thinks",
            Self::Item { item, .. } => match item.as_str() {
                "agent_message" => "Codex writes its answer",
                "command_execution" => "Codex runs a command",
                "file_change" => "Codex changes files",
                "mcp_tool_call" | "web_search" => "Codex uses a tool",
                _ => "Codex thinks",
            },
            Self::Message { .. } => return None,
            Self::Waiting { .. } => "waiting for the model",
            Self::Thinking { events, title, .. } => {
                return Some(match title {
                    Some(title) => format!("Codex thinks ({title}), {events} events"),
                    None => format!("Codex thinks, {events} events"),
                });
            }
            Self::Writing { events, field, .. } => {
                return Some(match field {
                    Some(field) => format!("Codex writes its answer ({field}), {events} events"),
                    None => format!("Codex writes its answer, {events} events"),
                });
            }
            Self::Quiet { .. } => "Codex is quiet",
            Self::Reconnecting => "Codex reconnects to its model",
            Self::Answered => "Codex has answered",
        };
        Some(words.to_owned())
    }
}

impl RunProgress {
    /// A short text for people.
    #[must_use]
    pub fn words(&self) -> String {
        let (events, chars) = (self.events, self.chars);
        let words = match self.stage {
            ModelStage::Waiting => Progress::Waiting { elapsed_ms: self.elapsed_ms }.stage(),
            ModelStage::Thinking => {
                let title = self.title.clone();
                Progress::Thinking { events, chars, parts: None, title }.stage()
            }
            ModelStage::Writing => {
                Progress::Writing { events, chars, field: self.field.clone() }.stage()
            }
            ModelStage::Quiet => Some(format!("Codex is quiet, {events} events")),
        };
        let words = words.unwrap_or_default();
        match self.silent_ms.filter(|_| self.stage != ModelStage::Waiting) {
            Some(silent_ms) => format!("{words}, last {} s ago", silent_ms / 1000),
            None => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREAD: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

    #[test]
    fn every_entry_comes_back_from_its_event() {
        let id = THREAD.parse().unwrap();
        let session_id = THREAD.parse().unwrap();
        let item = |subject| Progress::Item { item: "web_search".to_owned(), subject };
        let check = |entry: Entry, data: Value, stage: Option<&str>| {
            assert_eq!(entry.data(), data);
            let event = Event { seq: Some(1), name: entry.name(), data };
            assert_eq!(event.entry().as_ref(), Some(&entry));
            assert_eq!(event.stage().as_deref(), stage);
        };
        let queued = |kind| Entry::Queued { session_id, round: 1, kind };
        check(
            queued(RunKind::Analyze),
            json!({ "session_id": THREAD, "round": 1 }),
            Some("waiting for a free worker"),
        );
        check(
            queued(RunKind::Orchestrate),
            json!({ "session_id": THREAD, "round": 1, "kind": "orchestrate" }),
            Some("waiting for a free worker"),
        );
        check(Entry::Started { queue_ms: 3 }, json!({ "queue_ms": 3 }), Some("starting Codex"));
        check(
            Entry::Thread { thread_id: id },
            json!({ "thread_id": THREAD }),
            Some("Codex is ready"),
        );
        check(
            Entry::Retry { code: FailureCode::Network, pause_ms: 250 },
            json!({ "code": "network", "pause_ms": 250 }),
            Some("trying again after network"),
        );
        for (progress, data, stage) in [
            (
                Progress::Attempt { attempt: 2 },
                json!({ "stage": "attempt", "attempt": 2 }),
                Some("starting Codex, attempt 2"),
            ),
            (Progress::Turn, json!({ "stage": "turn" }), Some("Codex thinks")),
            (
                item(None),
                json!({ "stage": "item", "item": "web_search" }),
                Some("Codex uses a tool"),
            ),
            (
                item(Some("outbox".to_owned())),
                json!({ "stage": "item", "item": "web_search", "subject": "outbox" }),
                Some("Codex uses a tool"),
            ),
            (
                Progress::Message { text: "t".to_owned(), more: true },
                json!({ "stage": "message", "text": "t", "more": true }),
                None,
            ),
        ] {
            check(Entry::Progress(progress), data, stage);
        }
    }

    #[test]
    fn how_the_provider_goes_on_reads_with_the_age_of_its_last_event() {
        for (progress, data, now, later) in [
            (
                Progress::Waiting { elapsed_ms: 1_500 },
                json!({ "stage": "waiting", "elapsed_ms": 1_500 }),
                "waiting for the model",
                "waiting for the model",
            ),
            (
                Progress::Thinking { events: 34, chars: None, parts: None, title: None },
                json!({ "stage": "thinking", "events": 34 }),
                "Codex thinks, 34 events",
                "Codex thinks, 34 events, last 3 s ago",
            ),
            (
                Progress::Writing { events: 210, chars: None, field: None },
                json!({ "stage": "writing", "events": 210 }),
                "Codex writes its answer, 210 events",
                "Codex writes its answer, 210 events, last 3 s ago",
            ),
            (
                Progress::Quiet { silent_ms: 11_000, last: LastEvent::KeepAlive },
                json!({ "stage": "quiet", "silent_ms": 11_000, "last": "keepalive" }),
                "Codex is quiet",
                "Codex is quiet, last event 14 s ago (keepalive)",
            ),
        ] {
            let event = Event { seq: None, name: EventName::Progress, data: data.clone() };
            assert_eq!(event.entry(), Some(Entry::Progress(progress)), "{data}");
            assert_eq!(event.stage().as_deref(), Some(now));
            let after = event.stage_after(Duration::from_millis(3_400));
            assert_eq!(after.as_deref(), Some(later));
        }
        let answered = Entry::Progress(Progress::Answered);
        assert_eq!(answered.stage_after(Duration::from_secs(9)), answered.stage());
    }

    #[test]
    fn a_count_and_an_unknown_stage_say_nothing() {
        for data in [json!({ "omitted": 4 }), json!({ "stage": "from a later version" })] {
            let event = Event { seq: Some(1), name: EventName::Progress, data };
            assert_eq!((event.entry(), event.stage()), (None, None));
        }
    }

    #[test]
    fn how_a_model_goes_on_reads_the_same_from_a_record() {
        for (stage, words) in [
            (ModelStage::Waiting, "waiting for the model"),
            (ModelStage::Thinking, "Codex thinks, 34 events, last 3 s ago"),
            (ModelStage::Writing, "Codex writes its answer, 34 events, last 3 s ago"),
            (ModelStage::Quiet, "Codex is quiet, 34 events, last 3 s ago"),
        ] {
            let progress = RunProgress {
                stage,
                events: 34,
                elapsed_ms: 9_000,
                silent_ms: Some(3_400),
                chars: None,
                field: None,
                title: None,
            };
            assert_eq!(progress.words(), words);
        }
    }
}
