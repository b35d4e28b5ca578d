//! Runs independent of connections: started, found again by key, waited for, cancelled.

use std::time::Duration;

use contract::failure::FailureCode;
use reqwest::Method;
use serde_json::json;
use tests::harness::{Answer, send, wait_until, wait_until_some};

use crate::fixture::{
    EMPTY_WITHIN, LIMIT, advised, at_work, builder, daemon, ended, keyed, question, reached,
    run_id, start, verdict, with,
};

const WAIT: &str = "wait=30";
const ASYNC: &str = "respond-async";

#[tokio::test]
async fn a_started_run_is_picked_up_and_is_the_same_everywhere() {
    let daemon = daemon().await;
    let question = question("fake-codex: ok-after 200");
    let client = daemon.client();
    let accepted = keyed(client, "pick-up", ASYNC, &question).await;
    assert_eq!(accepted.status, 202);
    let run = run_id(&accepted);
    assert_eq!(accepted.header("location"), Some(format!("/runs/{run}").as_str()));
    let mut members: Vec<&String> = accepted.body.as_object().unwrap().keys().collect();
    members.sort();
    assert_eq!(members, ["run_id", "session_id", "state"]);
    assert_eq!(accepted.body["state"], "queued");

    let record = ended(&daemon, &run).await;
    let outcome = &record["outcome"];
    assert_eq!(outcome["meta"]["run_id"], run.as_str());
    assert_eq!(outcome["meta"]["session_id"], accepted.body["session_id"]);
    // The whole answer, later and under the same key, is that outcome to the letter.
    let whole = keyed(client, "pick-up", WAIT, &question).await;
    assert_eq!((whole.status, &whole.body), (200, outcome));
    let daemon = daemon.restart().await.unwrap();
    assert_eq!(&ended(&daemon, &run).await["outcome"], outcome);
}

#[tokio::test]
async fn a_failure_is_the_same_everywhere() {
    let daemon = daemon().await;
    let failed = daemon.client().analyze(&question("fake-codex: exit1-auth")).await.unwrap();
    assert_eq!(verdict(&failed), "502 auth");
    let record = ended(&daemon, &run_id(&failed)).await;
    assert_eq!(record["outcome"], failed.body);
    assert_eq!(
        (&record["run"]["state"], &record["run"]["code"]),
        (&json!("failed"), &json!("auth"))
    );
}

