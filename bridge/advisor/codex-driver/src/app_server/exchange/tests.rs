//! The exchange without a process: every order of messages, and messages that are never sent.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::event::ErrorKind;
use crate::invocation::Conversation;

const THREAD: &str = "01a207bf-2ffd-7a93-9c30-0fb5501b28b1";
const TURN: &str = "01a207bf-3011-7373-9c6a-0a5e533b25dd";
const OTHER: &str = "01a207bf-3011-7373-9c6a-0a5e533b25de";

fn opening(conversation: Conversation) -> Opening<'static> {
    Opening { conversation, model: None, workdir: Path::new("/empty"), is_ephemeral: false }
}

fn question() -> Question<'static> {
    Question { prompt: "Which?", output_schema: None, model: None, reasoning_effort: None }
}

fn fresh() -> Exchange<'static> {
    Exchange::new(opening(Conversation::Fresh), Some(question()))
}

fn hear(exchange: &mut Exchange<'_>, message: &Value) -> Reaction {
    exchange.hear(Message::read(message.to_string().as_bytes()))
}

fn opened() -> Value {
    json!({ "id": 1, "result": {
        "thread": { "id": THREAD }, "approvalPolicy": "never", "instructionSources": [],
        "sandbox": { "type": "readOnly", "networkAccess": false },
    } })
}

fn notice(method: &str, rest: &Value) -> Value {
    let mut params = json!({ "threadId": THREAD, "turnId": TURN });
    for (key, value) in rest.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    json!({ "method": method, "params": params })
}

fn ended(status: &str, error: Value) -> Value {
    let turn = json!({ "id": TURN, "items": [], "status": status, "error": error });
    json!({ "method": "turn/completed", "params": { "threadId": THREAD, "turn": turn } })
}

/// An exchange whose turn runs.
fn running() -> Exchange<'static> {
    let mut exchange = fresh();
    for message in [
        json!({ "id": 0, "result": {} }),
        opened(),
        json!({ "id": 2, "result": { "turn": { "id": TURN } } }),
        notice("turn/started", &json!({ "turn": { "id": TURN } })),
    ] {
        let reaction = hear(&mut exchange, &message);
        assert!(!reaction.is_over);
    }
    exchange
}

#[test]
fn a_turn_goes_from_the_greeting_to_the_answer() {
    let mut exchange = fresh();
    let greeting = exchange.greeting();
    assert_eq!(greeting["method"], "initialize");
    assert_eq!(greeting["params"]["clientInfo"]["name"], "codex_bridge");
    assert!(greeting["params"]["capabilities"].get("experimentalApi").is_none());
    let said = hear(&mut exchange, &json!({ "id": 0, "result": {} })).say;
    assert_eq!(said[0], json!({ "method": "initialized" }));
    let expected = json!({ "cwd": "/empty", "sandbox": "read-only", "approvalPolicy": "never" });
    assert_eq!(said[1], json!({ "id": 1, "method": "thread/start", "params": expected }));
    assert!(!exchange.is_asked());
    let reaction = hear(&mut exchange, &opened());
    assert!(exchange.is_asked());
    let input = json!([{ "type": "text", "text": "Which?" }]);
    let expected = json!({ "threadId": THREAD, "input": input });
    assert_eq!(reaction.say, [json!({ "id": 2, "method": "turn/start", "params": expected })]);
    let thread_id = THREAD.parse().unwrap();
    assert_eq!(reaction.event, Some(Event::ThreadStarted { thread_id }));

    let mut exchange = running();
    let total = json!({ "total": { "inputTokens": 7, "outputTokens": 3 }, "last": {} });
    hear(&mut exchange, &notice("thread/tokenUsage/updated", &json!({ "tokenUsage": total })));
    let item = json!({ "item": { "type": "agentMessage", "id": "m", "text": "{}" } });
    let said = hear(&mut exchange, &notice("item/completed", &item)).event;
    assert_eq!(said, Some(Event::AgentMessage { text: "{}".to_owned() }));
    let over = hear(&mut exchange, &ended("completed", Value::Null));
    let usage = Usage { input_tokens: 7, output_tokens: 3, ..Usage::default() };
    assert_eq!((over.event, over.is_over), (Some(Event::TurnCompleted { usage }), true));
    assert_eq!(exchange.turn(), TURN.parse().ok());
    let late = hear(&mut exchange, &notice("item/completed", &item));
    assert_eq!(late, Reaction::default(), "nothing counts after the end");
}

