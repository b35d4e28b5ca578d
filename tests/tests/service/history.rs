//! The history: every run, newest first, filtered, in pages.

use serde_json::Value;
use tests::harness::Daemon;

use crate::fixture::{advised, at_work, daemon, ended, question, run_id, second, start};

/// The ids on a page.
async fn ids(daemon: &Daemon, query: &str) -> Vec<String> {
    let page = daemon.client().get(&format!("/runs?{query}")).await.unwrap();
    assert_eq!(page.status, 200, "{query}: {:#}", page.body);
    let runs = page.body["runs"].as_array().unwrap();
    runs.iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_filter_shows_its_runs_and_no_other() {
    let daemon = daemon().await;
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    let last = advised(&daemon, &second(&first, "fake-codex: ok")).await;
    let failed = start(&daemon, &question("fake-codex: exit1-auth")).await;
    ended(&daemon, &run_id(&failed)).await;
    let hanging = start(&daemon, &question("fake-codex: hang-after-thread")).await;
    at_work(&daemon, &run_id(&hanging)).await;
    let [first_id, last_id, failed, hanging] = [&first, &last, &failed, &hanging].map(run_id);

    let all = [&hanging, &failed, &last_id, &first_id].map(Clone::clone);
    assert_eq!(ids(&daemon, "").await, all);
    assert_eq!(ids(&daemon, "state=succeeded").await, all[2..]);
    assert_eq!(ids(&daemon, "state=running").await, all[..1]);
    assert_eq!(ids(&daemon, "state=failed&code=auth").await, all[1..2]);
    assert_eq!(ids(&daemon, "code=timeout").await, [""; 0]);
    let session = first.body["meta"]["session_id"].as_str().unwrap();
    assert_eq!(ids(&daemon, &format!("session_id={session}")).await, all[2..]);
    assert_eq!(ids(&daemon, &format!("before={failed}")).await, all[2..]);

    daemon.client().delete(&format!("/runs/{hanging}")).await.unwrap();
    assert_eq!(ids(&daemon, "state=cancelled").await, [hanging]);
    assert_eq!(ids(&daemon, "state=running").await, [""; 0]);
}

#[tokio::test]
async fn pages_hold_every_run_once() {
    let daemon = daemon().await;
    let mut asked = Vec::new();
    for number in 0..7 {
        let answer = advised(&daemon, &question(&format!("number {number}\nfake-codex: ok"))).await;
        asked.insert(0, run_id(&answer));
    }
    let daemon = daemon.restart().await.unwrap();
    let (mut seen, mut pages) = (Vec::new(), 0);
    let mut query = "limit=3".to_owned();
    loop {
        let page = daemon.client().get(&format!("/runs?{query}")).await.unwrap().body;
        seen.extend(page["runs"].as_array().unwrap().clone());
        pages += 1;
        let Some(before) = page["next_before"].as_str() else { break };
        query = format!("limit=3&before={before}");
    }
    assert_eq!(pages, 3);
    let ids: Vec<&str> = seen.iter().map(|run| run["run_id"].as_str().unwrap()).collect();
    assert_eq!(ids, asked);
    let problems: Vec<&Value> = seen.iter().map(|run| &run["problem"]).collect();
    assert_eq!(problems[0], "number 6", "its first line");
    assert!(seen.iter().all(|run| run["duration_ms"].is_u64() && run["state"] == "succeeded"));
}
