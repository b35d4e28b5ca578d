//! Replies as a provider would send them: server-sent events of the Responses API.

use std::time::Duration;

use serde_json::{Value, json};

use crate::advice;
use crate::record::Recorded;
use crate::script::{Beat, Hang, Reply};

/// The model that the answers name.
pub const MODEL: &str = "mock-model";

/// What each request costs. Codex adds these up over a thread.
pub const USAGE: Usage =
    Usage { input_tokens: 100, cached_input_tokens: 10, output_tokens: 20, reasoning_tokens: 5 };

/// Tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Of those, served from the cache.
    pub cached_input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Of those, spent on reasoning.
    pub reasoning_tokens: u64,
}

/// A reply, ready to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// How long to wait first.
    pub(crate) delay: Duration,
    /// What to send then.
    pub(crate) kind: Kind,
}

/// The four things that can happen to a caller.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A status with headers and a body.
    Plain { code: u16, headers: Vec<(String, String)>, body: String },
    /// A complete stream.
    Stream(String),
    /// A stream that comes in parts, each after its pause.
    Parts { parts: Vec<(Duration, String)>, then: End },
    /// Not even a status line.
    Silence,
}

/// What comes after the last part of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its end.
    Complete,
    /// The connection is closed.
    Close,
    /// Nothing more comes.
    Silence,
}

/// Words the reply for this request, the `number`th.
pub(crate) fn answer(reply: Reply, request: &Recorded, number: u64) -> Answer {
    let mut delay = Duration::ZERO;
    let mut reply = reply;
    while let Reply::Delay(more, inner) = reply {
        delay += more;
        reply = *inner;
    }
    Answer { delay, kind: kind(reply, request, &Response { number }) }
}

fn kind(reply: Reply, request: &Recorded, response: &Response) -> Kind {
    let advice = || advice::answer(&request.user_texts());
    match reply {
        Reply::Advice => Kind::Stream(response.messages(&[advice()])),
        Reply::Text(text) => Kind::Stream(response.messages(&[text])),
        Reply::Texts(texts) => Kind::Stream(response.messages(&texts)),
        Reply::Empty => Kind::Stream(response.completed(&[])),
        Reply::Refusal(text) => {
            let content = json!([{ "type": "refusal", "refusal": text }]);
            Kind::Stream(response.completed(&[response.message(0, content)]))
        }
        Reply::ToolCall { name, arguments } => {
            Kind::Stream(response.completed(&[response.call(&name, &arguments)]))
        }
        Reply::TextThenToolCall { text, name, arguments } => {
            let said = response.message(0, output_text(&text));
            Kind::Stream(response.completed(&[said, response.call(&name, &arguments)]))
        }
        Reply::Status { code, headers, body } => Kind::Plain { code, headers, body },
        Reply::Failed { code, message } => Kind::Stream(response.failed(&code, &message)),
        Reply::Incomplete(reason) => Kind::Stream(response.incomplete(&reason)),
        Reply::Cut => at_once(response.unfinished(&advice()), End::Close),
        Reply::Hang(Hang::MidStream) => at_once(response.unfinished(&advice()), End::Silence),
        Reply::Hang(Hang::AfterHeaders) => Kind::Parts { parts: Vec::new(), then: End::Silence },
        Reply::Hang(Hang::BeforeHeaders) => Kind::Silence,
        Reply::Paced { beat, every, times, then } => {
            let beats = (0..times).map(|_| (every, response.beat(beat)));
            let mut parts: Vec<_> =
                std::iter::once((Duration::ZERO, response.begun(beat))).chain(beats).collect();
            let then = match kind(*then, request, response) {
                Kind::Stream(sent) => {
                    parts.push((every, sent));
                    End::Complete
                }
                Kind::Parts { parts: more, then } => {
                    parts.extend(more);
                    then
                }
                Kind::Plain { .. } | Kind::Silence => End::Silence,
            };
            Kind::Parts { parts, then }
        }
        Reply::Delay(..) => unreachable!("delays were taken off by the caller"),
    }
}

/// One part, and what comes after it.
fn at_once(sent: String, then: End) -> Kind {
    Kind::Parts { parts: vec![(Duration::ZERO, sent)], then }
}

/// One response object; its number makes the ids unique.
struct Response {
    number: u64,
}

impl Response {
    fn id(&self, prefix: &str) -> String {
        format!("{prefix}_mock_{}", self.number)
    }

    fn object(&self, status: &str) -> Value {
        json!({ "id": self.id("resp"), "object": "response", "status": status, "model": MODEL })
    }

    fn created(&self) -> String {
        event("response.created", json!({ "response": self.object("in_progress") }))
    }

    fn message(&self, index: usize, content: Value) -> Value {
        json!({
            "type": "message", "id": format!("{}_{index}", self.id("msg")),
            "role": "assistant", "status": "completed", "content": content,
        })
    }

    fn call(&self, name: &str, arguments: &str) -> Value {
        json!({
            "type": "function_call", "id": self.id("fc"), "status": "completed",
            "call_id": self.id("call"), "name": name, "arguments": arguments,
        })
    }

    fn messages(&self, texts: &[String]) -> String {
        let message = |(index, text): (usize, &String)| self.message(index, output_text(text));
        self.completed(&texts.iter().enumerate().map(message).collect::<Vec<_>>())
    }