#[test]
fn the_plan_of_the_account_is_told_as_often_as_it_comes_and_decides_nothing() {
    let told = |used: i64| {
        let primary = json!({ "usedPercent": used, "windowDurationMins": 300 });
        let limits = json!({ "limitId": "codex", "primary": primary, "secondary": null });
        json!({ "method": "account/rateLimits/updated", "params": { "rateLimits": limits } })
    };
    assert_eq!(
        hear(&mut fresh(), &told(43)),
        Reaction::default(),
        "before a question it is not heard"
    );
    let mut exchange = running();
    let window = |used_percent| PlanWindow { used_percent, minutes: Some(300), resets_at_s: None };
    for _ in 0..10_000 {
        let plan = Some([Some(window(43)), None]);
        assert_eq!(hear(&mut exchange, &told(43)), Reaction { plan, ..Reaction::default() });
    }
    assert_eq!(hear(&mut exchange, &told(-1)), Reaction::default());
    assert_eq!(exchange.ignored(), 1);
    assert!(hear(&mut exchange, &ended("completed", Value::Null)).is_over);
    assert_eq!(hear(&mut exchange, &told(43)), Reaction::default(), "nor after the end");
}

#[test]
fn a_thread_is_resumed_or_forked_at_its_last_completed_turn() {
    let thread: ThreadId = THREAD.parse().unwrap();
    let last_turn = TURN.parse().ok();
    for (conversation, method, more) in [
        (Conversation::Resume(thread), "thread/resume", json!({})),
        (Conversation::Fork { thread, last_turn: None }, "thread/fork", json!({})),
        (Conversation::Fork { thread, last_turn }, "thread/fork", json!({ "lastTurnId": TURN })),
    ] {
        let mut exchange = Exchange::new(opening(conversation), Some(question()));
        let said = hear(&mut exchange, &json!({ "id": 0, "result": {} })).say;
        assert_eq!(said[1]["method"], method);
        let params = &said[1]["params"];
        assert_eq!((&params["threadId"], &params["excludeTurns"]), (&json!(THREAD), &json!(true)));
        assert_eq!(params["sandbox"], "read-only");
        assert_eq!(params["lastTurnId"], more["lastTurnId"]);
        assert!(params.get("config").is_none());
    }
}

#[test]
fn a_thread_that_is_not_as_asked_for_ends_it_before_the_question() {
    let mut unfit = opened();
    unfit["result"]["sandbox"]["type"] = "workspaceWrite".into();
    let other: ThreadId = OTHER.parse().unwrap();
    let resumed = Conversation::Resume(other);
    for (conversation, response) in [(Conversation::Fresh, unfit), (resumed, opened())] {
        let mut exchange = Exchange::new(opening(conversation), Some(question()));
        hear(&mut exchange, &json!({ "id": 0, "result": {} }));
        let reaction = hear(&mut exchange, &response);
        assert_eq!(reaction, Reaction::over(), "nothing is said any more");
        assert!(!exchange.is_asked() && !exchange.is_open());
        assert!(exchange.obstacle().is_some());
        // Whatever is claimed afterwards.
        assert_eq!(hear(&mut exchange, &opened()).say, Vec::<Value>::new());
    }
}

#[test]
fn a_refused_beginning_is_an_obstacle_and_a_refused_question_a_failed_turn() {
    let refused = |id: u64| json!({ "id": id, "error": { "code": -32600, "message": "no" } });
    for first in [0, 1] {
        let mut exchange = fresh();
        if first == 1 {
            hear(&mut exchange, &json!({ "id": 0, "result": {} }));
        }
        assert_eq!(hear(&mut exchange, &refused(first)), Reaction::over());
        assert_eq!(exchange.obstacle(), Some(&Obstacle::Refused("no".to_owned())));
        assert!(!exchange.is_asked());
    }
    let mut exchange = fresh();
    hear(&mut exchange, &json!({ "id": 0, "result": {} }));
    hear(&mut exchange, &opened());
    let failed = Event::TurnFailed { message: "no".to_owned(), kind: None };
    let reaction = hear(&mut exchange, &refused(2));
    assert_eq!((reaction.event, reaction.is_over), (Some(failed), true));
    assert!(exchange.is_asked());
}

#[test]
fn what_the_server_asks_is_refused_and_counted_and_not_answered_without_end() {
    let mut exchange = running();
    for number in 0..REFUSED_MAX + 10 {
        let asked = json!({ "id": number, "method": "execCommandApproval", "params": {} });
        let said = hear(&mut exchange, &asked).say;
        match said.as_slice() {
            [refusal] => {
                assert_eq!((&refusal["id"], refusal.get("result")), (&json!(number), None))
            }
            _ => assert!(number >= REFUSED_MAX),
        }
    }
    assert_eq!(exchange.refused(), REFUSED_MAX + 10);
}

