//! What these tests share: a daemon, questions for it, and a reader of its events.

use std::time::Duration;

use contract::advice::{Asked, parse_advice};
use contract::input::Phase;
use reqwest::Method;
use serde_json::{Value, json};
use tests::harness::{Answer, Client, Daemon, DaemonBuilder, send, wait_until_some};

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// The promise: nothing of a run is alive this long after its end.
pub(crate) const EMPTY_WITHIN: Duration = Duration::from_secs(2);

/// The promise: no request waits longer than its deadline and this.
pub(crate) const LATE_BY_MAX: Duration = Duration::from_secs(2);

/// A daemon with the stand-in for Codex.
pub(crate) fn builder() -> DaemonBuilder {
    DaemonBuilder::with_fake_codex().unwrap()
}

/// The same, running.
pub(crate) async fn daemon() -> Daemon {
    builder().start().await.unwrap()
}

/// A first round. The stand-in reads its mode from the problem: `fake-codex: MODE`.
pub(crate) fn question(problem: &str) -> Value {
    json!({
        "problem": problem,
        "context": "three services, one database",
        "candidate_plans": [
            { "name": "outbox", "description": "Write, then publish.", "assumptions": ["one writer"] },
            { "name": "two-phase", "description": "Agree before writing." },
        ],
        "phase": "initial",
    })
}

/// The second round of the session that `answer` belongs to.
pub(crate) fn second(answer: &Answer, problem: &str) -> Value {
    let session_id = answer.body.get("session_id").unwrap_or(&answer.body["meta"]["session_id"]);
    assert!(session_id.is_string(), "{:#}", answer.body);
    with(question(problem), &json!({ "phase": "final", "session_id": session_id }))
}

/// The question with these members on top.
pub(crate) fn with(mut question: Value, members: &Value) -> Value {
    let members = members.as_object().unwrap().clone();
    question.as_object_mut().unwrap().extend(members);
    question
}

/// Asks and expects advice that keeps the contract.
pub(crate) async fn advised(daemon: &Daemon, question: &Value) -> Answer {
    let answer = daemon.client().analyze(question).await.unwrap();
    assert_advice(&answer);
    answer
}

/// Status 200 and a body that keeps every rule of the output contract.
pub(crate) fn assert_advice(answer: &Answer) {
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    let mut advice = answer.body.clone();
    assert!(advice.as_object_mut().unwrap().remove("meta").is_some());
    let plans = ["outbox".to_owned(), "two-phase".to_owned()];
    let phase = match answer.body["meta"]["phase"] == "final" {
        true => Phase::Final,
        false => Phase::Initial,
    };
    let parsed = parse_advice(&advice.to_string(), Asked::new(phase, &plans));
    assert!(parsed.is_ok(), "{parsed:?}");
}

/// Starts a run that outlives its connection.
pub(crate) async fn start(daemon: &Daemon, question: &Value) -> Answer {
    let answer = daemon.client().analyze_async(question).await.unwrap();
    assert_eq!(answer.status, 202, "{:#}", answer.body);
    answer
}

/// The id in an answer, as text.
pub(crate) fn run_id(answer: &Answer) -> String {
    let id = answer.body.get("run_id").unwrap_or(&answer.body["meta"]["run_id"]);
    id.as_str().unwrap_or_else(|| panic!("no run in {:#}", answer.body)).to_owned()
}

/// `POST /analyze` under a key.
pub(crate) async fn keyed(client: &Client, key: &str, prefer: &str, question: &Value) -> Answer {
    let request = client.request(Method::POST, "/analyze").header("idempotency-key", key);
    send(request.header("prefer", prefer).json(question)).await.unwrap()
}

/// The run's record once it has ended.
pub(crate) async fn ended(daemon: &Daemon, run_id: &str) -> Value {
    let record = daemon.client().get(&format!("/runs/{run_id}?wait=30")).await.unwrap();
    assert!(record.body["run"]["finished_at"].is_string(), "{:#}", record.body);
    record.body
}

/// Waits until the run is in this state.
pub(crate) async fn reached(daemon: &Daemon, run_id: &str, state: &str) {
    let path = format!("/runs/{run_id}");
    let reached = wait_until_some(LIMIT, async || {
        let record = daemon.client().get(&path).await.unwrap();
        (record.body["run"]["state"] == state).then_some(())
    });
    assert!(reached.await.is_some(), "{run_id} is not {state}");
}

/// Waits until Codex has begun its turn.
pub(crate) async fn at_work(daemon: &Daemon, run_id: &str) {
    let path = format!("/runs/{run_id}/events");
    let mut stream = Events::open(daemon.client(), &path, None).await;
    while let Some(event) = stream.next().await {
        if event.data["stage"] == "turn" {
            return;
        }
    }
    panic!("{run_id} ended before its turn began");
}

/// The status and the failure's code.
pub(crate) fn verdict(answer: &Answer) -> String {
    let code = answer.code().map_or("-", contract::failure::FailureCode::as_str);
    format!("{} {code}", answer.status)
}

/// One server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// A stream of events, read as it comes.
pub(crate) struct Events {
    response: reqwest::Response,
    text: String,
}

impl Events {
    /// Opens the stream, from after an event where one is named.
    pub(crate) async fn open(client: &Client, path: &str, after: Option<u64>) -> Self {
        let mut request = client.request(Method::GET, path);
        if let Some(after) = after {
            request = request.header("last-event-id", after.to_string());
        }
        Self::of(request.send().await.unwrap())
    }

    /// The events of a response.
    pub(crate) fn of(response: reqwest::Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    /// The next event of the log; nothing at the stream's end. Volatile events are passed over, as by a
    /// client that does not know them.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            let block = self.block().await?;
            if let Some(event) = event(&block) {
                return Some(event);
            }
        }
    }

    /// The next block of lines, whatever it is; nothing at the stream's end.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Everything to the end.
    pub(crate) async fn all(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// Whether an event tells how the model goes on. Codex tells it beside its other events, in an order of
/// its own.
pub(crate) fn is_of_model(data: &Value) -> bool {
    let stages = ["waiting", "thinking", "writing", "quiet"];
    data["stage"].as_str().is_some_and(|stage| stages.contains(&stage))
}

/// An event of the log; nothing for a comment or a volatile event.
fn event(block: &str) -> Option<Event> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    Some(Event {
        id: field("id: ")?.parse().unwrap(),
        name: field("event: ")?.to_owned(),
        data: serde_json::from_str(field("data: ")?).unwrap(),
    })
}