    fn completed(&self, items: &[Value]) -> String {
        let mut sent = self.created();
        for (index, item) in items.iter().enumerate() {
            let data = json!({ "output_index": index, "item": item });
            sent += &event("response.output_item.done", data);
        }
        let mut object = self.object("completed");
        object["output"] = json!(items);
        object["usage"] = json!({
            "input_tokens": USAGE.input_tokens,
            "input_tokens_details": { "cached_tokens": USAGE.cached_input_tokens },
            "output_tokens": USAGE.output_tokens,
            "output_tokens_details": { "reasoning_tokens": USAGE.reasoning_tokens },
            "total_tokens": USAGE.input_tokens + USAGE.output_tokens,
        });
        sent + &event("response.completed", json!({ "response": object }))
    }

    fn failed(&self, code: &str, message: &str) -> String {
        let mut object = self.object("failed");
        object["error"] = json!({ "code": code, "message": message });
        self.created() + &event("response.failed", json!({ "response": object }))
    }

    fn incomplete(&self, reason: &str) -> String {
        let mut object = self.object("incomplete");
        object["incomplete_details"] = json!({ "reason": reason });
        self.created() + &event("response.incomplete", json!({ "response": object }))
    }

    /// The response has begun, and the item that the beats belong to.
    fn begun(&self, beat: Beat) -> String {
        let item = match beat {
            Beat::Delta => self.message(0, json!([])),
            Beat::Reasoning => json!({ "type": "reasoning", "id": self.id("rs"), "summary": [] }),
            Beat::KeepAlive | Beat::Comment => return self.created(),
        };
        let added = json!({ "output_index": 0, "item": item });
        self.created() + &event("response.output_item.added", added)
    }

    fn beat(&self, beat: Beat) -> String {
        let delta = |kind, item| {
            let data = json!({
                "item_id": item, "output_index": 0, "content_index": 0, "summary_index": 0,
                "delta": ".",
            });
            event(kind, data)
        };
        match beat {
            Beat::Delta => delta("response.output_text.delta", format!("{}_0", self.id("msg"))),
            Beat::Reasoning => delta("response.reasoning_summary_text.delta", self.id("rs")),
            Beat::KeepAlive => event("keepalive", json!({})),
            Beat::Comment => ": keep-alive\n\n".to_owned(),
        }
    }

    /// A whole message in a response that never ends: tempting, and not an answer.
    fn unfinished(&self, text: &str) -> String {
        let item = self.message(0, json!([{ "type": "output_text", "text": text }]));
        let done = json!({ "output_index": 0, "item": item });
        self.created() + &event("response.output_item.done", done)
    }
}

/// What a message holds.
fn output_text(text: &str) -> Value {
    json!([{ "type": "output_text", "text": text, "annotations": [] }])
}

/// One server-sent event; the type stands in both places, as the provider sends it.
fn event(kind: &str, mut data: Value) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Recorded {
        Recorded {
            method: "POST".into(),
            path: "/v1/responses".into(),
            headers: Vec::new(),
            body: bytes::Bytes::new(),
        }
    }

    fn events(reply: Reply) -> Vec<Value> {
        let answer = answer(reply, &request(), 7);
        let Kind::Stream(sent) = answer.kind else { panic!("not a complete stream: {answer:?}") };
        let data = sent.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    #[test]
    fn a_stream_begins_with_created_and_ends_with_one_terminal_event() {
        let failed = Reply::Failed { code: "server_error".into(), message: "no".into() };
        for (reply, last, count) in [
            (Reply::Text("x".into()), "response.completed", 3),
            (Reply::Texts(vec!["x".into(), "y".into()]), "response.completed", 4),
            (Reply::Empty, "response.completed", 2),
            (Reply::Refusal("no".into()), "response.completed", 3),
            (failed, "response.failed", 2),
            (Reply::Incomplete("max_output_tokens".into()), "response.incomplete", 2),
        ] {
            let events = events(reply.clone());
            assert_eq!(events[0]["type"], "response.created", "{reply:?}");
            assert_eq!(events.last().unwrap()["type"], last, "{reply:?}");
            assert_eq!(events.len(), count, "{reply:?}");
        }
    }

    #[test]
    fn beats_come_before_the_reply_each_after_its_pause() {
        let every = Duration::from_millis(4);
        for (beat, sign) in [
            (Beat::Delta, "response.output_text.delta"),
            (Beat::Reasoning, "response.reasoning_summary_text.delta"),
            (Beat::KeepAlive, "event: keepalive"),
            (Beat::Comment, ": keep-alive"),
        ] {
            let answer = answer(Reply::Text("x".into()).paced(beat, every, 2), &request(), 1);
            let Kind::Parts { parts, then: End::Complete } = answer.kind else {
                panic!("{answer:?}")
            };
            let pauses: Vec<_> = parts.iter().map(|(pause, _)| *pause).collect();
            assert_eq!(pauses, [Duration::ZERO, every, every, every]);
            assert!(parts[0].1.starts_with("event: response.created"), "{parts:?}");
            assert!(parts[1].1.starts_with(sign) || parts[1].1.contains(sign), "{parts:?}");
            assert!(parts[3].1.contains("response.completed"), "{parts:?}");
        }
        let hangs = Reply::Hang(Hang::AfterHeaders).paced(Beat::KeepAlive, every, 1);
        let Kind::Parts { parts, then } = answer(hangs, &request(), 1).kind else { panic!() };
        assert_eq!((parts.len(), then), (2, End::Silence));
    }

    #[test]
    fn delays_add_up_and_do_not_change_the_reply() {
        let late = Reply::Hang(Hang::BeforeHeaders)
            .after(Duration::from_millis(2))
            .after(Duration::from_millis(3));
        let expected = Answer { delay: Duration::from_millis(5), kind: Kind::Silence };
        assert_eq!(answer(late, &request(), 1), expected);
    }
}