#[tokio::test]
async fn a_key_stands_for_its_run_after_a_restart_and_for_no_other_body() {
    let daemon = daemon().await;
    let first = keyed(daemon.client(), "k1", WAIT, &question("fake-codex: ok")).await;
    assert_eq!(first.status, 200);
    let daemon = daemon.restart().await.unwrap();
    let again = keyed(daemon.client(), "k1", WAIT, &question("fake-codex: ok")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    let started = keyed(daemon.client(), "k1", ASYNC, &question("fake-codex: ok")).await;
    assert_eq!(started.status, 202);
    assert_eq!((run_id(&started), &started.body["state"]), (run_id(&first), &json!("succeeded")));

    let other = keyed(daemon.client(), "k1", WAIT, &question("fake-codex: fenced")).await;
    assert_eq!(verdict(&other), "409 idempotency_conflict");
    let message = other.body["error"]["message"].as_str().unwrap();
    assert!(message.contains(&run_id(&first)), "{message}");
    let page = daemon.client().get("/runs").await.unwrap();
    assert_eq!(page.body["runs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn one_key_sent_many_times_at_once_is_one_run() {
    let daemon = daemon().await;
    let question = question("fake-codex: ok-after 100");
    let callers = (0..8).map(|_| keyed(daemon.client(), "k1", WAIT, &question));
    let answers: Vec<Answer> = futures_util::future::join_all(callers).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (200, &answers[0].body));
    }
    let page = daemon.client().get("/runs").await.unwrap();
    assert_eq!(page.body["runs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_outlives_the_connection_that_started_it() {
    let daemon = daemon().await;
    let accepted = {
        // Its own connection, closed with the client.
        let client =
            tests::harness::Client::new(daemon.client().address(), daemon.client().token());
        client.unwrap().analyze_async(&question("fake-codex: ok-after 300")).await.unwrap()
    };
    let record = ended(&daemon, &run_id(&accepted)).await;
    assert_eq!(record["run"]["state"], "succeeded");
}

#[tokio::test]
async fn a_caller_who_leaves_takes_every_process_with_it() {
    let daemon = daemon().await;
    let question = question("fake-codex: tree 3");
    let asking = daemon.client().analyze(&question);
    // The run, its guard, and three that left session and parent.
    let is_full = wait_until(LIMIT, || daemon.children().len() >= 5);
    tokio::select! {
        answer = asking => panic!("answered: {answer:?}"),
        full = is_full => assert!(full, "{:?}", daemon.children()),
    }
    assert!(daemon.is_idle_within(EMPTY_WITHIN).await, "{:?}", daemon.children());
    let cancelled = wait_until_some(LIMIT, async || {
        let page = daemon.client().get("/runs").await.unwrap();
        (page.body["runs"][0]["state"] == "cancelled").then_some(())
    });
    assert!(cancelled.await.is_some());
}

#[tokio::test]
async fn a_cancelled_run_leaves_nothing_alive() {
    for mode in ["tree 3", "ignoreterm", "hang", "slow-drip", "linger"] {
        let daemon = daemon().await;
        let run = run_id(&start(&daemon, &question(&format!("fake-codex: {mode}"))).await);
        reached(&daemon, &run, "running").await;
        if mode != "linger" {
            assert!(wait_until(LIMIT, || daemon.children().len() >= 2).await, "{mode}");
        }
        let answer = daemon.client().delete(&format!("/runs/{run}")).await.unwrap();
        assert_eq!(answer.status, 200, "{mode}: {:#}", answer.body);
        assert!(daemon.is_idle_within(EMPTY_WITHIN).await, "{mode}: {:?}", daemon.children());
        if mode == "linger" {
            // It had answered; what lingered after the answer is not the caller's business.
            continue;
        }
        assert_eq!(answer.body["state"], "cancelled", "{mode}");
        let record = ended(&daemon, &run).await;
        assert_eq!(record["outcome"]["error"]["code"], "cancelled", "{mode}");
        let again = daemon.client().delete(&format!("/runs/{run}")).await.unwrap();
        assert_eq!((again.status, again.body), (200, record["run"].clone()), "{mode}");
    }
}

#[tokio::test]
async fn a_run_in_the_queue_is_cancelled_without_a_process() {
    let daemon = builder().env("CODEX_BRIDGE_MAX_RUNNING", "1").start().await.unwrap();
    let first = run_id(&start(&daemon, &question("fake-codex: hang-after-thread")).await);
    at_work(&daemon, &first).await;
    let second = run_id(&start(&daemon, &question("fake-codex: ok")).await);
    let answer = daemon.client().delete(&format!("/runs/{second}")).await.unwrap();
    assert_eq!(answer.body["state"], "cancelled");
    let record = ended(&daemon, &second).await;
    assert_eq!(record["outcome"]["meta"]["attempts"], 0);
    reached(&daemon, &first, "running").await;
}

#[tokio::test]
async fn what_has_ended_cannot_be_cancelled_and_what_never_was_is_not_found() {
    let daemon = daemon().await;
    let done = advised(&daemon, &question("fake-codex: ok")).await;
    let path = format!("/runs/{}", run_id(&done));
    let answer = daemon.client().delete(&path).await.unwrap();
    assert_eq!((answer.status, &answer.body["state"]), (200, &json!("succeeded")));
    for unknown in ["0199a213-81c0-7800-8aa1-bbab2a035a53", "latest"] {
        let path = format!("/runs/{unknown}");
        for method in [Method::GET, Method::DELETE] {
            let answer = send(daemon.client().request(method, &path)).await.unwrap();
            assert_eq!(answer.code(), Some(FailureCode::NotFound), "{unknown}");
        }
    }
}

#[tokio::test]
async fn a_long_poll_comes_back_when_its_time_is_over() {
    let daemon = daemon().await;
    let run = run_id(&start(&daemon, &question("fake-codex: hang-after-thread")).await);
    let asked = tokio::time::Instant::now();
    let record = daemon.client().get(&format!("/runs/{run}?wait=1")).await.unwrap();
    assert!(asked.elapsed() >= Duration::from_secs(1));
    assert_eq!((record.status, &record.body["run"]["state"]), (200, &json!("running")));
    assert!(record.body.get("outcome").is_none());
}

#[tokio::test]
async fn a_run_that_a_killed_daemon_left_is_interrupted() {
    let mut daemon = daemon().await;
    let question = question("fake-codex: hang-after-thread");
    let accepted = keyed(daemon.client(), "k1", ASYNC, &question).await;
    let run = run_id(&accepted);
    at_work(&daemon, &run).await;
    daemon.kill().await.unwrap();
    assert!(daemon.is_idle_within(EMPTY_WITHIN).await, "{:?}", daemon.children());
    let daemon = daemon.restart().await.unwrap();
    let record = ended(&daemon, &run).await;
    assert_eq!(record["run"]["state"], "interrupted");
    assert_eq!(record["outcome"]["error"]["code"], "interrupted");
    let again = keyed(daemon.client(), "k1", WAIT, &question).await;
    assert_eq!((verdict(&again).as_str(), &again.body), ("500 interrupted", &record["outcome"]));
    // The session is free again.
    let session = json!({ "session_id": accepted.body["session_id"] });
    advised(&daemon, &with(crate::fixture::question("fake-codex: ok"), &session)).await;
}