#[test]
fn another_turn_and_another_thread_decide_nothing() {
    let mut exchange = running();
    for (key, value) in [("/params/threadId", OTHER), ("/params/turn/id", OTHER)] {
        let mut foreign = ended("completed", Value::Null);
        *foreign.pointer_mut(key).unwrap() = value.into();
        assert_eq!(hear(&mut exchange, &foreign), Reaction::default());
    }
    assert_eq!(exchange.ignored(), 2);
    assert!(hear(&mut exchange, &ended("completed", Value::Null)).is_over);
}

#[test]
fn a_failed_turn_has_its_kind_and_an_interrupted_one_no_terminal_event() {
    let error = json!({ "message": "no", "codexErrorInfo": "serverOverloaded" });
    let kind = Some(ErrorKind { name: "serverOverloaded".to_owned(), status: None });
    let failed = hear(&mut running(), &ended("failed", error)).event;
    assert_eq!(failed, Some(Event::TurnFailed { message: "no".to_owned(), kind }));
    let interrupted = hear(&mut running(), &ended("interrupted", Value::Null));
    assert_eq!((interrupted.event, interrupted.is_over), (None, true));
}

#[test]
fn a_turn_is_interrupted_once_and_completes_no_more() {
    let mut exchange = running();
    let params = json!({ "threadId": THREAD, "turnId": TURN });
    let farewell = json!({ "id": 3, "method": "turn/interrupt", "params": params });
    assert_eq!(exchange.farewell(), Some(farewell));
    assert_eq!(hear(&mut exchange, &ended("completed", Value::Null)), Reaction::default());
    let mut early = fresh();
    assert_eq!(early.farewell(), None);
    let reaction = hear(&mut early, &json!({ "id": 0, "result": {} }));
    assert_eq!(reaction.say, Vec::<Value>::new(), "it goes no further");
    assert!(!early.is_asked());
}

#[test]
fn items_are_those_of_exec() {
    let mut exchange = running();
    let mut event = |method: &str, item: Value| {
        hear(&mut exchange, &notice(method, &json!({ "item": item }))).event
    };
    for kind in ["userMessage", "agentMessage", "reasoning"] {
        assert_eq!(event("item/started", json!({ "type": kind, "id": "1" })), None, "{kind}");
    }
    let reasoning = Event::item("reasoning", "1", None, Stage::Completed);
    assert_eq!(event("item/completed", json!({ "type": "reasoning", "id": "1" })), Some(reasoning));
    for (item, kind, subject) in [
        (
            json!({ "type": "commandExecution", "id": "1", "command": "/bin/bash -lc 'ls -l'" }),
            "command_execution",
            Some("ls -l"),
        ),
        (
            json!({ "type": "mcpToolCall", "id": "1", "server": "s", "tool": "t" }),
            "mcp_tool_call",
            Some("s.t"),
        ),
        (json!({ "type": "webSearch", "id": "1", "query": "q" }), "web_search", Some("q")),
        (json!({ "type": "tomorrow", "id": "1" }), "tomorrow", None),
    ] {
        let expected = Event::item(kind, "1", subject, Stage::Started);
        assert_eq!(event("item/started", item), Some(expected));
    }
}

#[test]
fn a_handshake_is_over_once_the_thread_is_open() {
    let opening = Opening { is_ephemeral: true, ..opening(Conversation::Fresh) };
    let mut exchange = Exchange::new(opening, None);
    let said = hear(&mut exchange, &json!({ "id": 0, "result": {} })).say;
    assert_eq!(said[1]["params"]["ephemeral"], true);
    let reaction = hear(&mut exchange, &opened());
    assert!(reaction.is_over && reaction.say.is_empty());
    assert!(exchange.is_open() && !exchange.is_asked());
}

proptest! {
    /// Whatever comes in whichever order: at most one question, and none before a thread was checked.
    #[test]
    fn any_order_of_messages_asks_once_at_most(picks in prop::collection::vec(0usize..10, 0..40)) {
        let mut exchange = fresh();
        let mut asked = 0;
        for pick in picks {
            let message = match pick {
                0 => json!({ "id": 0, "result": {} }),
                1 => opened(),
                2 => json!({ "id": 2, "result": { "turn": { "id": TURN } } }),
                3 => notice("turn/started", &json!({ "turn": { "id": TURN } })),
                4 => ended("completed", Value::Null),
                5 => json!({ "id": 1, "error": { "message": "no" } }),
                6 => json!({ "id": 9, "method": "x", "params": {} }),
                7 => notice("item/agentMessage/delta", &json!({ "delta": "x" })),
                8 => notice("warning", &json!({ "message": "x" })),
                _ => json!(7),
            };
            let said = hear(&mut exchange, &message).say;
            asked += said.iter().filter(|it| it["method"] == "turn/start").count();
            prop_assert_eq!(asked > 0, exchange.is_asked());
        }
        prop_assert!(asked <= 1);
    }
}
