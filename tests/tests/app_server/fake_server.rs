//! Servers that behave unlike Codex's: each is refused before a request, or tolerated.

use std::fs;
use std::path::PathBuf;

use codex_driver::{AttemptEnd, Conversation, Fallback, Progress, Retry, Way};
use contract::advice::DriverKind;
use contract::failure::FailureCode;
use contract::id::ThreadId;
use serde_json::{Value, json};

use crate::fixture::{Fixture, verdict};

const THREAD: &str = "01a207bf-2ffd-7a93-9c30-0fb5501b28b1";
const TURN: &str = "01a207bf-3011-7373-9c6a-0a5e533b25dd";

/// What the stand-in for `codex exec` is told to do.
const PROMPT: &str = "fake-codex: ok";

/// What a good server says to the opening of a thread.
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

/// A shell line that prints a message.
fn tell(message: &Value) -> String {
    format!("printf '%s\\n' '{message}'\n")
}

/// A server as a script: greets, opens with this response, notes the question, and says the rest.
fn server(opened: &Value, rest: &str) -> String {
    let greeted = tell(&json!({ "id": 0, "result": {} }));
    let opened = tell(opened);
    format!(
        "read a\n{greeted}read b; read c\n{opened}read d || exit 0\necho \"$d\" >\"$TMPDIR/asked\"\n{rest}"
    )
}

/// The turn of a good server, with this before its answer.
fn turn(more: &[Value]) -> String {
    let messages = [
        json!({ "id": 2, "result": { "turn": { "id": TURN } } }),
        notice("turn/started", &json!({ "turn": { "id": TURN } })),
    ];
    let answer = json!({ "item": { "type": "agentMessage", "id": "m", "text": "{\"a\":1}" } });
    let completed = json!({ "turn": { "id": TURN, "items": [], "status": "completed" } });
    let end = [notice("item/completed", &answer), notice("turn/completed", &completed)];
    messages.iter().chain(more).chain(&end).map(tell).collect()
}

fn asked(fixture: &Fixture) -> PathBuf {
    fixture.folder.temp().join("asked")
}

async fn ask(fixture: &Fixture, way: Way, conversation: Conversation) -> AttemptEnd {
    let home = fixture.home(fixture.mock.base_url());
    let driver = fixture.driver_in(home, way);
    fixture.run(&driver, fixture.attempt(conversation, PROMPT)).await
}

#[tokio::test]
async fn a_good_server_is_asked_and_answers() {
    let good = server(&opened(), &format!("{}cat >/dev/null", turn(&[])));
    let fixture = Fixture::fake(&good).await;
    let end = ask(&fixture, Way::AppServer, Conversation::Fresh).await;
    assert_eq!(end.outcome.as_ref().unwrap().text, "{\"a\":1}", "{end:?}");
    assert_eq!(end.turn_id, TURN.parse().ok());
    let asked: Value = serde_json::from_slice(&fs::read(asked(&fixture)).unwrap()).unwrap();
    assert_eq!(asked["params"]["input"][0]["text"], PROMPT);
}

/// Each by itself is refused before the question: by hand it is a failure, else `codex exec` is asked.
#[tokio::test]
async fn a_thread_that_may_do_more_is_never_asked() {
    for (place, value) in [
        ("/result/sandbox/type", json!("workspaceWrite")),
        ("/result/sandbox/type", json!("dangerFullAccess")),
        ("/result/sandbox/networkAccess", json!(true)),
        ("/result/approvalPolicy", json!("on-request")),
        ("/result/instructionSources", json!(["/shop/AGENTS.md"])),
        ("/result/thread/id", json!("latest")),
    ] {
        let mut response = opened();
        *response.pointer_mut(place).unwrap() = value;
        let fixture = Fixture::fake(&server(&response, &turn(&[]))).await;
        let end = ask(&fixture, Way::AppServer, Conversation::Fresh).await;
        let incompatible = (FailureCode::CodexIncompatible, Retry::Never);
        assert_eq!(verdict(&end), Err(incompatible), "{place}: {end:?}");
        assert!(!asked(&fixture).exists(), "{place}: it was asked");
        let end = ask(&fixture, Way::Either(Fallback::default()), Conversation::Fresh).await;
        assert_eq!((verdict(&end), end.driver), (Ok(()), DriverKind::Exec), "{place}: {end:?}");
        assert!(!asked(&fixture).exists(), "{place}: it was asked");
    }
}

#[tokio::test]
async fn another_thread_than_the_resumed_one_is_lost_and_never_asked() {
    let fixture = Fixture::fake(&server(&opened(), &turn(&[]))).await;
    let other: ThreadId = "01a207bf-2ffd-7a93-9c30-0fb5501b28b2".parse().unwrap();
    let end = ask(&fixture, Way::AppServer, Conversation::Resume(other)).await;
    assert_eq!(verdict(&end), Err((FailureCode::SessionLost, Retry::Never)), "{end:?}");
    assert!(!asked(&fixture).exists());
}

