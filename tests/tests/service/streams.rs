//! Events: sent live, replayed without a gap or a repetition, and the same after a restart.

use reqwest::Method;
use serde_json::json;
use tests::harness::Daemon;

use crate::fixture::{
    Event, Events, advised, at_work, daemon, ended, is_of_model, question, run_id, start,
};

async fn replay(daemon: &Daemon, run: &str, after: Option<u64>) -> Vec<Event> {
    Events::open(daemon.client(), &format!("/runs/{run}/events"), after).await.all().await
}

fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

/// Ids count from 1 without a gap; only the last event is terminal.
fn assert_whole(events: &[Event]) {
    let ids: Vec<u64> = events.iter().map(|event| event.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
    let terminal = |event: &Event| ["report", "failure"].contains(&event.name.as_str());
    assert_eq!(events.iter().filter(|event| terminal(event)).count(), 1, "{events:?}");
    assert!(events.last().is_some_and(terminal), "{events:?}");
}

async fn stream(daemon: &Daemon, problem: &str) -> Vec<Event> {
    let request = daemon.client().request(Method::POST, "/analyze");
    let request = request.header("accept", "text/event-stream").json(&question(problem));
    Events::of(request.send().await.unwrap()).all().await
}

#[tokio::test]
async fn a_question_as_a_stream_tells_its_progress_and_ends_with_the_report() {
    let daemon = daemon().await;
    let mut events = stream(&daemon, "fake-codex: ok").await;
    assert_whole(&events);
    events.retain(|event| !is_of_model(&event.data));
    assert_eq!(
        names(&events),
        ["queued", "started", "progress", "thread", "progress", "progress", "progress", "report"],
    );
    let stages: Vec<_> = events.iter().filter_map(|event| event.data["stage"].as_str()).collect();
    assert_eq!(stages, ["attempt", "turn", "item", "answered"]);
    let report = &events.last().unwrap().data;
    let record = ended(&daemon, report["meta"]["run_id"].as_str().unwrap()).await;
    assert_eq!(&record["outcome"], report);
    assert_eq!(events[3].data["thread_id"], report["meta"]["codex"]["thread_id"]);
}

#[tokio::test]
async fn a_failed_question_as_a_stream_ends_with_the_failure() {
    let daemon = daemon().await;
    let events = stream(&daemon, "fake-codex: flaky 2 diemid").await;
    assert_whole(&events);
    assert_eq!(names(&events).iter().filter(|name| **name == "retry").count(), 1);
    let failure = &events.last().unwrap().data;
    assert_eq!(
        (&failure["error"]["code"], &failure["meta"]["attempts"]),
        (&json!("crashed"), &json!(2))
    );
}

#[tokio::test]
async fn a_replay_begins_after_the_event_that_was_seen_last() {
    let daemon = daemon().await;
    let run = run_id(&advised(&daemon, &question("fake-codex: ok")).await);
    let all = replay(&daemon, &run, None).await;
    assert_whole(&all);
    for seen in 0..=all.len() + 1 {
        let rest = all.get(seen..).unwrap_or_default();
        assert_eq!(replay(&daemon, &run, Some(seen as u64)).await, rest, "after {seen}");
    }
    let daemon = daemon.restart().await.unwrap();
    for seen in 0..=all.len() {
        let found = replay(&daemon, &run, Some(seen as u64)).await;
        assert_eq!(found, all[seen..], "after {seen} and a restart");
    }
}

#[tokio::test]
async fn readers_who_come_at_any_time_see_the_same_events() {
    let daemon = daemon().await;
    let run = run_id(&start(&daemon, &question("fake-codex: ok-after 400")).await);
    let early = replay(&daemon, &run, None);
    let half_way = async {
        at_work(&daemon, &run).await;
        let whole = replay(&daemon, &run, None).await;
        (whole, replay(&daemon, &run, Some(2)).await)
    };
    // One that leaves and comes back with what it saw last.
    let torn = async {
        let path = format!("/runs/{run}/events");
        let mut seen = Vec::new();
        loop {
            let after = seen.last().map(|event: &Event| event.id);
            let mut events = Events::open(daemon.client(), &path, after).await;
            match events.next().await {
                Some(event) => seen.push(event),
                None => return seen,
            }
        }
    };
    let (early, (whole, rest), torn) = tokio::join!(early, half_way, torn);
    assert_whole(&early);
    assert_eq!(whole, early);
    assert_eq!(rest, early[2..]);
    assert_eq!(torn, early);
    assert_eq!(replay(&daemon, &run, None).await, early);
}

#[tokio::test]
async fn the_events_of_an_interrupted_run_go_on_after_the_restart() {
    let mut daemon = daemon().await;
    let run = run_id(&start(&daemon, &question("fake-codex: hang-after-thread")).await);
    at_work(&daemon, &run).await;
    daemon.kill().await.unwrap();
    let daemon = daemon.restart().await.unwrap();
    let events = replay(&daemon, &run, None).await;
    assert_eq!(names(&events)[..1], ["queued"]);
    let (last, told) = events.split_last().unwrap();
    let ids: Vec<u64> = told.iter().map(|event| event.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
    // Far enough on that no event which was told and not stored has its id.
    assert!(last.id > told.len() as u64 + 1, "{last:?}");
    assert_eq!(
        (last.name.as_str(), &last.data["error"]["code"]),
        ("failure", &json!("interrupted"))
    );
    assert_eq!(replay(&daemon, &run, Some(ids.len() as u64)).await, std::slice::from_ref(last));
}
