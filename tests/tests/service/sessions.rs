//! The rules of a session: two rounds, their order, one at a time, and an end.

use rusqlite::Connection;
use serde_json::{Value, json};
use tests::harness::{Answer, Daemon};

use crate::fixture::{
    advised, at_work, daemon, ended, question, run_id, second, start, verdict, with,
};

const NO_SESSION: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

fn session_id(answer: &Answer) -> String {
    let id = answer.body.get("session_id").unwrap_or(&answer.body["meta"]["session_id"]);
    id.as_str().unwrap().to_owned()
}

async fn session(daemon: &Daemon, id: &str) -> Value {
    daemon.client().get(&format!("/sessions/{id}")).await.unwrap().body
}

async fn refused(daemon: &Daemon, question: &Value) -> (String, String) {
    let answer = daemon.client().analyze(question).await.unwrap();
    let message = answer.body["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(answer.body["error"]["type"], "input_error");
    assert!(answer.body["error"].get("fallback").is_none(), "the caller can mend it");
    (verdict(&answer), message)
}

#[tokio::test]
async fn a_session_has_two_rounds_in_their_order() {
    let daemon = daemon().await;
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    let id = session_id(&first);
    let again = with(question("fake-codex: ok"), &json!({ "session_id": id }));
    let (code, message) = refused(&daemon, &again).await;
    assert_eq!(code, "409 phase_order");
    assert!(message.contains("final"), "{message}");

    advised(&daemon, &second(&first, "fake-codex: ok")).await;
    for phase in ["initial", "final"] {
        let third = with(again.clone(), &json!({ "phase": phase }));
        assert_eq!(refused(&daemon, &third).await.0, "409 round_limit", "{phase}");
    }
    let record = session(&daemon, &id).await;
    assert_eq!((&record["rounds_used"], &record["rounds_left"]), (&json!(2), &json!(0)));
    assert_eq!(record["runs"].as_array().unwrap().len(), 2, "a refusal is no run");
}

#[tokio::test]
async fn a_final_round_without_a_session_is_answered_and_says_what_it_lacks() {
    let daemon = daemon().await;
    let alone = with(question("fake-codex: ok"), &json!({ "phase": "final" }));
    let answer = advised(&daemon, &alone).await;
    let meta = &answer.body["meta"];
    assert_eq!(
        (&meta["round"], &meta["rounds_left"], &meta["phase"]),
        (&json!(1), &json!(0), &json!("final"))
    );
    let limits = meta["limits"].as_array().unwrap();
    assert_eq!(limits.len(), 1, "{limits:?}");
    assert!(limits[0].as_str().unwrap().contains("no session_id was given"), "{limits:?}");
    assert_eq!(refused(&daemon, &second(&answer, "fake-codex: ok")).await.0, "409 round_limit");
}

#[tokio::test]
async fn a_session_that_never_was_is_unknown() {
    let daemon = daemon().await;
    let unknown =
        with(question("fake-codex: ok"), &json!({ "session_id": NO_SESSION, "phase": "final" }));
    assert_eq!(refused(&daemon, &unknown).await.0, "404 unknown_session");
    let record = daemon.client().get(&format!("/sessions/{NO_SESSION}")).await.unwrap();
    assert_eq!(verdict(&record), "404 unknown_session");
    assert_eq!(daemon.client().get("/runs").await.unwrap().body["runs"], json!([]));
}

#[tokio::test]
async fn an_expired_session_is_refused_and_still_shown() {
    let daemon = daemon().await;
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    let last = second(&first, "fake-codex: ok");
    let id = session_id(&first);
    // The shortest time to live is a minute: the clock is put forward instead.
    let database = daemon.folder().state().join("state.sqlite");
    let changed = Connection::open(database)
        .unwrap()
        .execute("UPDATE sessions SET expires_at = created_at WHERE session_id = ?1", [&id])
        .unwrap();
    assert_eq!(changed, 1);
    let (code, message) = refused(&daemon, &last).await;
    assert_eq!(code, "410 session_expired");
    let record = session(&daemon, &id).await;
    assert!(message.contains(record["expires_at"].as_str().unwrap()), "{message}");
    assert_eq!(record["rounds_used"], 1);
}

#[tokio::test]
async fn a_session_has_one_run_in_flight() {
    let daemon = daemon().await;
    let first = start(&daemon, &question("fake-codex: hang-after-thread")).await;
    let (run, id) = (run_id(&first), session_id(&first));
    at_work(&daemon, &run).await;
    for phase in ["initial", "final"] {
        let other = with(question("fake-codex: ok"), &json!({ "session_id": id, "phase": phase }));
        let (code, message) = refused(&daemon, &other).await;
        assert_eq!(code, "409 session_busy", "{phase}");
        assert!(message.contains(&run), "{message}");
    }
    daemon.client().delete(&format!("/runs/{run}")).await.unwrap();

    // A round that was not answered is given back.
    let record = session(&daemon, &id).await;
    assert_eq!((&record["rounds_used"], &record["rounds_left"]), (&json!(0), &json!(2)));
    let again = with(question("fake-codex: ok"), &json!({ "session_id": id }));
    let answer = advised(&daemon, &again).await;
    assert_eq!(
        (&answer.body["meta"]["round"], &answer.body["meta"]["rounds_left"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn a_failed_second_round_can_be_asked_again() {
    let daemon = daemon().await;
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    let failed = daemon.client().analyze(&second(&first, "fake-codex: exit1-auth")).await.unwrap();
    assert_eq!(verdict(&failed), "502 auth");
    let meta = &failed.body["meta"];
    assert_eq!((&meta["round"], &meta["rounds_left"]), (&json!(2), &json!(1)));

    let last = advised(&daemon, &second(&first, "fake-codex: ok")).await;
    let meta = &last.body["meta"];
    assert_eq!((&meta["round"], &meta["attempts"]), (&json!(2), &json!(1)));
    // The failed prompt is in the thread: a fork leaves it there.
    assert_ne!(meta["codex"]["thread_id"], first.body["meta"]["codex"]["thread_id"]);
}

#[tokio::test]
async fn a_session_shows_its_runs_oldest_first() {
    let daemon = daemon().await;
    let first = start(&daemon, &question("fake-codex: exit1-auth")).await;
    ended(&daemon, &run_id(&first)).await;
    let id = session_id(&first);
    let again = with(question("fake-codex: ok"), &json!({ "session_id": id }));
    let answered = advised(&daemon, &again).await;
    let record = session(&daemon, &id).await;
    let runs: Vec<(&Value, &Value)> = record["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (&run["run_id"], &run["state"]))
        .collect();
    assert_eq!(
        runs,
        [
            (&json!(run_id(&first)), &json!("failed")),
            (&json!(run_id(&answered)), &json!("succeeded")),
        ]
    );
    assert_eq!(record["thread_id"], answered.body["meta"]["codex"]["thread_id"]);
    assert!(record["expires_at"].as_str() > record["created_at"].as_str());
}