/// What breaks before the question is answered by `codex exec` in the same attempt, and from then on.
#[tokio::test]
async fn a_server_that_breaks_before_the_question_is_replaced_in_the_same_attempt() {
    let refusal = json!({ "id": 1, "error": { "code": -32600, "message": "unknown method" } });
    let refused = server(&refusal, "");
    let incompatible = (FailureCode::CodexIncompatible, Retry::Never);
    let crashed = (FailureCode::Crashed, Retry::Now);
    for (name, script, expected) in [
        ("no such command", "exit 2", incompatible),
        ("an end", "exit 0", incompatible),
        ("a crash", "kill -9 $$", crashed),
        ("other words", "echo hello; read a; exit 0", incompatible),
        ("no answer", "exec sleep 1000", incompatible),
        ("a closed output", "exec >&-; exec sleep 1000", crashed),
        ("a refusal", refused.as_str(), incompatible),
    ] {
        let fixture = Fixture::fake(script).await;
        let home = fixture.home(fixture.mock.base_url());
        let driver = fixture.driver_in(home, Way::Either(Fallback::default()));
        assert_eq!(driver.kind(), DriverKind::AppServer);
        let mut processes = 0;
        let attempt = fixture.attempt(Conversation::Fresh, PROMPT);
        let cancel = tokio_util::sync::CancellationToken::new();
        let end = driver.attempt(attempt, &cancel, |step| {
            processes += usize::from(matches!(step, Progress::ProcessStarted { .. }));
        });
        let end = end.await;
        assert_eq!((verdict(&end), end.driver), (Ok(()), DriverKind::Exec), "{name}: {end:?}");
        assert_eq!(processes, 2, "{name}");
        assert_eq!(driver.kind(), DriverKind::Exec, "{name}");
        assert!(driver.why_not_app_server().is_some(), "{name}");
        let again = fixture.ask(&driver, PROMPT).await;
        assert_eq!((verdict(&again), again.driver), (Ok(()), DriverKind::Exec), "{name}");
        let by_hand = ask(&fixture, Way::AppServer, Conversation::Fresh).await;
        assert_eq!(verdict(&by_hand), Err(expected), "{name}: {by_hand:?}");
    }
}

/// What breaks after it may have been paid: there is no second driver.
#[tokio::test]
async fn a_server_that_breaks_after_the_question_is_not_replaced() {
    let started = json!({ "id": 2, "result": { "turn": { "id": TURN } } });
    let refusal = json!({ "id": 2, "error": { "code": -32600, "message": "no more" } });
    for (name, rest, code) in [
        ("an end", "exit 0".to_owned(), FailureCode::Crashed),
        ("a crash", format!("{}kill -9 $$", tell(&started)), FailureCode::Crashed),
        (
            "a closed output",
            format!("{}exec >&-; exec sleep 1000", tell(&started)),
            FailureCode::Crashed,
        ),
        ("a refusal", tell(&refusal), FailureCode::BadRequest),
    ] {
        let fixture = Fixture::fake(&server(&opened(), &rest)).await;
        let end = ask(&fixture, Way::Either(Fallback::default()), Conversation::Fresh).await;
        let found = verdict(&end).map_err(|(code, _)| code);
        assert_eq!((found, end.driver), (Err(code), DriverKind::AppServer), "{name}: {end:?}");
        assert!(asked(&fixture).exists(), "{name}");
    }
}

#[tokio::test]
async fn requests_of_the_server_are_refused_and_counted() {
    let approval =
        json!({ "id": 7, "method": "item/commandExecution/requestApproval", "params": {} });
    let input = json!({ "id": "x", "method": "item/tool/requestUserInput", "params": {} });
    let noise = json!({ "method": "a/method/of/tomorrow", "params": { "deep": [1, 2] } });
    let odd = [approval, input, noise, json!([1])];
    let rest = format!("{}cat >\"$TMPDIR/answers\"", turn(&odd));
    let fixture = Fixture::fake(&server(&opened(), &rest)).await;
    let end = ask(&fixture, Way::AppServer, Conversation::Fresh).await;
    assert!(end.outcome.is_ok(), "{end:?}");
    assert_eq!((end.refused_requests, end.skipped_lines), (2, 1));
    let answers = fs::read_to_string(fixture.folder.temp().join("answers")).unwrap();
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(7), &json!("x")]);
    assert!(answers.iter().all(|answer| answer["error"]["code"] == -32601), "{answers:?}");
}

/// Words of another turn, of another thread, and in pieces: none of them is an answer.
#[tokio::test]
async fn only_a_whole_message_of_the_own_turn_is_an_answer() {
    let foreign = |key: &str| {
        let mut said = notice(
            "item/completed",
            &json!({ "item": { "type": "agentMessage", "id": "m", "text": "foreign" } }),
        );
        said["params"][key] = "01a207bf-3011-7373-9c6a-0a5e533b25de".into();
        said
    };
    let started = [
        json!({ "id": 2, "result": { "turn": { "id": TURN } } }),
        notice("turn/started", &json!({ "turn": { "id": TURN } })),
        foreign("threadId"),
        foreign("turnId"),
        notice("item/agentMessage/delta", &json!({ "itemId": "m", "delta": "{\"a\":1}" })),
        notice("turn/completed", &json!({ "turn": { "id": TURN, "status": "completed" } })),
    ];
    let rest: String = started.iter().map(tell).collect();
    let fixture = Fixture::fake(&server(&opened(), &format!("{rest}cat >/dev/null"))).await;
    let end = ask(&fixture, Way::AppServer, Conversation::Fresh).await;
    assert_eq!(verdict(&end), Err((FailureCode::BadOutput, Retry::Repair)), "{end:?}");
}
